/** A glob (`GlobRules`) of files that make things run, and what runs, as the user reads it. */
interface ProtectedDefault {
  readonly glob: string;
  readonly reason: string;
}

const editor = 'VS Code reads settings, tasks, debuggers and MCP servers from this folder';
const otherEditor = 'an editor takes settings, tasks and programs to run from this folder';
const git = 'Git reads its configuration and runs hooks from here';
const hooks = 'commands in it run when you commit or push';
const shell = 'commands in it run when a shell enters the folder';
const installs = 'it says what a package manager runs and where it gets packages from';
const lock = 'it says which code a package manager installs and runs';
const build = 'it names programs that each build runs or downloads';
const container = 'a development container runs the commands in it';
const pipeline = 'a CI server runs the commands in it, often with secrets';
const agents = 'agents take their permissions, hooks, servers or instructions from it';

/**
 * What `backline.protectedFiles` holds out of the box: what runs without anybody calling it by its name, when a folder is
 * opened, when code is pulled, committed, built or installed, or when an agent starts. Source code is not among them, though
 * it runs, too: asking about each file would be asking about none. package.json repeats the globs as the default of the
 * setting; a test holds the two together.
 *
 * Worktrees that agents make inside their own folders hold code like any other.
 */
export const protectedDefaults: readonly ProtectedDefault[] = [
  ...all(editor, '.vscode', '*.code-workspace'),
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
  { glob: 'package.json', reason: 'package managers run scripts from it, and those of the packages it names' },
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

/** More exactly what a file of VS Code makes run, by its name in lower case. */
export const editorFileReasons: ReadonlyMap<string, string> = new Map([
  ['tasks.json', 'VS Code runs tasks from this file'],
  ['launch.json', 'VS Code starts programs from this file'],
  ['settings.json', 'VS Code and its extensions take settings from this file, which can name programs to run'],
  ['mcp.json', 'VS Code starts MCP servers from this file'],
]);

function all(reason: string, ...globs: string[]): ProtectedDefault[] {
  return globs.map((glob) => ({ glob, reason }));
}
