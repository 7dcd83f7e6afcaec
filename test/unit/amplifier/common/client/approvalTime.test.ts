import assert from 'node:assert/strict';
import { SessionStatus } from '../../../../../src/amplifier/common/api/apiSchema';
import { approvalAgeMs, secondsToAnswer } from '../../../../../src/amplifier/common/client/approvalTime';
import { SessionWorld } from './sessionWorld';

describe('the time to answer', () => {
  for (const [timeout, ageMs, expected] of [
    [300, 0, 285],
    [undefined, 0, 285],
    [30, 0, 27],
    [5, 0, 4],
    [300, 60_000, 225],
    [300, 60_049, 224.9],
    [300, 290_000, 0],
    [300, 3_600_000, 0],
    [300, undefined, 10],
    [8, undefined, 7],
    [0, 0, 0],
    [-1, undefined, 0],
  ] as const) {
    it(`of ${timeout ?? 'no'} seconds, ${ageMs ?? 'nobody knows how many'} ms ago, is ${expected} s`, () => {
      assert.equal(secondsToAnswer(timeout, ageMs), expected);
    });
  }
});

describe('the age of a request', () => {
  let world: SessionWorld;

  beforeEach(() => {
    world = new SessionWorld();
  });

  const age = (timestamp?: string): number | undefined => {
    const at = { nowMs: 0, timeMs: world.timeMs };
    return approvalAgeMs({ state: world.state, at, events: [], effects: [] }, timestamp);
  };
  const heard = (): void => world.send({ kind: 'activity' });
  /** The server had nothing to ask at that time. */
  const noneBefore = (timeMs: number): void => {
    const status = SessionStatus.parse({ session_id: 's', status: 'idle' });
    world.send({ kind: 'resume', status, askedAtMs: timeMs });
  };
  const isoAt = (ms: number): string => new Date(ms).toISOString();

  it('is unknown without any times', () => assert.equal(age(), undefined));

  it('is that of its own time, unless that lies ahead', () => {
    assert.equal(age(isoAt(world.timeMs - 70_000)), 70_000);
    assert.equal(age(isoAt(world.timeMs + 500)), 0);
    assert.equal(age(isoAt(world.timeMs + 60_000)), undefined);
    assert.equal(age('no time'), undefined);
  });

  it('is at most the time since nothing waited', () => {
    noneBefore(world.timeMs);
    world.advance(5000);
    assert.equal(age(), 5000);
    noneBefore(world.timeMs - 9000);
    assert.equal(age(), 5000);
    assert.equal(age(isoAt(world.timeMs - 1000)), 1000);
  });

  it('is at most the time since the stream was read to its end', () => {
    heard();
    world.advance(10_000);
    heard();
    assert.equal(age(), 10_000, 'what comes with the last piece was said after the one before');
  });

  it('is not shortened by what came in the same rush', () => {
    noneBefore(world.timeMs);
    world.advance(120_000);
    for (let n = 0; n < 20; n++) {
      heard();
      world.advance(100);
    }
    assert.equal(age(), 122_000);
  });

  it('is not shortened by what came before sleep and was not read to its end', () => {
    noneBefore(world.timeMs);
    world.advance(1000);
    heard();
    world.jumpedMs = 3_600_000;
    world.advance(250);
    assert.equal(age(), 3_601_250);
  });
});
