import assert from 'node:assert/strict';
import { ApprovalGate } from '../../../../src/amplifier/common/approvalGate';
import { denyOption, isDenial } from '../../../../src/session/common/approvalOptions';
import { BackendError } from '../../../../src/session/common/sessionBackend';
import { FakeClock } from '../../../fake/fakeClock';

describe('the approval gate', () => {
  let clock: FakeClock;
  let answers: string[];
  let givenUp: string[];
  let timedOut: string[];
  let gate: ApprovalGate;
  let failures: number;

  beforeEach(() => {
    clock = new FakeClock();
    answers = [];
    givenUp = [];
    timedOut = [];
    failures = 0;
    gate = new ApprovalGate({
      clock,
      answer: (id, option) => {
        answers.push(`${id} ${option}`);
        if (failures-- > 0) return Promise.reject(new Error('no connection'));
        gate.close(id);
        return Promise.resolve();
      },
      onTimedOut: (id) => timedOut.push(id),
      giveUp: (id) => Promise.resolve(void givenUp.push(id)),
    });
  });

  const open = (options: readonly string[], timeout = 285, id = 'a'): void =>
    gate.open({ session_id: 's', approval_id: id, prompt: 'p', options: [...options], timeout });

  /** Lets what was promised happen, and time pass, half a second at a time. */
  async function pass(halfSeconds: number): Promise<void> {
    for (let n = 0; n < halfSeconds; n++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(500);
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  it('denies by the listed option when the time to answer is over', () => {
    open(['Allow', 'Deny'], 285);
    clock.advance(284_000);
    assert.deepEqual([...answers, ...timedOut], []);
    clock.advance(2000);
    assert.deepEqual(answers.slice(0, 1), ['a Deny']);
    assert.deepEqual(timedOut, ['a'], 'that is not an answer of the user');
  });

  it('denies what comes too late, unless what resolves it is right behind', () => {
    open(['Allow', 'Deny'], 0, 'old');
    gate.close('old');
    open(['Allow', 'Deny'], 0, 'late');
    assert.deepEqual(answers, []);
    clock.advance(250);
    assert.deepEqual(answers, ['late Deny']);
  });

  describe('for a request that is left', () => {
    it('denies at once, and again until it has arrived, whatever is told of the request here', async () => {
      failures = 3;
      open(['Allow', 'Deny']);
      gate.leave('a');
      gate.close('a');
      assert.deepEqual(answers, ['a Deny']);
      await assert.rejects(gate.choose('a', 'Allow'), { code: 'approvalResolved' });
      await pass(10);
      assert.deepEqual(answers, Array(4).fill('a Deny'));
      assert.equal(clock.pending, 0);
    });

    it('goes on until the server’s own time-out must be over, and no longer', async () => {
      failures = Infinity;
      open(['Allow', 'Deny'], 10);
      gate.leaveAll();
      await pass(50);
      const denials = answers.length;
      assert.ok(denials > 40, `${denials} denials`);
      await pass(50);
      assert.equal(clock.pending, 0);
      await gate.whenSettled();
    });

    for (const code of ['approvalResolved', 'notFound'] as const) {
      it(`is done when the server says ${code}`, async () => {
        const gone = new ApprovalGate({
          clock,
          answer: () => Promise.reject(new BackendError(code, 'gone')),
          onTimedOut: () => undefined,
          giveUp: () => Promise.resolve(),
        });
        gone.open({ session_id: 's', approval_id: 'a', prompt: 'p', options: ['Deny'], timeout: 100 });
        gone.leave('a');
        await gone.whenSettled();
        assert.equal(clock.pending, 0);
      });
    }

    it('gives up the turn when nothing listed denies', () => {
      open(['Yes']);
      gate.leave('a');
      assert.deepEqual(givenUp, ['a']);
      assert.equal(clock.pending, 0);
    });
  });

  describe('denying all', () => {
    it('tries again until all has arrived', async () => {
      failures = 3;
      open(['Allow', 'Deny'], 285, 'a');
      open(['Allow', 'No'], 285, 'b');
      let isDone = false;
      void gate.denyAll().then(() => (isDone = true));
      await pass(1);
      assert.equal(isDone, false);
      await pass(2);
      assert.equal(isDone, true);
      assert.deepEqual(new Set(answers), new Set(['a Deny', 'b No']));
      assert.equal(clock.pending, 0);
    });

    it('takes no longer than it may, and goes on behind that', async () => {
      failures = Infinity;
      open(['Allow', 'Deny']);
      let isDone = false;
      void gate.denyAll(2000).then(() => (isDone = true));
      await pass(3);
      assert.equal(isDone, false);
      await pass(1);
      assert.equal(isDone, true);
      const denials = answers.length;
      await pass(4);
      assert.ok(answers.length > denials);
      gate.dispose();
      assert.equal(clock.pending, 0);
    });
  });

  it('denies soon after the clock jumped ahead, as in sleep', () => {
    let jumpMs = 0;
    const jumping = new ApprovalGate({
      clock: {
        now: () => clock.now() + jumpMs,
        monotonicNow: () => clock.monotonicNow(),
        setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
      },
      answer: (id, option) => Promise.resolve(void answers.push(`${id} ${option}`)),
      onTimedOut: () => undefined,
      giveUp: () => Promise.resolve(),
    });
    jumping.open({ session_id: 's', approval_id: 'a', prompt: 'p', options: ['Allow', 'Deny'], timeout: 285 });
    clock.advance(10_000);
    jumpMs = 3_600_000;
    clock.advance(3000);
    assert.deepEqual(answers.slice(0, 1), ['a Deny']);
    jumping.dispose();
  });

  it('denies in time though the clock jumped back', () => {
    let jumpMs = 0;
    const jumping = new ApprovalGate({
      clock: {
        now: () => clock.now() + jumpMs,
        monotonicNow: () => clock.monotonicNow(),
        setTimer: (delayMs, callback) => clock.setTimer(delayMs, callback),
      },
      answer: (id, option) => Promise.resolve(void answers.push(`${id} ${option}`)),
      onTimedOut: () => undefined,
      giveUp: () => Promise.resolve(),
    });
    jumping.open({ session_id: 's', approval_id: 'a', prompt: 'p', options: ['Allow', 'Deny'], timeout: 285 });
    jumpMs = -3_600_000;
    clock.advance(286_000);
    assert.deepEqual(answers.slice(0, 1), ['a Deny']);
    jumping.dispose();
  });

  it('tries the denial again until it is known to have arrived', async () => {
    failures = 2;
    open(['Allow', 'Deny'], 10);
    clock.advance(10_000);
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
    [['Ask me', 'No restrictions'], undefined],
    [['Deny nothing', 'No limits', 'Reject rules'], undefined],
    [['Allow', 'No, always'], 'No, always'],
    [['Allow', 'Decline this time'], 'Decline this time'],
    [['Allow', 'Refuse once.'], 'Refuse once.'],
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
