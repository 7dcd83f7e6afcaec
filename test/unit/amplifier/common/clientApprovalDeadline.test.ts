import assert from 'node:assert/strict';
import { ApprovalAge, secondsToAnswer } from '../../../../src/amplifier/common/approvalDeadline';
import { FakeClock } from '../../../fake/fakeClock';

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
  let clock: FakeClock;
  let age: ApprovalAge;

  beforeEach(() => {
    clock = new FakeClock();
    clock.advance(1_000_000);
    age = new ApprovalAge(clock);
  });
  afterEach(() => {
    age.dispose();
    assert.equal(clock.pending, 0);
  });

  const isoAt = (ms: number): string => new Date(ms).toISOString();

  it('is not known when nothing is', () => assert.equal(age.ofRequest(undefined), undefined));

  it('is that of its own time, unless that lies ahead', () => {
    assert.equal(age.ofRequest(isoAt(clock.now() - 70_000)), 70_000);
    assert.equal(age.ofRequest(isoAt(clock.now() + 500)), 0);
    assert.equal(age.ofRequest(isoAt(clock.now() + 60_000)), undefined);
    assert.equal(age.ofRequest('no time'), undefined);
  });

  it('is at most the time since nothing waited', () => {
    age.noneBefore(clock.now());
    clock.advance(5000);
    assert.equal(age.ofRequest(undefined), 5000);
    age.noneBefore(clock.now() - 9000);
    assert.equal(age.ofRequest(undefined), 5000);
    assert.equal(age.ofRequest(isoAt(clock.now() - 1000)), 1000);
  });

  it('is at most the time since the stream was read to its end', () => {
    age.heard();
    clock.advance(10_000);
    age.heard();
    assert.equal(age.ofRequest(undefined), 10_000, 'what comes with the last piece was said after the one before');
  });

  it('is not shortened by what came in the same rush', () => {
    age.noneBefore(clock.now());
    clock.advance(120_000);
    for (let n = 0; n < 20; n++) {
      age.heard();
      clock.advance(100);
    }
    assert.equal(age.ofRequest(undefined), 122_000);
  });

  it('is not shortened by what came before sleep and was not read to its end', () => {
    let sleptMs = 0;
    const sleepy = new ApprovalAge({
      now: () => clock.now() + sleptMs,
      monotonicNow: () => clock.monotonicNow(),
      setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
    });
    sleepy.noneBefore(clock.now());
    sleepy.heard();
    sleptMs = 3_600_000;
    clock.advance(250);
    assert.equal(sleepy.ofRequest(undefined), 3_600_250);
    sleepy.dispose();
  });
});
