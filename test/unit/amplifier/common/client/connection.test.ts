import assert from 'node:assert/strict';
import { SessionWorld } from './sessionWorld';

describe('the grace of a turn without a connection', () => {
  let world: SessionWorld;

  beforeEach(() => {
    world = new SessionWorld({ limits: { reconnectGraceMs: 1000, heartbeatMs: 1e6 } });
    world.begin();
  });

  const lose = (): void => world.send({ kind: 'reconnecting', attempt: 1, delayMs: 10 });
  const isOver = (): boolean => world.all('prompt:complete').length > 0;

  it('is over in its time', () => {
    lose();
    world.advance(999);
    assert.equal(isOver(), false);
    world.advance(1);
    assert.equal(isOver(), true);
    assert.equal(world.all('prompt:complete')[0]?.data.stop_reason, 'interrupted');
  });

  it('does not begin anew with connections that do not last', () => {
    lose();
    for (let count = 0; count < 4; count++) {
      world.advance(240);
      world.connect();
      world.advance(1);
      lose();
    }
    world.advance(40);
    assert.equal(isOver(), true);
  });

  it('ends no turn that has a connection, and restarts after it', () => {
    lose();
    world.advance(990);
    world.connect();
    world.advance(500);
    assert.equal(isOver(), false);
    lose();
    world.advance(999);
    assert.equal(isOver(), false);
    world.advance(1);
    assert.equal(isOver(), true);
  });

  it('leaves no timer once a connection has lasted', () => {
    lose();
    world.connect();
    world.send({ kind: 'lasting' });
    assert.equal(world.timers.has('grace'), false);
  });
});
