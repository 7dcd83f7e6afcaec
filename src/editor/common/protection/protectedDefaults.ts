/** A protected glob and the reason that the user sees. */
interface ProtectedDefault {
  readonly glob: string;
  readonly reason: string;
}

const vscode = 'VS Code reads settings, tasks, launch configurations and MCP servers from this folder';
const workspaceFile = 'VS Code reads settings, tasks and launch configurations from this file';
const otherEditor = 'an editor reads settings and tasks from this folder';
const git = 'Git reads its configuration and runs hooks from here';
const hooks = 'commands in it run when you commit or push';
const shell = 'commands in it run when a shell enters the folder';
const installs = 'it controls what a package manager runs and where packages come from';
const lock = 'it controls which code a package manager installs and runs';
const build = 'it names programs that each build runs or downloads';
const container = 'a development container runs the commands in it';
const pipeline = 'a CI server runs the commands in it, often with secrets';
const agents = 'agents read permissions, hooks, servers or instructions from it';

/**
 * Default of `backline.protectedFiles`: files that make programs run when a folder is opened, code is pulled,
 * committed, built or installed, or an agent starts. Source code is not protected, because too many requests would make
 * users approve without reading. Worktrees in agents' folders contain ordinary code. package.json repeats the globs; a
 * test keeps them equal.
 */
export const protectedDefaults: readonly ProtectedDefault[] = [
  ...all(vscode, '.vscode'),
  ...all(workspaceFile, '*.code-workspace'),
  ...all(otherEditor, '.idea', '.zed'),
  ...all(git, '.git', '.gitmodules', '.gitattributes'),
  ...all(
    hooks,
    '.husky',
    '.huskyrc*',
    '.githooks',
    '.lefthook*',
    'lefthook.*',
    'lefthook-local.*',
    '.pre-commit-config.y*ml',
    '.overcommit.yml',
    '.lintstagedrc*',
    'lint-staged.config.*',
    '.simple-git-hooks.*',
    'simple-git-hooks.*',
  ),
  ...all(shell, '.envrc', '.mise', '.mise.*', 'mise.toml', 'mise.*.toml'),
  { glob: 'package.json', reason: 'package managers run its scripts and those of its dependencies' },
  ...all(installs, '.npmrc', '.yarnrc*', '.yarn', '.pnpmfile.*', 'pnpm-workspace.y*ml', '.bunfig.toml', 'bunfig.toml'),
  ...all(lock, 'package-lock.json', 'npm-shrinkwrap.json', 'yarn.lock', 'pnpm-lock.y*ml', 'bun.lock'),
  ...all(build, '**/.cargo/config*', '.mvn', '**/gradle/wrapper', 'gradlew', 'gradlew.bat', 'mvnw', 'mvnw.cmd'),
  ...all(build, 'rust-toolchain', 'rust-toolchain.toml'),
  ...all(container, '.devcontainer', '.devcontainer.json', '.gitpod.y*ml'),
  ...all(
    pipeline,
    '**/.{github,gitea,forgejo}/{workflows,actions}',
    '.gitlab-ci.y*ml',
    '.circleci',
    '.buildkite',
    '.travis.yml',
    '.drone.yml',
    '.cirrus.y*ml',
    'azure-pipelines*.y*ml',
    'bitbucket-pipelines.yml',
    'Jenkinsfile*',
  ),
  ...all(
    agents,
    '**/.{claude,codex,cursor}/!(worktrees)',
    '.gemini',
    '.qwen',
    '.opencode',
    '.amp',
    '.agents',
    '.kiro',
    '.roo',
    '.continue',
    '.windsurf',
    '.vibe',
    '.pi',
    '.augment',
    '.augment-guidelines',
    '.cline',
    '.kimi',
    '.goose',
    'opencode.json*',
    '.mcp.json',
    '{AGENT,AGENTS,CLAUDE,GEMINI,QWEN}{,.local,.override}.md',
    '.clinerules*',
    '.cursorrules',
    '.roorules*',
    '.windsurfrules',
    '.goosehints',
    '.aider*',
    '**/.github/{copilot,copilot-instructions.md,mcp.json,instructions,prompts,agents,chatmodes,hooks,skills}',
  ),
];

/** More specific reasons for files in `.vscode`, by file name in lower case. */
export const protectionReasonByVscodeFile: ReadonlyMap<string, string> = new Map([
  ['tasks.json', 'VS Code runs tasks from this file'],
  ['launch.json', 'VS Code starts programs from this file'],
  ['settings.json', 'VS Code and its extensions read settings from this file, which can name programs to run'],
  ['mcp.json', 'VS Code starts MCP servers from this file'],
]);

function all(reason: string, ...globs: string[]): ProtectedDefault[] {
  return globs.map((glob) => ({ glob, reason }));
}
