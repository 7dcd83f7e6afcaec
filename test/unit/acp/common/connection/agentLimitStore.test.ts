import assert from 'node:assert/strict';
import { AgentLimitStore } from '../../../../../src/acp/common/connection/agentLimitStore';
import { MemoryMemento } from '../../../../fake/memoryMemento';

describe('the memory of agents that fail with something', () => {
  let memento: MemoryMemento;
  const deps = () => ({ memento, mementoName: 'limits', onError: (error: unknown) => assert.fail(String(error)) });
  const memory = (): AgentLimitStore => new AgentLimitStore(deps());

  /** The agent fails in as many starts. */
  function fails(key: string, version: string | undefined, count = 2): void {
    for (let start = 0; start < count; start++) memory().limitOf(key).recordFailure(version);
  }

  beforeEach(() => {
    memento = new MemoryMemento();
  });

  it('keeps each agent by itself, for all windows', () => {
    fails('a', '1.0.0');
    fails('b', undefined);
    assert.deepEqual(
      ['a', 'b', 'c', 'toString'].map((key) => memory().limitOf(key).isLimited),
      [true, true, false, false],
    );
  });

  it('does not keep a single failure, which may have other reasons', () => {
    fails('a', '1.0.0', 1);
    assert.equal(memory().limitOf('a').isLimited, false);
    memory().limitOf('a').recordSuccess();
    fails('a', '1.0.0', 1);
    assert.equal(memory().limitOf('a').isLimited, false);
    fails('a', '2.0.0', 1);
    assert.equal(memory().limitOf('a').isLimited, false, 'of another program');
    fails('a', '2.0.0', 1);
    assert.equal(memory().limitOf('a').isLimited, true);
  });

  it('keeps what older versions have stored after one failure', () => {
    memory().limitOf('a').recordFailure('1.0.0');
    for (const name of memento.values.keys()) memento.values.set(name, { a: { version: '1.0.0' } });
    assert.equal(memory().limitOf('a').isLimited, true);
  });

  it('keeps it as long as the program has the same version', () => {
    for (const version of ['1.0.0', undefined]) {
      fails('a', version);
      memory().limitOf('a').recordStart(version);
      assert.equal(memory().limitOf('a').isLimited, true);
      memory().limitOf('a').recordStart('2.0.0');
      assert.equal(memory().limitOf('a').isLimited, false);
    }
  });

  it('keeps the newest of many, and survives what is stored wrongly', () => {
    for (let count = 0; count <= 100; count++) fails(`agent ${count}`, '1');
    assert.deepEqual([memory().limitOf('agent 0').isLimited, memory().limitOf('agent 100').isLimited], [false, true]);
    for (const stored of [null, 'x', { a: 1 }]) {
      for (const name of memento.values.keys()) memento.values.set(name, stored);
      assert.equal(memory().limitOf('a').isLimited, false);
    }
  });
});
