import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  nextSignIn,
  signInWaitNotice,
  stateWithSignIn,
  unknownSignIn,
  type SignInInput,
  type SignInState,
} from '../../../../../src/acp/common/signIn/signInState';

const required = (refused: 'session' | 'prompt', message = 'sign in'): SignInState => ({
  kind: 'required',
  refused,
  message,
});
const after = (state: SignInState, ...inputs: readonly SignInInput[]): SignInState => inputs.reduce(nextSignIn, state);
const ready = { kind: 'ready' } as const;
const shown = (state: SignInState): string => stateWithSignIn(ready, state, 'Agent', []).kind;

const input: fc.Arbitrary<SignInInput> = fc.oneof(
  fc.record({
    type: fc.constant('refused' as const),
    what: fc.constantFrom('session', 'prompt'),
    message: fc.string(),
  }),
  fc.record({ type: fc.constant('accepted' as const), what: fc.constantFrom('session', 'prompt') }),
  fc.record({ type: fc.constant('begun' as const), step: fc.constantFrom('agent', 'terminal', 'key') }),
  fc.record({ type: fc.constant('waiting' as const), waitsFor: fc.array(fc.string()) }),
  fc.constant({ type: 'performed' as const }),
  fc.constant({ type: 'succeeded' as const }),
  fc.record({ type: fc.constant('failed' as const), message: fc.string(), isRefused: fc.boolean() }),
  fc.constant({ type: 'canceled' as const }),
  fc.constant({ type: 'reset' as const }),
);

describe('what is known of a sign-in', () => {
  it('is missing until the agent accepts what it refused', () => {
    const refused = after(unknownSignIn, { type: 'refused', what: 'session', message: 'no key' });
    assert.deepEqual(refused, required('session', 'no key'));
    assert.equal(after(refused, { type: 'accepted', what: 'session' }).kind, 'unknown');
  });

  it('is not proven by a session if a prompt was refused', () => {
    const refused = required('prompt');
    assert.equal(after(refused, { type: 'accepted', what: 'session' }), refused);
    assert.equal(after(refused, { type: 'accepted', what: 'prompt' }).kind, 'unknown');
  });

  it('is there only after the check, whatever else happens meanwhile', () => {
    const performing = after(required('session'), { type: 'begun', step: 'key' });
    assert.equal(shown(performing), 'authRequired');
    const checking = after(
      performing,
      { type: 'refused', what: 'prompt', message: 'other' },
      { type: 'accepted', what: 'session' },
      { type: 'performed' },
    );
    assert.equal(shown(checking), 'authRequired');
    assert.equal(shown(after(checking, { type: 'succeeded' })), 'ready');
  });

  it('goes back to what it was when the user cancels', () => {
    for (const before of [unknownSignIn, required('prompt')]) {
      assert.equal(after(before, { type: 'begun', step: 'terminal' }, { type: 'canceled' }), before);
    }
  });

  it('explains why it failed, and does not demand a sign-in because of another failure', () => {
    const begun: SignInInput = { type: 'begun', step: 'agent' };
    const offline: SignInInput = { type: 'failed', message: 'offline', isRefused: false };
    assert.equal(after(unknownSignIn, begun, offline).kind, 'unknown');
    assert.deepEqual(after(required('prompt'), begun, offline), required('prompt', 'offline'));
    const refused: SignInInput = { type: 'failed', message: 'wrong key', isRefused: true };
    assert.deepEqual(after(unknownSignIn, begun, refused), required('session', 'wrong key'));
  });

  it('never calls an agent signed in that was not checked after the last refusal', () => {
    fc.assert(
      fc.property(fc.array(input, { maxLength: 30 }), (inputs) => {
        let state = unknownSignIn;
        for (const each of inputs) {
          const before = state;
          state = nextSignIn(before, each);
          const isNew = state.kind === 'signedIn' && before.kind === 'performing' && before.before.kind !== 'signedIn';
          if (isNew) assert.deepEqual([before.step, each.type], ['check', 'succeeded']);
          if (each.type === 'refused' && before.kind !== 'performing') assert.equal(shown(state), 'authRequired');
        }
      }),
    );
  });

  it('is covered by a process that has failed', () => {
    const failed = { kind: 'failed', message: 'crashed' } as const;
    assert.equal(stateWithSignIn(failed, required('session'), 'Agent', []), failed);
  });

  it('says what the user can do while it waits', () => {
    const advice = (...waitsFor: string[]) => signInWaitNotice('Agent', waitsFor).split('to use it. ')[1];
    assert.deepEqual(
      [advice('a', 'b'), advice('a'), advice()],
      [
        'Wait, or choose Restart Now to stop the answers and sign in at once.',
        'Wait, or choose Restart Now to stop the answer and sign in at once.',
        'Wait, or choose Restart Now to stop the requests and sign in at once.',
      ],
    );
  });

  it('names a few of the conversations that it waits for, until it goes on', () => {
    const messageOf = (state: SignInState): string => {
      const now = stateWithSignIn(ready, state, 'Agent', []);
      return 'message' in now ? now.message : now.kind;
    };
    const waiting = (...waitsFor: string[]) =>
      after(unknownSignIn, { type: 'begun', step: 'key' }, { type: 'waiting', waitsFor });
    assert.match(messageOf(waiting('a', 'b', 'c', 'd', 'e')), / answers to “a”, “b”, “c”, 2 more\. After/);
    assert.match(
      messageOf(waiting()),
      /^Your sign-in to Agent waits for its open requests\. After that, Agent restarts/,
    );
    assert.match(messageOf(waiting('')), / answer to a prompt without text\. After/);
    assert.ok(messageOf(waiting('😀'.repeat(61))).includes(`answer to “${'😀'.repeat(60)}…”. After`));
    assert.ok(messageOf(waiting('😀'.repeat(60))).includes(`answer to “${'😀'.repeat(60)}”. After`));
    assert.match(messageOf(after(waiting('a'), { type: 'performed' })), /^Checking/);
  });
});
