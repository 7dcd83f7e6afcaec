/** A protected glob and the reason that the user sees. */
interface ProtectedDefault {
  readonly glob: string;
  readonly reason: string;
}

/** Globs by the reason why their files are protected, as the user reads it: `.vscode/x is protected: <reason>`. */
const globsByReason: readonly (readonly [reason: string, globs: string])[] = [
  ['VS Code reads settings, tasks, launch configurations and MCP servers from this folder', '.vscode'],
  ['VS Code reads settings, tasks and launch configurations from this file', '*.code-workspace'],
  [
    'an editor reads settings, tasks or servers from it',
    '.idea .run .fleet .vs .zed .nova .helix .theia .externalToolBuilders *.sublime-project',
  ],
  [
    'an editor runs the commands in it when it opens this folder',
    '.exrc .vimrc .nvimrc .nvim.lua .lvimrc .dir-locals*.el',
  ],
  [
    'a debugger or an interpreter runs it when it starts in this folder',
    '.gdbinit .lldbinit .pdbrc .Rprofile .irbrc .pryrc .ghci',
  ],
  ['VS Code’s extensions keep their state in this folder, such as what you have allowed', 'globalStorage'],
  ['Git reads its configuration and runs hooks from here', '.git .gitmodules .gitattributes'],
  ['a version control program reads its configuration and runs hooks from here', '.hg .jj .sl .svn'],
  [
    'commands in it run when you commit or push',
    `.husky .huskyrc* .githooks .lefthook* lefthook.* lefthook-local.* .pre-commit-config.y*ml .overcommit.yml
    .lintstagedrc* lint-staged.config.* .simple-git-hooks.* simple-git-hooks.*`,
  ],
  ['commands in it run when a shell enters the folder', '.envrc .autoenv* .mise .mise.* mise.toml mise.*.toml'],
  ['it decides which programs run in this folder', '.tool-versions rust-toolchain rust-toolchain.toml'],
  ['editors and tools run the programs in this folder without a question', '.venv **/venv/{bin,Scripts} node_modules'],
  [
    'editors load code that it contains or names when a file is opened',
    `eslint.config.* .eslintrc* .eslintplugin prettier.config.* .prettierrc* .stylelintrc* stylelint.config.* tslint.json
    .oxlintrc.json .markdownlint-cli2.* .pylintrc pylintrc .rubocop.yml .solargraph.yml .luarc.json*`,
  ],
  ['package managers run its scripts and those of its dependencies', 'package.json'],
  [
    'it controls what a package manager runs and where packages come from',
    '.npmrc .yarnrc* .yarn .pnp.* .pnpmfile.* pnpm-workspace.y*ml .bunfig.toml bunfig.toml',
  ],
  [
    'it controls which code a package manager installs and runs',
    'package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.y*ml bun.lock',
  ],
  [
    'it names programs that each build runs or downloads',
    `**/.cargo/config* .mvn **/gradle/wrapper gradlew gradlew.bat mvnw mvnw.cmd *.bazelrc .bazelversion .buckconfig`,
  ],
  [
    'a development container or environment runs the commands in it',
    '.devcontainer .devcontainer.json .gitpod.y*ml .idx .replit',
  ],
  [
    'a CI server runs the commands in it, often with secrets',
    `**/.{github,gitea,forgejo}/{workflows,actions} .gitlab-ci.y*ml .circleci .buildkite .travis.yml .drone.yml .cirrus.y*ml
    azure-pipelines*.y*ml bitbucket-pipelines.yml Jenkinsfile*`,
  ],
  [
    'agents read permissions, hooks, servers or instructions from it',
    `**/.{claude,codex,cursor,kilo,kilocode}/!(worktrees) **/.github/{copilot,copilot-instructions.md,mcp.json,instructions,prompts,agents,chatmodes,hooks,skills}
    .mcp.json {AGENT,AGENTS,CLAUDE,GEMINI,QWEN,CRUSH,WARP,IFLOW}{,.local,.override}.md
    .adal .agent .agents .aiassistant .aider* .amazonq .amp .augment .augment-guidelines .cline .clinerules* .codebuddy
    .commandcode .continue .continuerc.json .cortex .crush crush.json .crush.json .cursorrules .devin .factory .firebender
    firebender.json .gemini .goose .goosehints .iflow .junie .kilocodemodes .kilocoderules* .kimi .kiro .kode
    .lingma .mcpjam .mux .neovate .opencode opencode.json* .openhands .openhands_instructions .pi .pochi .qoder .qwen .roo
    .roomodes .roorules* .rovodev .rules .tabnine .trae .vibe .warp .windsurf .windsurfrules .zencoder`,
  ],
];

/**
 * Default of `backline.protectedFiles`: files that other programs run by themselves or take as orders, when a folder is opened,
 * code is pulled, committed, built or installed, or an agent starts. Source code is not protected, because too many requests
 * would make users approve without reading: SECURITY.md says what that includes. Worktrees in agents' folders contain ordinary
 * code. package.json repeats the globs; a test keeps them equal.
 */
export const protectedDefaults: readonly ProtectedDefault[] = globsByReason.flatMap(([reason, globs]) =>
  globs.split(/\s+/).map((glob) => ({ glob, reason })),
);

/** More specific reasons for files in `.vscode`, by file name in lower case. */
export const protectionReasonByVscodeFile: ReadonlyMap<string, string> = new Map([
  ['tasks.json', 'VS Code runs tasks from this file'],
  ['launch.json', 'VS Code starts programs from this file'],
  ['settings.json', 'VS Code and its extensions read settings from this file, which can name programs to run'],
  ['mcp.json', 'VS Code starts MCP servers from this file'],
]);
