import assert from 'node:assert/strict';
import { ApprovalGate } from '../../../../src/amplifier/common/approvalGate';
import { denyOption, isDenial } from '../../../../src/amplifier/common/approvalOptions';
import { FakeClock } from '../../../fake/fakeClock';

describe('the approval gate', () => {
  let clock: FakeClock;
  let answers: string[];
  let givenUp: string[];
  let gate: ApprovalGate;
  let failures: number;

  beforeEach(() => {
    clock = new FakeClock();
    answers = [];
    givenUp = [];
    failures = 0;
    gate = new ApprovalGate({
      clock,
      answer: (id, option) => {
        answers.push(`${id} ${option}`);
        if (failures-- > 0) return Promise.reject(new Error('no connection'));
        gate.close(id);
        return Promise.resolve();
      },
      giveUp: (id) => givenUp.push(id),
    });
  });

  const open = (options: readonly string[], timeout?: number): void =>
    gate.open({
      session_id: 's',
      approval_id: 'a',
      prompt: 'p',
      options: [...options],
      ...(timeout === undefined ? {} : { timeout }),
    });

  it('denies by the listed option a margin before the server’s time-out', () => {
    open(['Allow', 'Deny'], 300);
    clock.advance(284_000);
    assert.deepEqual(answers, []);
    clock.advance(2000);
    assert.deepEqual(answers, ['a Deny']);
  });

  it('takes 300 seconds where the server says nothing', () => {
    open(['Allow', 'Deny']);
    clock.advance(290_000);
    assert.deepEqual(answers, ['a Deny']);
  });

  it('denies soon after the clock jumped ahead, as in sleep', () => {
    let jumpMs = 0;
    const jumping = new ApprovalGate({
      clock: { now: () => clock.now() + jumpMs, setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback) },
      answer: (id, option) => Promise.resolve(void answers.push(`${id} ${option}`)),
      giveUp: () => undefined,
    });
    jumping.open({ session_id: 's', approval_id: 'a', prompt: 'p', options: ['Allow', 'Deny'], timeout: 300 });
    clock.advance(10_000);
    jumpMs = 3_600_000;
    clock.advance(3000);
    assert.deepEqual(answers.slice(0, 1), ['a Deny']);
    jumping.dispose();
  });

  it('denies in time though the clock jumped back', () => {
    let jumpMs = 0;
    const jumping = new ApprovalGate({
      clock: { now: () => clock.now() + jumpMs, setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback) },
      answer: (id, option) => Promise.resolve(void answers.push(`${id} ${option}`)),
      giveUp: () => undefined,
    });
    jumping.open({ session_id: 's', approval_id: 'a', prompt: 'p', options: ['Allow', 'Deny'], timeout: 300 });
    jumpMs = -3_600_000;
    clock.advance(286_000);
    assert.deepEqual(answers.slice(0, 1), ['a Deny']);
    jumping.dispose();
  });

  it('tries the denial again until it is known to have arrived', async () => {
    failures = 2;
    open(['Allow', 'Deny'], 10);
    clock.advance(9000);
    await Promise.resolve();
    for (let second = 0; second < 5; second++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(1000);
    }
    assert.equal(answers.length, 3);
    assert.equal(clock.pending, 0);
  });

  it('gives up the turn when nothing listed denies', () => {
    open(['Yes', 'Always'], 10);
    clock.advance(10_000);
    assert.deepEqual(answers, []);
    assert.deepEqual(givenUp, ['a']);
  });

  it('lets only a listed option through, once', async () => {
    open(['Allow', 'Deny']);
    await assert.rejects(gate.choose('a', 'allow'), { code: 'approvalInvalid' });
    await assert.rejects(gate.choose('b', 'Allow'), { code: 'approvalInvalid' });
    const first = gate.choose('a', 'Allow');
    await assert.rejects(gate.choose('a', 'Deny'), { code: 'approvalResolved' });
    await first;
    await assert.rejects(gate.choose('a', 'Deny'), { code: 'approvalResolved' });
    assert.deepEqual(answers, ['a Allow']);
  });

  it('may be tried again when the answer did not arrive', async () => {
    failures = 1;
    open(['Allow', 'Deny']);
    await assert.rejects(gate.choose('a', 'Allow'), /no connection/);
    await gate.choose('a', 'Allow');
    assert.deepEqual(answers, ['a Allow', 'a Allow']);
  });

  it('leaves no timer behind', () => {
    open(['Allow', 'Deny']);
    gate.close('a');
    open(['Allow', 'Deny']);
    gate.dispose();
    assert.equal(clock.pending, 0);
  });
});

describe('the option that denies', () => {
  for (const [options, expected] of [
    [['AlwaysAllow', 'Allow', 'Deny'], 'Deny'],
    [['Allow', 'Deny All', 'DENY'], 'DENY'],
    [['Allow', 'Deny All'], 'Deny All'],
    [['Yes', 'No'], 'No'],
    [['Allow', 'Reject'], 'Reject'],
    [['Allow', 'Notify'], undefined],
    [[], undefined],
  ] as const) {
    it(`of ${JSON.stringify(options)} is ${expected ?? 'none'}`, () => assert.equal(denyOption(options), expected));
  }

  it('is the one that the server says denies', () => {
    assert.equal(denyOption(['Go', 'Stop', 'Never'], ['allow_once', 'reject_once', 'reject_always']), 'Stop');
    assert.equal(denyOption(['Deny', 'Stop'], ['allow_once', 'reject_always']), 'Stop');
  });

  it('is no word that a server would take for a yes', () => assert.equal(isDenial('Skip'), false));
});
