import assert from 'node:assert/strict';
import { knownAgents } from '../../../../../src/acp/common/catalogue/knownAgents';
import type { WorkspacePath } from '../../../../../src/editor/common/globRules';
import { defaultProtectedFiles, ProtectedFiles } from '../../../../../src/editor/common/protection/protectedFiles';
import type { TextBeforeAndAfter } from '../../../../../src/editor/common/protection/protection';

function named(relativePath: string, folder = '/home/me/ws'): WorkspacePath {
  return { path: `${folder}/${relativePath}`, relativePath };
}

function protector(...patterns: string[]): (below: string, change?: TextBeforeAndAfter) => string | undefined {
  const files = new ProtectedFiles(patterns);
  return (below, change) => files.protectionOf([named(below)], change)?.reason;
}

describe('protected files out of the box', () => {
  const reasonOf = protector(...defaultProtectedFiles);
  const protectedPaths = [
    '.vscode',
    '.vscode/settings.json',
    '.vscode/extensions.json',
    'packages/web/.vscode/tasks.json',
    'my.code-workspace',
    '.config/Code/User/globalStorage/backline.backline/windows/w.mailbox/x.request.json',
    '.idea/runConfigurations/x.xml',
    '.zed/tasks.json',
    '.git',
    '.git/hooks/pre-commit',
    '.git/config',
    'vendor/lib/.git/hooks/post-checkout',
    '.gitmodules',
    '.gitattributes',
    '.husky/pre-commit',
    '.husky/_/husky.sh',
    '.huskyrc.js',
    '.githooks/pre-push',
    'lefthook.yml',
    '.lefthook.toml',
    '.lefthook/pre-commit/check.sh',
    'lefthook-local.yml',
    '.pre-commit-config.yaml',
    '.pre-commit-config.yml',
    '.overcommit.yml',
    '.lintstagedrc.json',
    'lint-staged.config.mjs',
    '.simple-git-hooks.json',
    'simple-git-hooks.cjs',
    '.envrc',
    'mise.toml',
    'mise.local.toml',
    '.mise.toml',
    '.mise/tasks/build',
    'package.json',
    'packages/web/package.json',
    '.npmrc',
    '.yarnrc',
    '.yarnrc.yml',
    '.yarn/releases/yarn-4.cjs',
    '.pnpmfile.cjs',
    'pnpm-workspace.yaml',
    'bunfig.toml',
    'package-lock.json',
    'npm-shrinkwrap.json',
    'yarn.lock',
    'pnpm-lock.yaml',
    'bun.lock',
    '.cargo/config',
    'crates/a/.cargo/config.toml',
    '.mvn/jvm.config',
    'android/gradle/wrapper/gradle-wrapper.properties',
    'gradlew',
    'mvnw.cmd',
    'rust-toolchain',
    'rust-toolchain.toml',
    '.devcontainer/devcontainer.json',
    '.devcontainer.json',
    '.gitpod.yml',
    '.github/workflows/ci.yml',
    'lib/.github/workflows/ci.yml',
    '.github/actions/setup/action.yml',
    '.gitea/workflows/ci.yml',
    '.gitlab-ci.yml',
    '.circleci/config.yml',
    '.buildkite/pipeline.yml',
    '.travis.yml',
    'azure-pipelines.yml',
    'azure-pipelines-release.yaml',
    'bitbucket-pipelines.yml',
    'Jenkinsfile',
    '.claude/settings.json',
    '.claude/settings.local.json',
    '.claude/hooks/check.sh',
    '.claude/worktrees/fix/.claude/settings.json',
    '.claude/worktrees/fix/.vscode/tasks.json',
    '.codex/config.toml',
    '.cursor/mcp.json',
    '.gemini/settings.json',
    '.qwen/settings.json',
    '.opencode/plugin/x.ts',
    'opencode.json',
    'opencode.jsonc',
    '.amp/plugins/x.ts',
    '.agents/skills/x/SKILL.md',
    '.mcp.json',
    'AGENTS.md',
    'packages/web/AGENTS.md',
    'AGENT.md',
    'CLAUDE.md',
    'CLAUDE.local.md',
    'GEMINI.md',
    '.clinerules',
    '.clinerules/style.md',
    '.cursorrules',
    '.roorules-code',
    '.github/copilot-instructions.md',
    '.github/instructions/x.instructions.md',
    '.github/mcp.json',
    '.augment-guidelines',
    ...`
    .run/app.run.xml .fleet/run.json .vs/tasks.vs.json .nova/tasks/x .helix/languages.toml .theia/tasks.json
    .externalToolBuilders/x.launch app.sublime-project .exrc .vimrc .nvimrc .nvim.lua .lvimrc .dir-locals.el
    src/.dir-locals-2.el .gdbinit .lldbinit .pdbrc .Rprofile .irbrc .pryrc .ghci .hg/hgrc .jj/repo/config.toml .sl/config
    .svn/wc.db .autoenv.zsh .tool-versions api/.tool-versions .venv/bin/python api/venv/bin/activate venv/Scripts/python.exe
    node_modules/.bin/tsc node_modules/typescript/lib/tsserver.js web/node_modules/x/index.js eslint.config.mjs web/.eslintrc.json
    .eslintplugin/x.js prettier.config.cjs .prettierrc .prettierrc.json .stylelintrc.json stylelint.config.js tslint.json
    .oxlintrc.json .markdownlint-cli2.mjs .pylintrc pylintrc .rubocop.yml .solargraph.yml .luarc.json .pnp.cjs .bunfig.toml
    gradlew.bat mvnw .bazelrc ci.bazelrc .bazelversion .buckconfig .idx/dev.nix .replit .drone.yml .cirrus.yml CRUSH.md WARP.md
    .adal/x .agent/rules/x.md .aiassistant/rules/x.md .aider.conf.yml .amazonq/mcp.json .codebuddy/mcp.json .commandcode/x
    .continue/config.yaml .continuerc.json .cortex/x .crush/x crush.json .crush.json .devin/x .factory/mcp.json .firebender/x
    firebender.json .iflow/settings.json .junie/guidelines.md .kilo/mcp.json .kilocode/mcp.json .kilocodemodes .kilocoderules
    .kiro/hooks/x.hook .kode/x .lingma/rules/x.md .mcpjam/x .mux/x .neovate/x .openhands/setup.sh .openhands_instructions
    .pochi/x .qoder/rules/x.md .roo/mcp.json .roomodes .rovodev/x .rules .tabnine/x .trae/rules/x.md .warp/x
    .windsurf/rules/x.md .windsurfrules .zencoder/x`
      .trim()
      .split(/\s+/),
  ];
  /** One or more for each known agent, by its id: from where it takes its configuration in a workspace. */
  const filesOfAgents: Readonly<Record<string, readonly string[]>> = {
    claude: ['.claude/settings.json'],
    codex: ['.codex/config.toml'],
    gemini: ['.gemini/settings.json'],
    opencode: ['.opencode/plugin/x.ts', 'opencode.json'],
    copilot: ['.github/copilot/settings.json', '.github/mcp.json', '.github/hooks/x.json'],
    qwen: ['.qwen/settings.json'],
    cursor: ['.cursor/mcp.json'],
    cline: ['.cline/skills/x/SKILL.md', '.clinerules/hooks/x'],
    auggie: ['.augment/rules/x.md', '.augment/settings.json'],
    goose: ['.goose/recipes/x.yaml', '.goosehints'],
    kimi: ['.kimi/skills/x/SKILL.md'],
    vibe: ['.vibe/config.toml'],
    pi: ['.pi/extensions/x.ts', '.pi/settings.json'],
    kilo: ['.kilo/config.json', '.kilocode/rules/x.md', '.kilocodemodes'],
    'amp-acp': ['.amp/settings.json'],
  };

  for (const path of protectedPaths) {
    it(`protects ${path}, in either case`, () => {
      assert.notEqual(reasonOf(path), undefined);
      assert.notEqual(reasonOf(path.toUpperCase()), undefined);
      assert.notEqual(reasonOf(path.toLowerCase()), undefined);
    });
  }

  for (const { id, title } of knownAgents) {
    it(`protects the configuration of ${title}, which is offered as an agent`, () => {
      const files = filesOfAgents[id] ?? [];
      assert.notDeepEqual(files, []);
      for (const file of files) assert.match(reasonOf(file) ?? '', /^agents read/, file);
    });
  }

  it('has a path for each glob among those', () => {
    const allPaths = [...protectedPaths, ...Object.values(filesOfAgents).flat()];
    const idle = defaultProtectedFiles.filter((glob) => {
      const reasonOfOne = protector(glob);
      return !allPaths.some((path) => reasonOfOne(path) !== undefined);
    });
    assert.deepEqual(idle, []);
  });

  for (const path of [
    'src/a.ts',
    'README.md',
    'docs/agents.md.txt',
    'vscode/settings.json',
    'src/vscode.ts',
    'git/hooks.ts',
    '.gitignore',
    '.github/CODEOWNERS',
    '.github/ISSUE_TEMPLATE/bug.yml',
    'src/workflows/ci.yml',
    'package.json.ts',
    'tsconfig.json',
    'composer.json',
    'Makefile',
    '.claude/worktrees/fix/src/a.ts',
    '.cursor/worktrees/fix/README.md',
    '.kilocode/worktrees/fix/README.md',
    'src/venv/create.py',
    'src/run/a.ts',
    'src/rules.ts',
    'eslint.ts',
    'build.gradle',
    'vite.config.ts',
    'CMakeLists.txt',
    'claude.ts',
    'pi/main.py',
    'src/kimi.ts',
    'rust-toolchain.md',
  ]) {
    it(`lets ${path} be changed`, () => assert.equal(reasonOf(path), undefined));
  }

  it('explains why, as exactly as it can', () => {
    assert.equal(reasonOf('.vscode/tasks.json'), 'VS Code runs tasks from this file');
    assert.equal(reasonOf('a/.VSCode/LAUNCH.json'), 'VS Code starts programs from this file');
    assert.match(reasonOf('.vscode/other.json') ?? '', /VS Code reads settings/);
    assert.match(reasonOf('.github/workflows/ci.yml') ?? '', /^a CI server runs/);
    assert.match(reasonOf('.git/hooks/pre-commit') ?? '', /^Git /);
  });

  it('treats names as equal if a file system may treat them as equal', () => {
    for (const path of [
      '.v\u017fcode/tasks.json',
      '.hus\u212ay/pre-commit',
      '.g\u200cit/hooks/pre-commit',
      '.git./hooks/pre-commit',
      '.vscode /tasks.json',
      '.npmrc...',
      'AGENTS.md ',
      '.\uff47it/config',
      '.aider.\u{1f600}',
      '\u00e9t\u00e9/.vscode/tasks.json',
    ]) {
      assert.notEqual(reasonOf(path), undefined, JSON.stringify(path));
    }
    assert.equal(reasonOf('\u00e9t\u00e9/a.ts'), undefined);
  });

  it('protects a folder that is itself open as the workspace', () => {
    const files = new ProtectedFiles();
    const isProtected = (folder: string, below: string): boolean =>
      files.protectionOf([named(below, folder)]) !== undefined;
    assert.equal(isProtected('/home/me/ws/.vscode', 'tasks.json'), true);
    assert.equal(isProtected('/home/me/ws/.github/workflows', 'ci.yml'), true);
    assert.equal(isProtected('/home/me/ws/.github', 'workflows/ci.yml'), true);
    assert.equal(isProtected('/home/me/.claude/worktrees/fix', 'src/a.ts'), false);
    assert.equal(isProtected('/home/me/.cursor/worktrees/ws/fix', 'src/a.ts'), false);
    assert.equal(isProtected('/home/me/ws', 'a.ts'), false);
    assert.equal(isProtected('c:\\ws', 'a.ts'), false);
  });

  it('treats backslashes of Windows as separators', () => {
    const files = new ProtectedFiles();
    const name = { path: 'c:\\ws\\packages\\.vscode\\tasks.json', relativePath: 'packages\\.vscode\\tasks.json' };
    assert.equal(files.protectionOf([name])?.reason, 'VS Code runs tasks from this file');
  });

  it('protects a file when any of its names is protected', () => {
    const files = new ProtectedFiles();
    assert.notEqual(files.protectionOf([named('notes.txt'), named('.vscode/tasks.json')]), undefined);
    assert.notEqual(files.protectionOf([named('.vscode/tasks.json'), named('notes.txt')]), undefined);
  });
});

describe('protected files of the settings', () => {
  it('are those of the list and no others', () => {
    const reasonOf = protector('ops', 'deploy/*.sh');
    assert.match(reasonOf('a/ops/run.py') ?? '', /matches “ops” in backline\.protectedFiles/);
    assert.notEqual(reasonOf('deploy/go.sh'), undefined);
    assert.equal(reasonOf('a/deploy/go.sh'), undefined);
    assert.equal(reasonOf('.vscode/tasks.json'), undefined);
  });

  it('have exceptions, and the last glob that matches decides', () => {
    const reasonOf = protector('AGENTS.md', '!docs/AGENTS.md', '**/x');
    assert.notEqual(reasonOf('AGENTS.md'), undefined);
    assert.equal(reasonOf('docs/AGENTS.md'), undefined);
    assert.notEqual(reasonOf('a/x'), undefined);
  });

  it('skip and report invalid globs', () => {
    const files = new ProtectedFiles(['', '[b-a]', '.vscode']);
    assert.deepEqual(
      files.invalidPatterns.map(({ pattern }) => pattern),
      ['', '[b-a]'],
    );
    assert.notEqual(files.protectionOf([named('.vscode/tasks.json')]), undefined);
  });
});

describe('a file named HEAD', () => {
  const reasonOf = protector(...defaultProtectedFiles);
  const isAsked = (name: string, after: string | undefined): boolean =>
    reasonOf(name, { before: undefined, after }) !== undefined;

  it('needs approval if Git would accept it as that of a Git folder, in any folder and spelling', () => {
    for (const name of ['HEAD', 'lib/x/HEAD', 'lib/head', 'lib/HEAD.', 'lib/H\u200cEAD']) {
      for (const text of ['ref: refs/heads/main\n', 'ref:\trefs/x', `${'0a'.repeat(20)}\n`, 'A'.repeat(64)])
        assert.equal(isAsked(name, text), true, JSON.stringify([name, text]));
      assert.equal(isAsked(name, undefined), true);
      assert.equal(reasonOf(name) !== undefined, true);
      for (const text of ['', 'the head\n', 'reference\n', '0a0a\n']) assert.equal(isAsked(name, text), false, text);
    }
  });

  it('is not a folder with this name', () => assert.equal(reasonOf('src/head/a.ts'), undefined));
});

describe('a protected package.json', () => {
  const reasonOf = protector(...defaultProtectedFiles);
  const isAsked = (before: string | undefined, after: string | undefined): boolean =>
    reasonOf('packages/web/package.json', { before, after }) !== undefined;
  const json = (value: object): string => JSON.stringify(value, undefined, 2);
  const base = { name: 'a', version: '1.0.0', scripts: { test: 'mocha' }, dependencies: { zod: '^4' } };

  it('needs approval if the change is unknown', () => assert.notEqual(reasonOf('package.json'), undefined));

  for (const [what, member] of Object.entries({
    'a script': { scripts: { test: 'mocha', postinstall: 'sh x' } },
    'a script that changes': { scripts: { test: 'sh x' } },
    'the scripts in another order': { dependencies: { zod: '^4', a: '1' } },
    bin: { bin: { a: 'x.js' } },
    config: { config: { commitizen: { path: 'x' } } },
    'a dependency': { dependencies: { zod: 'git+https://example.com/x' } },
    devDependencies: { devDependencies: { x: '1' } },
    optionalDependencies: { optionalDependencies: { x: '1' } },
    overrides: { overrides: { zod: '1' } },
    workspaces: { workspaces: ['x'] },
    packageManager: { packageManager: 'yarn@1' },
    publishConfig: { publishConfig: { registry: 'http://x' } },
    husky: { husky: { hooks: { 'pre-commit': 'x' } } },
    'lint-staged': { 'lint-staged': { '*': 'x' } },
    'simple-git-hooks': { 'simple-git-hooks': { 'pre-commit': 'x' } },
    gypfile: { gypfile: true },
    pnpm: { pnpm: { onlyBuiltDependencies: ['x'] } },
    'a tool that nobody knows': { wireit: { build: { command: 'x' } } },
  })) {
    it(`is asked for with ${what}, there or gone`, () => {
      assert.equal(isAsked(json(base), json({ ...base, ...member })), true);
      assert.equal(isAsked(json({ ...base, ...member }), json(base)), true);
    });
  }

  it('needs approval if its scripts or the file itself are removed', () => {
    assert.equal(isAsked(json(base), json({ name: 'a' })), true);
    assert.equal(isAsked(json(base), undefined), true);
  });

  it('needs no approval if nothing that runs changes', () => {
    assert.equal(isAsked(json(base), json({ ...base, version: '2.0.0', description: 'b', keywords: ['c'] })), false);
    assert.equal(isAsked(json(base), JSON.stringify({ ...base, main: 'x.js', exports: {} })), false);
    assert.equal(isAsked(json(base), `\ufeff${json(base)}\n`), false);
    assert.equal(isAsked(json(base), json(base).replaceAll('\n', '\r\n')), false);
    assert.equal(isAsked(undefined, json({ name: 'a', version: '1.0.0', private: true })), false);
  });

  it('needs approval as a new file that runs something', () => assert.equal(isAsked(undefined, json(base)), true));

  it('needs approval if it is invalid before or after the change', () => {
    for (const broken of [
      '',
      '{',
      '[]',
      'null',
      '1',
      '{"name":"a",}',
      '// a\n{}',
      '\ufeff\ufeff{}',
      '{"name":\u00a01}',
    ]) {
      assert.equal(isAsked(json(base), broken), true, broken);
      assert.equal(isAsked(broken, json({ name: 'a' })), true, broken);
    }
  });

  it('needs approval if it has a duplicate key in any spelling', () => {
    for (const twice of [
      '{"scripts":{"x":"evil"},"name":"a","version":"1.0.0","scripts":{"test":"mocha"},"dependencies":{"zod":"^4"}}',
      '{"name":"a","scripts":{"test":"x","t\\u0065st":"mocha"},"dependencies":{"zod":"^4"}}',
      '{"name":"a","name" : "b","scripts":{"test":"mocha"},"dependencies":{"zod":"^4"}}',
    ]) {
      assert.equal(isAsked(json(base), twice), true, twice);
    }
    const values = { name: 'name', keywords: ['name', 'name'], author: { name: '{"name": "name"' } };
    assert.equal(isAsked('{}', json(values)), false);
  });

  it('needs approval if it has a member named __proto__', () => {
    assert.equal(isAsked('{"name":"a"}', '{"name":"a","__proto__":{"scripts":{"test":"x"}}}'), true);
  });

  it('needs approval if it is very large or deeply nested, and is checked quickly', () => {
    assert.equal(isAsked('{}', json({ description: 'x'.repeat(1024 * 1024) })), true);
    const deep = `{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
    assert.equal(isAsked('{}', deep), true);
    assert.equal(isAsked('{}', json({ description: 'x'.repeat(1000 * 1000) })), false);
  });

  it('always needs approval if another glob of the user matches it', () => {
    const always = protector(...defaultProtectedFiles, '**/package.json');
    assert.notEqual(always('package.json', { before: '{"name":"a"}', after: '{"name":"b"}' }), undefined);
  });
});
