import assert from 'node:assert/strict';
import { VersionMemory } from '../../../../../src/acp/common/connection/versionMemory';
import { MemoryMemento } from '../../../../fake/memoryMemento';

describe('the memory of agents that break on version 2', () => {
  let memento: MemoryMemento;
  const memory = (): VersionMemory => new VersionMemory(memento, (error) => assert.fail(String(error)));

  beforeEach(() => {
    memento = new MemoryMemento();
  });

  it('keeps each agent by itself, for all windows', () => {
    memory().of('a').limitTo1('1.0.0');
    memory().of('b').limitTo1(undefined);
    assert.deepEqual(
      ['a', 'b', 'c', 'toString'].map((key) => memory().of(key).isLimitedTo1),
      [true, true, false, false],
    );
  });

  it('keeps it as long as the program has the same version', () => {
    for (const version of ['1.0.0', undefined]) {
      memory().of('a').limitTo1(version);
      memory().of('a').recordStart(version);
      assert.equal(memory().of('a').isLimitedTo1, true);
      memory().of('a').recordStart('2.0.0');
      assert.equal(memory().of('a').isLimitedTo1, false);
    }
  });

  it('keeps the newest of many, and survives what is stored wrongly', () => {
    for (let count = 0; count <= 100; count++) memory().of(`agent ${count}`).limitTo1('1');
    assert.deepEqual([memory().of('agent 0').isLimitedTo1, memory().of('agent 100').isLimitedTo1], [false, true]);
    for (const stored of [null, 'x', { a: 1 }]) {
      for (const name of memento.values.keys()) memento.values.set(name, stored);
      assert.equal(memory().of('a').isLimitedTo1, false);
    }
  });
});
