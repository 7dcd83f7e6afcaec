import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { gitMoveLabel, gitMoveText, isMoved } from '../../../../../src/changes/common/gitHead';
import type { CheckpointStore } from '../../../../../src/changes/node/checkpointStore';
import { taken, TestWorkspace } from '../../support/workspace';

describe('What has happened in Git since a checkpoint', () => {
  let workspace: TestWorkspace;
  let store: CheckpointStore;
  beforeEach(async () => {
    workspace = new TestWorkspace();
    workspace.write({ 'a.txt': 'one\n' });
    workspace.commitAll();
    workspace.git('branch', 'other');
    workspace.write({ 'a.txt': 'two\n' });
    workspace.git('commit', '-qam', 'second');
    store = await workspace.open();
  });
  afterEach(() => workspace.dispose());

  async function textAfter(work: () => void, text: typeof gitMoveText = gitMoveText): Promise<string | undefined> {
    const { id } = await taken(store);
    work();
    const move = await store.gitMove(id);
    return move && isMoved(move) ? text(move) : undefined;
  }

  const short = (ref: string): string => workspace.git('rev-parse', ref).slice(0, 8);

  it('is nothing if only files have changed', async () => {
    assert.equal(await textAfter(() => workspace.write({ 'a.txt': 'three\n', 'b.txt': 'b\n' })), undefined);
  });

  it('is another branch, with the way back', async () => {
    assert.equal(
      await textAfter(() => workspace.git('switch', '-q', 'other')),
      'Git was switched from main to other. Git’s state is not restored. To go back, first run “git switch main”: otherwise the files of main are written onto other.',
    );
  });

  it('is a detached HEAD, and back from one', async () => {
    assert.equal(
      await textAfter(() => workspace.git('checkout', '-q', '--detach'), gitMoveLabel),
      `Git was switched from main to ${short('main')}. Git’s state is not restored.`,
    );
    assert.match(
      (await textAfter(() => workspace.git('switch', '-q', 'other'))) ?? '',
      new RegExp(`from ${short('main')} to other.*“git switch --detach ${short('main')}”`),
    );
  });

  it('is a commit on the same branch', async () => {
    assert.match(
      (await textAfter(() => workspace.git('commit', '-q', '--allow-empty', '-m', 'third'))) ?? '',
      /^The commit of main has changed\. Git’s state is not restored\..*git reflog/,
    );
  });

  it('is a stash', async () => {
    workspace.write({ 'a.txt': 'three\n' });
    assert.match(
      (await textAfter(() => workspace.git('stash', '-q'))) ?? '',
      /^The stash has changed\. Git’s state is not restored\..*git stash list/,
    );
  });

  it('is a rebase that has stopped, and one that was finished', async () => {
    workspace.git('switch', '-q', 'other');
    workspace.write({ 'a.txt': 'other\n' });
    workspace.git('commit', '-qam', 'conflict');
    assert.match(
      (await textAfter(() => assert.throws(() => workspace.git('rebase', '-q', 'main')))) ?? '',
      /a rebase is not finished\. .*“git rebase --abort”/,
    );
    assert.match((await textAfter(() => workspace.git('rebase', '--abort'))) ?? '', /Git’s state is not restored/);
  });

  it('is read from packed refs, in a linked work tree and before the first commit', async () => {
    workspace.git('pack-refs', '--all');
    assert.match(
      (await textAfter(() => workspace.git('commit', '-q', '--allow-empty', '-m', 'third'))) ?? '',
      /commit of main/,
    );
    workspace.git('worktree', 'add', '-q', '../linked', 'other');
    const linked = await workspace.open({ folder: `${workspace.root}/linked`, storage: `${workspace.root}/storage-2` });
    const { id, git } = await taken(linked);
    assert.equal(git?.branch, 'other');
    workspace.git('-C', '../linked', 'switch', '-q', '-c', 'third');
    assert.equal((await linked.gitMove(id))?.now.branch, 'third');
    workspace.git('-C', workspace.root, 'init', '-q', '-b', 'main', 'empty');
    const empty = await workspace.open({ folder: `${workspace.root}/empty`, storage: `${workspace.root}/storage-3` });
    const start = await taken(empty);
    assert.deepEqual([start.git?.branch, start.git?.commit], ['main', undefined]);
    workspace.git('-C', '../empty', 'commit', '-q', '--allow-empty', '-m', 'first');
    assert.equal(Boolean((await empty.gitMove(start.id))?.now.commit), true);
  });

  it('agrees with Git after any commands', async () => {
    const commands = {
      other: () => workspace.git('switch', '-q', '--discard-changes', 'other'),
      main: () => workspace.git('switch', '-q', '--discard-changes', 'main'),
      detach: () => workspace.git('checkout', '-q', '-f', '--detach'),
      commit: () => workspace.git('commit', '-q', '--allow-empty', '-m', 'more'),
      reset: () => workspace.git('reset', '-q', '--hard', 'main'),
      stash: () => {
        workspace.write({ 'a.txt': `${Math.random()}\n` });
        workspace.git('stash', '-q');
      },
      gc: () => workspace.git('pack-refs', '--all'),
    };
    const stateNow = (): string[] => [
      workspace.git('rev-parse', '--abbrev-ref', 'HEAD'),
      workspace.git('rev-parse', 'HEAD'),
      workspace.git('stash', 'list', '--format=%H', '-1'),
    ];
    const names = Object.keys(commands) as (keyof typeof commands)[];
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...names), { maxLength: 5 }), async (steps) => {
        const before = stateNow();
        const text = await textAfter(() => {
          for (const step of steps) commands[step]();
        });
        assert.equal(text !== undefined, before.join() !== stateNow().join());
      }),
      { numRuns: 15 },
    );
  });
});
