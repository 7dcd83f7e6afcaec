import assert from 'node:assert/strict';
import { SessionWorld } from './sessionWorld';

describe('stopping a prompt that a server is taking', () => {
  const ending = ({ state }: SessionWorld) => state.ending;

  for (const [what, cancelTimeoutMs, waitMs] of [
    ['as long as a prompt is waited for', 20_000, 5000],
    ['all the time that there is', 100, 100],
  ] as const) {
    it(`stops its turn once it is there, though that takes longer than ${what}`, () => {
      const world = new SessionWorld({ limits: { cancelTimeoutMs, cancelGraceMs: 10 } });
      world.post();
      world.call((call) => ({ kind: 'cancel', call }));
      world.advance(waitMs);
      assert.notEqual(ending(world)?.stage, 'prompt');
      const tries = world.made('sendStop').length;
      world.advance(20_000);
      for (const { way } of world.asked('sendStop')) world.send({ kind: 'stopSent', way, error: new Error('no') });
      if (world.asked('askStatus').length > 0) world.answerStatus('stop', 'idle');
      assert.equal(ending(world), undefined);
      world.take();
      assert.equal(ending(world)?.isCancel, true);
      assert.ok(world.made('sendStop').length > tries);
    });
  }

  it('does not send a prompt that was not sent yet', () => {
    const world = new SessionWorld();
    const prompt = world.call((call) => ({ kind: 'prompt', call, prompt: { text: 'go' } }));
    const cancel = world.call((call) => ({ kind: 'cancel', call }));
    assert.match(String(world.settled.get(prompt)), /canceled before it was sent/u);
    assert.ok(world.settled.has(cancel));
    assert.equal(world.made('post').length, 0);
  });
});
