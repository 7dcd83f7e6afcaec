import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
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

  describe('since it is in a folder that Git takes for a Git folder', () => {
    const head = 'ref: refs/heads/main\n';
    const isGit = async (...names: string[]): Promise<boolean> => runsHooks.test((await reasonFor(...names)) ?? '');

    it('is asked for, whatever the folder is called', async () => {
      await put(at('ws', 'lib', 'x', 'HEAD'), head);
      for (const name of ['config', 'hooks/pre-commit', 'info/attributes', 'objects/a', 'worktrees/a/HEAD', 'anything'])
        assert.equal(await isGit('ws', 'lib', 'x', ...name.split('/')), true, name);
      assert.equal(await isGit('ws', 'lib', 'config'), false);
      await put(at('ws', 'lib', 'y', 'HEAD'), 'the head of the list\n');
      assert.equal(await isGit('ws', 'lib', 'y', 'config'), false);
      await mkdir(at('ws', 'lib', 'z'));
      await symlink('refs/heads/main', at('ws', 'lib', 'z', 'HEAD'));
      assert.equal(await isGit('ws', 'lib', 'z', 'config'), true);
    });

    it('is asked for if a .git file names the folder, in or above the workspace, before it is there, too', async () => {
      await put(at('ws', '.git'), 'gitdir: ./.bare\n');
      assert.equal(await isGit('ws', '.bare', 'config'), true);
      await put(at('ws', '.bare', 'HEAD'), head);
      assert.equal(await isGit('ws', '.bare', 'worktrees', 'main', 'commondir'), true);
      await put(at('.git'), 'gitdir: ./ws/store\n');
      assert.equal(await isGit('ws', 'store', 'anything'), true);
      await put(at('ws', 'sub', '.git'), 'gitdir: ../modules/sub\n');
      assert.equal(await isGit('ws', 'modules', 'sub', 'config'), true);
      assert.equal(await isGit('ws', 'modules', 'other'), false);
    });

    it('is asked for in the common folder of a worktree', async () => {
      await put(at('ws', 'tree', '.git'), 'gitdir: ../git/tree\n');
      await put(at('ws', 'git', 'tree', 'commondir'), '../../common\n');
      assert.equal(await isGit('ws', 'common', 'config'), true);
    });

    it('is not asked for as a file of a work tree in the folder, or of a workspace in it', async () => {
      await put(at('HEAD'), head);
      await put(at('ws', '.git'), 'gitdir: ../worktrees/ws\n');
      assert.equal(await isGit('ws', 'src', 'a.ts'), false);
      assert.equal(await isGit('ws', 'README.md'), false);
      await put(at('ws', 'p', 'HEAD'), head);
      await put(at('ws', 'p', 'main', '.git'), 'gitdir: ../worktrees/main\n');
      assert.equal(await isGit('ws', 'p', 'main', 'src', 'a.ts'), false);
      await put(at('ws', 'p', 'hooks', '.git'), '');
      assert.equal(await isGit('ws', 'p', 'hooks', 'pre-commit'), true);
    });

    it('is asked for when it completes a folder that another Git folder could share', async () => {
      await put(at('ws', 'c', 'objects', 'x'));
      await put(at('ws', 'c', 'config'));
      assert.equal(await isGit('ws', 'c', 'refs', 'x'), true);
      await put(at('ws', 'c', 'refs', 'x'));
      for (const names of [['config'], ['hooks', 'pre-commit'], ['objects', 'info', 'alternates']])
        assert.equal(await isGit('ws', 'c', ...names), true, names.join('/'));
      for (const names of [['hooks', 'useHead.ts'], ['a.ts']]) assert.equal(await isGit('ws', 'c', ...names), false);
    });

    it('is asked for when a hook or a configured command leads to it', async () => {
      await put(at('ws', 'scripts', 'check.sh'));
      await mkdir(at('ws', '.git', 'hooks'), { recursive: true });
      assert.equal(await isGit('ws', 'scripts', 'check.sh'), false);
      await symlink('../../scripts/check.sh', at('ws', '.git', 'hooks', 'pre-commit'));
      assert.equal(await isGit('ws', 'scripts', 'check.sh'), true);
      await put(
        at('ws', '.git', 'config'),
        '[filter "x"]\n\tclean = node tools/clean.js %f\n\tsmudge = "sh -c \'./tools/s.sh \"$1\"\'"\n[core]\n\tattributesFile = tools/attributes\n',
      );
      for (const name of ['clean.js', 's.sh', 'attributes']) assert.equal(await isGit('ws', 'tools', name), true, name);
      assert.equal(await isGit('ws', 'tools', 'other.js'), false);
    });

    it('is asked for by its own name where Git alone uses such a name', async () => {
      for (const name of ['commondir', 'GITDIR', 'config.worktree', 'HEAD'])
        assert.equal(await isGit('ws', 'deep', 'in', name), true, name);
    });
  });
});
