import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { listWorktrees } from '../../../../../src/threads/node/workspace/worktrees';

describe('the worktrees of a folder', () => {
  let root: string;
  const at = (...names: string[]): string => path.join(root, ...names);

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-worktrees-')));
    await mkdir(at('main', '.git', 'worktrees', 'other'), { recursive: true });
    await mkdir(at('tree'));
    await writeFile(at('main', '.git', 'HEAD'), 'ref: refs/heads/main\n');
    await writeFile(at('main', '.git', 'worktrees', 'other', 'commondir'), '../..\n');
    await writeFile(at('main', '.git', 'worktrees', 'other', 'gitdir'), `${at('tree', '.git')}\n`);
    await writeFile(at('tree', '.git'), `gitdir: ${at('main', '.git', 'worktrees', 'other')}\n`);
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('are found from the repository and from each of them', async () => {
    assert.deepEqual(await listWorktrees(at('main')), [at('main'), at('tree')]);
    assert.deepEqual(await listWorktrees(at('tree')), [at('tree'), at('main')]);
  });

  // Here `//tmp` is `/tmp`; on Windows it is another machine.
  it('are not looked for on another machine', async () => {
    await writeFile(at('tree', '.git'), `gitdir: /${at('main', '.git', 'worktrees', 'other')}\n`);
    assert.deepEqual(await listWorktrees(at('tree')), [at('tree')]);
    await writeFile(at('main', '.git', 'worktrees', 'other', 'gitdir'), `/${at('tree', '.git')}\n`);
    assert.deepEqual(await listWorktrees(at('main')), [at('main')]);
  });
});
