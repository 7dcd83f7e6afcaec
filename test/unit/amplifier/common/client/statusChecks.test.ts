import assert from 'node:assert/strict';
import { SessionWorld } from './sessionWorld';

describe('holding a session against its status', () => {
  let world: SessionWorld;

  beforeEach(() => {
    world = new SessionWorld({ limits: { heartbeatMs: 1000, settleMs: 100 } });
    world.call((call) => ({ kind: 'start', call }));
    world.begin();
  });

  const check = (): void => world.send({ kind: 'lostApproval' });
  const answer = (status: string): void => world.answerStatus('check', status);
  const asked = (): number => world.made('askStatus').filter(({ purpose }) => purpose.kind === 'check').length;
  const hear = (): void => world.say('plan:update', { entries: [] });
  const isInterrupted = (): boolean =>
    world.all('prompt:complete').some(({ data }) => data.stop_reason === 'interrupted');

  it('ignores a status if an event arrived during its request', () => {
    check();
    hear();
    answer('stopped');
    assert.equal(world.state.life, 'open');
  });

  it('repeats such a status request a few times', () => {
    world.say('prompt:complete', { response: '' });
    check();
    for (const expected of [1, 2, 3, 4, 4]) {
      assert.equal(asked(), expected);
      if (world.asked('askStatus').length === 0) break;
      hear();
      answer('processing');
      world.advance(100);
    }
    assert.equal(world.state.turn.kind, 'none');
    check();
    answer('processing');
    assert.equal(world.state.turn.kind, 'open');
  });

  it('interrupts the turn of an idle server once no event came in the time to settle', () => {
    check();
    answer('idle');
    world.advance(99);
    assert.equal(isInterrupted(), false);
    world.advance(1);
    assert.equal(isInterrupted(), true);
  });

  it('does not when one came', () => {
    check();
    answer('idle');
    hear();
    world.advance(100);
    assert.equal(isInterrupted(), false);
  });

  it('looks after an open turn that is without events, and after no other', () => {
    world.advance(1000);
    assert.equal(asked(), 0, 'it has had events');
    world.advance(1000);
    assert.equal(asked(), 1);
    answer('processing');
    world.say('prompt:complete', { response: '' });
    world.advance(5000);
    assert.equal(asked(), 1);
  });

  it('asks again when it was told to while it asked', () => {
    check();
    check();
    check();
    assert.equal(asked(), 1);
    answer('processing');
    assert.equal(asked(), 2);
    answer('processing');
    assert.equal(asked(), 2);
  });

  it('leaves no timer and emits nothing after the end of the session', () => {
    check();
    world.say('session:end', {});
    const { length } = world.told;
    answer('idle');
    assert.equal(world.told.length, length);
    assert.deepEqual([...world.timers.keys()], []);
  });
});

describe('a request that is shown and told once more', () => {
  let world: SessionWorld;
  const request = { approval_id: 'a', prompt: 'p', options: ['Allow', 'Deny'] };

  beforeEach(() => {
    world = new SessionWorld();
    tell();
  });

  const tell = (): void => world.say('approval:required', request);
  const status = (pending: unknown = request): void =>
    world.answerStatus('check', 'processing', { pending_approval: pending });
  const look = (): void => world.send({ kind: 'lostApproval' });
  const superseded = (): number =>
    world.all('approval:denied').filter(({ data }) => data.reason === 'unanswerable').length;
  const shown = (): number => world.all('approval:required').length;

  it('is the same right after a connection was made', () => {
    world.connect();
    world.advance(249);
    tell();
    assert.equal(superseded(), 0);
    assert.equal(shown(), 1);
  });

  it('is the same right after the status that is asked for then, however late that comes', () => {
    world.connect();
    world.advance(5000);
    status();
    world.advance(249);
    tell();
    assert.equal(superseded(), 0);
    assert.equal(shown(), 1);
  });

  it('is another one after that, and stops the turn', () => {
    world.connect();
    status();
    world.advance(250);
    tell();
    assert.equal(superseded(), 1);
    assert.equal(world.state.ending?.isCancel, true);
  });

  it('is another one after any other status', () => {
    world.connect();
    status();
    world.advance(250);
    look();
    status();
    tell();
    assert.equal(superseded(), 1);
  });

  it('is another one when nothing was shown as the connection was made', () => {
    world.connect();
    status(null);
    world.advance(1000);
    tell();
    look();
    status();
    tell();
    assert.equal(superseded(), 1);
  });
});
