import assert from 'node:assert/strict';
import { AmplifierApiError } from '../../../../../src/amplifier/common/api/apiErrors';
import { isBackendError } from '../../../../../src/session/common/sessionBackend';
import { SessionWorld } from './sessionWorld';

/** A server's time-out that leaves the user 285 seconds. */
const usual = 300;

describe('approvals of a session of an Amplifier server', () => {
  let world: SessionWorld;

  beforeEach(() => {
    world = new SessionWorld();
    world.begin();
    // From here on it is known how old a request is.
    world.send({ kind: 'begin' });
  });

  const ask = (options: readonly string[] = ['Allow', 'Deny'], timeout = usual, id = 'a', rest = {}): void =>
    world.say('approval:required', { approval_id: id, prompt: `about ${id}`, options, timeout, ...rest });
  const sent = (): string[] =>
    world
      .made('answer')
      .map(({ purpose }) => (purpose.kind === 'approval' ? `${purpose.id} ${purpose.option}` : purpose.kind));
  const approve = (id: string, option: string): number => world.call((call) => ({ kind: 'approve', call, id, option }));
  const codeOf = (call: number): string | undefined => {
    const error = world.settled.get(call);
    assert.ok(error === undefined || isBackendError(error));
    return error?.code;
  };
  const lost = new AmplifierApiError('CONNECTION_LOST', 'lost');
  const isWatched = (id = 'a'): boolean => world.timers.has(`approval ${id}`);

  /** Time passes, and each denial gets lost on its way. */
  function loseAll(seconds: number): void {
    for (let n = 0; n < seconds * 2; n++) {
      while (world.asked('answer').length > 0) world.answered(lost);
      world.advance(500);
    }
  }

  it('are denied by the listed option when the time to answer is over', () => {
    ask();
    world.advance(284_000);
    assert.deepEqual(sent(), []);
    world.advance(2000);
    assert.deepEqual(sent(), ['a Deny']);
    world.answered();
    const [{ data } = { data: undefined }] = world.all('approval:denied');
    assert.equal(data?.reason, 'timeout', 'that is not an answer of the user');
  });

  it('are forgotten when they are resolved and many came after them', () => {
    ask(undefined, usual, 'open');
    for (let n = 0; n < 600; n++) {
      ask(undefined, usual, `a${n}`);
      world.say('approval:granted', { approval_id: `a${n}`, decision: 'Allow' });
    }
    assert.equal(world.state.approvals.size, 500);
    assert.ok(world.state.approvals.has('open'), 'what still waits is never forgotten');
    assert.ok(world.state.approvals.has('a599'));
  });

  it('are denied when they come too late, unless what resolves them is right behind', () => {
    ask(['Allow', 'Deny'], 0, 'old');
    world.say('approval:granted', { approval_id: 'old', decision: 'Allow' });
    ask(['Allow', 'Deny'], 0, 'late');
    world.advance(249);
    assert.deepEqual(sent(), []);
    world.advance(1);
    assert.deepEqual(sent(), ['late Deny']);
  });

  it('are denied soon after the time of day jumped ahead, as in sleep', () => {
    ask();
    world.advance(10_000);
    world.jumpedMs = 3_600_000;
    world.advance(3000);
    assert.deepEqual(sent(), ['a Deny']);
  });

  it('are denied in time though the time of day jumped back', () => {
    ask();
    world.jumpedMs = -3_600_000;
    world.advance(286_000);
    assert.deepEqual(sent(), ['a Deny']);
  });

  it('are denied again until that is known to have arrived', () => {
    ask(['Allow', 'Deny'], 10);
    world.advance(9000);
    world.answered(lost);
    world.advance(500);
    world.answered(lost);
    world.advance(500);
    world.answered();
    world.advance(5000);
    assert.equal(sent().length, 3);
    assert.equal(isWatched(), false);
  });

  it('stop their turn when nothing listed denies', () => {
    ask(['Yes', 'Always'], 10);
    world.advance(10_000);
    assert.deepEqual(sent(), []);
    assert.equal(world.made('sendStop').length, 1);
    assert.equal(isWatched(), false);
    assert.equal(codeOf(approve('a', 'Yes')), 'approvalResolved');
  });

  it('let only a listed option through, once', () => {
    ask(['Deny', 'Reject']);
    assert.equal(codeOf(approve('a', 'deny')), 'approvalInvalid');
    assert.equal(codeOf(approve('b', 'Deny')), 'approvalInvalid');
    const first = approve('a', 'Deny');
    assert.equal(codeOf(approve('a', 'Reject')), 'approvalResolved');
    world.answered();
    assert.ok(world.settled.has(first));
    assert.equal(codeOf(first), undefined);
    assert.equal(codeOf(approve('a', 'Reject')), 'approvalResolved');
    assert.deepEqual(sent(), ['a Deny']);
  });

  describe('that are reported again', () => {
    const about = (command: string) => ({ context: { command }, option_kinds: ['allow_once', 'reject_once'] });
    const commands = () => world.all('approval:required').map(({ data }) => data.context?.['command']);

    it('are the same if nothing has changed, or the report says less', () => {
      ask(undefined, usual, 'a', about('ls'));
      ask(undefined, usual, 'a', about('ls'));
      ask(undefined, usual, 'a', { ...about('ls'), context: {} });
      assert.deepEqual(commands(), ['ls']);
    });

    it('are replaced if something else is asked, and an answer to the earlier one does not count', () => {
      ask(undefined, usual, 'a', about('ls'));
      ask(undefined, usual, 'a', about('rm -rf /'));
      assert.deepEqual(commands(), ['ls', 'rm -rf /']);
      assert.equal(codeOf(approve('a', 'Allow')), 'approvalResolved');
      assert.deepEqual(
        world.all('approval:denied').map(({ data }) => [data.approval_id, data.reason]),
        [['a', 'The request has changed.']],
      );
      approve('a#2', 'Deny');
      assert.deepEqual(sent(), ['a#2 Deny']);
    });

    it('stop the turn if something else is asked while an answer is being sent', () => {
      ask(undefined, usual, 'a', about('ls'));
      approve('a', 'Allow');
      ask(undefined, usual, 'a', about('rm -rf /'));
      assert.equal(world.state.ending?.isCancel, true);
    });

    it('are not allowed if the status says that something else is pending', () => {
      ask(undefined, usual, 'a', about('ls'));
      const call = approve('a', 'Allow');
      const pending = { approval_id: 'a', prompt: 'about a', context: { command: 'rm -rf /' } };
      world.answerStatus('allowance', 'awaiting_approval', { pending_approval: pending });
      assert.equal(codeOf(call), 'approvalResolved');
      assert.deepEqual(sent(), []);
    });
  });

  it('may be answered again when the answer did not arrive', () => {
    ask();
    const call = approve('a', 'Deny');
    world.answered(lost);
    assert.equal(codeOf(call), 'notReady');
    approve('a', 'Deny');
    world.answered();
    assert.deepEqual(sent(), ['a Deny', 'a Deny']);
    assert.equal(world.all('approval:denied').length, 1);
  });

  describe('that are left', () => {
    const leave = (): void => world.say('error', { error: 'the turn failed' });

    it('are denied at once, and again until that has arrived', () => {
      ask();
      leave();
      assert.deepEqual(sent(), ['a Deny']);
      assert.equal(codeOf(approve('a', 'Allow')), 'approvalResolved');
      for (let n = 0; n < 3; n++) {
        world.answered(lost);
        world.advance(500);
      }
      world.answered();
      world.advance(5000);
      assert.deepEqual(sent(), Array(4).fill('a Deny'));
      assert.equal(isWatched(), false);
    });

    it('are denied until the server’s own time-out must be over, and no longer', () => {
      ask(['Allow', 'Deny'], 12);
      leave();
      loseAll(25);
      const denials = sent().length;
      assert.ok(denials > 40, `${denials} denials`);
      loseAll(25);
      assert.equal(isWatched(), false);
    });

    for (const code of ['NO_PENDING_APPROVAL', 'SESSION_NOT_FOUND'] as const) {
      it(`are done when the server says ${code}`, () => {
        ask();
        leave();
        world.answered(new AmplifierApiError(code, 'gone', 404));
        assert.equal(isWatched(), false);
      });
    }

    it('have their turn stopped when nothing listed denies', () => {
      ask(['Yes']);
      leave();
      assert.deepEqual(sent(), []);
      assert.equal(world.made('sendStop').length, 1);
      assert.equal(isWatched(), false);
    });
  });

  describe('when the turn is stopped', () => {
    const cancel = (): number => world.call((call) => ({ kind: 'cancel', call }));

    it('are denied until all has arrived, and then the turn is stopped', () => {
      ask();
      ask(['Allow', 'No'], usual, 'b');
      cancel();
      assert.deepEqual(sent(), ['a Deny', 'b No']);
      world.answered(lost);
      world.answered();
      assert.equal(world.made('sendStop').length, 0);
      world.advance(500);
      world.answered();
      assert.deepEqual(sent(), ['a Deny', 'b No', 'a Deny']);
      assert.equal(world.made('sendStop').length, 1);
    });

    it('keep it no longer than two seconds, and are denied on behind that', () => {
      ask();
      cancel();
      loseAll(1.5);
      assert.equal(world.made('sendStop').length, 0);
      loseAll(0.5);
      assert.equal(world.made('sendStop').length, 1);
      const denials = sent().length;
      loseAll(2);
      assert.ok(sent().length > denials);
    });
  });

  it('leave no timer', () => {
    ask();
    world.say('approval:granted', { approval_id: 'a', decision: 'Allow' });
    assert.equal(isWatched(), false);
    ask(['Allow', 'Deny'], usual, 'b');
    world.send({ kind: 'dispose' });
    world.send({ kind: 'giveUp' });
    assert.equal(world.state.life, 'settled');
    assert.deepEqual([...world.timers.keys()], []);
  });
});
