import assert from 'node:assert/strict';
import { IdleConnectionDetector } from '../../../../../src/acp/node/serve/idleConnectionDetector';
import { FakeClock } from '../../../../fake/fakeClock';

describe('IdleConnectionDetector', () => {
  it('reports a connection that nothing uses, once, and not before the time is over', () => {
    const clock = new FakeClock();
    const idle: string[] = [];
    const connections = new IdleConnectionDetector(clock, 100, (id) => idle.push(id));
    const one = connections.use('a');
    const two = connections.use('a');
    one.dispose();
    one.dispose();
    clock.advance(1000);
    assert.deepEqual(idle, []);
    two.dispose();
    clock.advance(99);
    const again = connections.use('a');
    clock.advance(1000);
    again.dispose();
    clock.advance(99);
    assert.deepEqual(idle, []);
    clock.advance(1);
    assert.deepEqual(idle, ['a']);
    clock.advance(1000);
    assert.deepEqual(idle, ['a']);
  });

  it('forgets connections that were removed, and all when it is disposed', () => {
    const clock = new FakeClock();
    const idle: string[] = [];
    const connections = new IdleConnectionDetector(clock, 100, (id) => idle.push(id));
    connections.use('a').dispose();
    connections.use('b').dispose();
    connections.remove('a');
    connections.dispose();
    clock.advance(1000);
    assert.deepEqual(idle, []);
  });
});
