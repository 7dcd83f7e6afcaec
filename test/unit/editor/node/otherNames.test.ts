import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { link, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { ExcludeList } from '../../../../src/editor/common/excludeList';
import { ProtectedFiles } from '../../../../src/editor/common/protection/protectedFiles';
import { PathGuard } from '../../../../src/editor/node/pathGuard';

describe('a file that is protected by another name', () => {
  let root: string;
  let folders: string[];
  const at = (...names: string[]): string => path.join(root, ...names);
  const put = async (file: string, text = ''): Promise<void> => {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
  };
  const reasonFor = async (...names: string[]): Promise<string | undefined> => {
    const guard = new PathGuard({
      folders: () => folders,
      exclude: () => new ExcludeList([]),
      isWindows: false,
      gitHome: at('home'),
    });
    const { names: all } = await guard.checkForWrite(at(...names));
    return new ProtectedFiles().protectionOf(all)?.reason;
  };
  const runsHooks = /Git .* runs hooks/;

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-names-')));
    await mkdir(at('home'));
    await put(at('ws', 'src', 'a.ts'));
    folders = [at('ws')];
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  describe('since Git runs hooks from its folder', () => {
    const hooksPath = (value: string): string => `[core]\n\thooksPath = ${value}\n`;

    it('is asked for, also before it is there, and files beside the folder are not', async () => {
      await put(at('ws', '.git', 'config'), hooksPath('tools/hooks'));
      assert.match((await reasonFor('ws', 'tools', 'hooks', 'pre-commit')) ?? '', runsHooks);
      assert.match((await reasonFor('ws', 'tools', 'hooks', 'lib', 'a.sh')) ?? '', runsHooks);
      assert.equal(await reasonFor('ws', 'tools', 'a.sh'), undefined);
      assert.equal(await reasonFor('ws', 'tools', 'hooks2', 'pre-commit'), undefined);
    });

    it('is found by the real place of the folder', async () => {
      await put(at('ws', '.git', 'config'), hooksPath('linked'));
      await put(at('ws', 'tools', 'pre-commit'));
      await symlink(at('ws', 'tools'), at('ws', 'linked'));
      assert.match((await reasonFor('ws', 'tools', 'pre-commit')) ?? '', runsHooks);
    });

    for (const [title, file, text] of [
      ['the user’s configuration', ['home', '.gitconfig'], hooksPath('hooks')],
      ['the user’s configuration in its own folder', ['home', '.config', 'git', 'config'], hooksPath('hooks')],
      ['a home folder', ['ws', '.git', 'config'], hooksPath('~/../ws/hooks')],
      ['an included file', ['ws', '.git', 'config'], '[include]\n path = ../more'],
      ['a file that is included on a condition', ['ws', '.git', 'config'], '[includeIf "onbranch:x"]\n path = ../more'],
      ['the configuration of a worktree', ['ws', '.git', 'config.worktree'], hooksPath('hooks')],
    ] as const) {
      it(`is named by ${title}`, async () => {
        await put(at('ws', '.git', 'HEAD'));
        await put(at('ws', 'more'), hooksPath('hooks'));
        await put(at(...file), text);
        assert.match((await reasonFor('ws', 'hooks', 'pre-commit')) ?? '', runsHooks);
      });
    }

    it('is named by the repository around the workspace folder, and by the one that a worktree belongs to', async () => {
      await put(at('.git', 'config'), hooksPath('ws/hooks'));
      assert.match((await reasonFor('ws', 'hooks', 'pre-push')) ?? '', runsHooks);
      await put(at('.git', 'config'));
      await put(at('main', '.git', 'config'), hooksPath('githooks'));
      await put(at('main', '.git', 'worktrees', 'ws', 'commondir'), '../..\n');
      await put(at('ws', '.git'), `gitdir: ${at('main', '.git', 'worktrees', 'ws')}\n`);
      assert.match((await reasonFor('ws', 'githooks', 'pre-push')) ?? '', runsHooks);
    });

    it('is also a file that the configuration includes, before it is there, too', async () => {
      await put(at('ws', '.git', 'config'), '[include]\n path = ../.gitconfig');
      assert.notEqual(await reasonFor('ws', '.gitconfig'), undefined);
      await put(at('ws', '.gitconfig'), '[include]\n path = tools/more');
      assert.notEqual(await reasonFor('ws', '.gitconfig'), undefined);
      assert.notEqual(await reasonFor('ws', 'tools', 'more'), undefined);
      assert.equal(await reasonFor('ws', 'tools', 'a'), undefined);
    });

    it('is only what Git would run where the folder is the whole workspace', async () => {
      await put(at('ws', '.git', 'config'), hooksPath('.'));
      assert.match((await reasonFor('ws', 'pre-commit')) ?? '', runsHooks);
      assert.equal(await reasonFor('ws', 'src', 'a.ts'), undefined);
    });

    it('is found without waiting for, or running, what a hostile configuration names', async () => {
      await promisify(execFile)('mkfifo', [at('ws', 'pipe')]);
      const ran = at('ran');
      await put(
        at('ws', '.git', 'config'),
        [
          '[include]\n path = ../pipe\n path = /dev/zero\n path = //evil.example/share\n path = config',
          `[core]\n fsmonitor = touch ${ran}\n sshCommand = touch ${ran}\n hooksPath = hooks`,
        ].join('\n'),
      );
      await put(at('ws', 'hooks', 'pre-commit'), `#!/bin/sh\ntouch ${ran}\n`);
      assert.match((await reasonFor('ws', 'hooks', 'pre-commit')) ?? '', runsHooks);
      await assert.rejects(realpath(ran), { code: 'ENOENT' });
    });
  });

  describe('by a hard link', () => {
    for (const names of [['.vscode', 'tasks.json'], ['package.json'], ['.git', 'hooks', 'pre-commit']] as const) {
      it(`is asked for: ${names.join('/')}`, async () => {
        const other = names.at(-1) === 'package.json' ? 'a.json' : 'other.txt';
        await put(at('ws', ...names), '{}');
        await link(at('ws', ...names), at('ws', 'src', other));
        assert.ok(await reasonFor('ws', 'src', other));
      });
    }

    it('is not where no other name is protected', async () => {
      await put(at('ws', 'README.txt'));
      await link(at('ws', 'README.txt'), at('ws', 'src', 'b.txt'));
      assert.equal(await reasonFor('ws', 'src', 'b.txt'), undefined);
    });
  });
});
