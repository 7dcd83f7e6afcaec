import assert from 'node:assert/strict';
import type { FileState } from '../../../../src/changes/common/checkpoint';
import { orderSteps, RestoreJournal, reverseSteps, findMatchingSide } from '../../../../src/changes/common/restorePlan';
import { oldestQuarter, findOutdated } from '../../../../src/changes/common/retention';

const state = (object: string, kind: FileState['kind'] = 'file'): FileState => ({ kind, object, bytes: 1 });

describe('the steps of a restore', () => {
  const steps = [
    { path: 'a', before: undefined, after: state('1') },
    { path: 'a/b', before: state('1'), after: undefined },
    { path: 'a/b/c', before: state('1'), after: undefined },
  ];

  it('delete first, the deepest before what is above', () => {
    for (const given of [steps, steps.toReversed()])
      assert.deepEqual(
        orderSteps(given).map(({ path }) => path),
        ['a/b/c', 'a/b', 'a'],
      );
  });

  it('are taken back in the order that deletes first', () => {
    const back = reverseSteps(steps);
    assert.deepEqual(
      back.map(({ path }) => path),
      ['a', 'a/b', 'a/b/c'],
    );
    assert.deepEqual(back[0], { path: 'a', before: state('1'), after: undefined });
  });

  it('tell whether a file is before, after or neither', () => {
    const step = { path: 'a', before: state('1'), after: state('1', 'executable') };
    assert.equal(findMatchingSide(step, state('1')), 'before');
    assert.equal(findMatchingSide(step, state('1', 'executable')), 'after');
    assert.equal(findMatchingSide(step, state('2')), 'neither');
    assert.equal(findMatchingSide(step, undefined), 'neither');
  });

  it('stay below the folder', () => {
    const journal = { version: 1, id: 'x', checkpointId: 'c', undoId: 'u', pid: 1, at: 0 };
    const isJournal = (path: string): boolean => RestoreJournal.safeParse({ ...journal, steps: [{ path }] }).success;
    assert.equal(isJournal('a/b'), true);
    for (const path of ['', '/etc', '../a', 'a/../b', 'a//b', './a', 'a\0b'])
      assert.equal(isJournal(path), false, path);
  });
});

describe('what is kept of checkpoints', () => {
  const at = (...times: number[]) => times.map((time) => ({ id: String(time), at: time, label: '' }));

  it('is not too old, and one from the future stays', () => {
    assert.deepEqual(findOutdated(at(1, 5, 99), 10, 5), at(1));
  });

  it('is the newest where there is too much', () => {
    assert.deepEqual(oldestQuarter(at(3, 1, 2, 5, 4)), at(1, 2));
    assert.deepEqual(oldestQuarter(at(7)), at(7));
  });
});
