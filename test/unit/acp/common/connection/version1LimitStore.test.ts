import assert from 'node:assert/strict';
import { Version1LimitStore } from '../../../../../src/acp/common/connection/version1LimitStore';
import { MemoryMemento } from '../../../../fake/memoryMemento';

describe('the memory of agents that break on version 2', () => {
  let memento: MemoryMemento;
  const memory = (): Version1LimitStore => new Version1LimitStore(memento, (error) => assert.fail(String(error)));

  beforeEach(() => {
    memento = new MemoryMemento();
  });

  it('keeps each agent by itself, for all windows', () => {
    memory().limitOf('a').limitTo1('1.0.0');
    memory().limitOf('b').limitTo1(undefined);
    assert.deepEqual(
      ['a', 'b', 'c', 'toString'].map((key) => memory().limitOf(key).isLimitedTo1),
      [true, true, false, false],
    );
  });

  it('keeps it as long as the program has the same version', () => {
    for (const version of ['1.0.0', undefined]) {
      memory().limitOf('a').limitTo1(version);
      memory().limitOf('a').recordStart(version);
      assert.equal(memory().limitOf('a').isLimitedTo1, true);
      memory().limitOf('a').recordStart('2.0.0');
      assert.equal(memory().limitOf('a').isLimitedTo1, false);
    }
  });

  it('keeps the newest of many, and survives what is stored wrongly', () => {
    for (let count = 0; count <= 100; count++) memory().limitOf(`agent ${count}`).limitTo1('1');
    assert.deepEqual(
      [memory().limitOf('agent 0').isLimitedTo1, memory().limitOf('agent 100').isLimitedTo1],
      [false, true],
    );
    for (const stored of [null, 'x', { a: 1 }]) {
      for (const name of memento.values.keys()) memento.values.set(name, stored);
      assert.equal(memory().limitOf('a').isLimitedTo1, false);
    }
  });
});
