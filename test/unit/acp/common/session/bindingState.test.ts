import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  shouldDropUpdates,
  nextBindingState,
  restoreMethodOf,
  type BindingState,
  type BindingEvent,
} from '../../../../../src/acp/common/session/bindingState';

type State = BindingState<string>;
type Event = BindingEvent<string>;

const detached = { kind: 'detached', agentSessionId: 's', hasForgotten: false } as const;
const after = (...events: Event[]): State => events.reduce<State>(nextBindingState<string>, detached);

const client = fc.constantFrom('first', 'second');
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({
    kind: fc.constant('restoreRequested' as const),
    client,
    history: fc.constantFrom('known' as const, 'unknown'),
  }),
  fc.record({ kind: fc.constantFrom('recreateRequested' as const, 'restored' as const, 'failed' as const), client }),
  fc.record({ kind: fc.constant('recreated' as const), client, agentSessionId: fc.constantFrom('a', 'b') }),
  fc.record({ kind: fc.constantFrom('processLost' as const, 'reminded' as const) }),
);

describe('nextBindingState', () => {
  it('attaches only by the answer of the process that was asked last', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        let state: State = detached;
        for (const each of events) {
          const before = state;
          state = nextBindingState(state, each);
          if (state.kind !== 'attached' || before.kind === 'attached') continue;
          assert.ok(before.kind === 'restoring' || before.kind === 'recreating');
          assert.equal(state.client, before.client);
        }
      }),
    );
  });

  it('never comes back from a session that was left', () => {
    fc.assert(
      fc.property(fc.array(event), fc.array(event), (before, later) => {
        const left = after(...before, { kind: 'close' });
        assert.equal(left.kind, 'closed');
        assert.deepEqual(later.reduce(nextBindingState<string>, left), left);
      }),
    );
  });

  it('does not use a session whose stopped turn still runs, also after a new session could not be created', () => {
    const asked: Event = { kind: 'recreateRequested', client: 'first' };
    const stuck: readonly Event[] = [
      asked,
      { kind: 'recreated', client: 'first', agentSessionId: 'a' },
      { kind: 'abandoned' },
      asked,
    ];
    const failed: Event = { kind: 'failed', client: 'first' };
    const left = after(...stuck, failed);
    assert.deepEqual([left.kind, left.agentSessionId], ['abandoned', 'a']);
    assert.equal(after(...stuck, failed, asked, failed).kind, 'abandoned');
    assert.equal(after(...stuck, { kind: 'freed' }, failed).kind, 'detached', 'its turn has ended meanwhile');
    assert.equal(after(...stuck, { kind: 'processLost' }, failed).kind, 'detached');
    assert.equal(after(...stuck, { kind: 'recreated', client: 'first', agentSessionId: 'b' }).kind, 'attached');
  });

  it('ignores an answer that comes after the process was lost', () => {
    const asked: Event = { kind: 'restoreRequested', client: 'first', history: 'known' };
    assert.deepEqual(after(asked, { kind: 'processLost' }, { kind: 'restored', client: 'first' }), detached);
    const begun: Event = { kind: 'recreated', client: 'first', agentSessionId: 'new' };
    assert.deepEqual(after({ kind: 'recreateRequested', client: 'first' }, { kind: 'processLost' }, begun), detached);
  });

  it('ignores the failure of a process that is not asked any more', () => {
    const asked = after({ kind: 'restoreRequested', client: 'second', history: 'known' });
    assert.deepEqual(nextBindingState(asked, { kind: 'failed', client: 'first' }), asked);
  });

  it('marks a recreated session as forgotten until it is reminded, in any process', () => {
    const anew = after(
      { kind: 'recreateRequested', client: 'first' },
      { kind: 'recreated', client: 'first', agentSessionId: 'new' },
    );
    assert.deepEqual(anew, { kind: 'attached', client: 'first', agentSessionId: 'new', hasForgotten: true });
    const elsewhere = [
      { kind: 'processLost' } as const,
      { kind: 'restoreRequested', client: 'second', history: 'known' } as const,
      { kind: 'restored', client: 'second' } as const,
    ].reduce(nextBindingState<string>, anew);
    assert.deepEqual(elsewhere, { ...anew, client: 'second' });
    const { hasForgotten, kind } = nextBindingState(elsewhere, { kind: 'reminded' });
    assert.deepEqual([kind, hasForgotten], ['attached', false]);
  });

  it('drops updates only while a known history is replayed', () => {
    assert.equal(shouldDropUpdates(after({ kind: 'restoreRequested', client: 'first', history: 'known' })), true);
    assert.equal(shouldDropUpdates(after({ kind: 'restoreRequested', client: 'first', history: 'unknown' })), false);
    const returned = after(
      { kind: 'restoreRequested', client: 'first', history: 'known' },
      { kind: 'restored', client: 'first' },
    );
    assert.equal(shouldDropUpdates(returned), false);
  });
});

describe('restoreMethodOf', () => {
  const both = { load: true, resume: true };

  it('loads if the history is needed, and resumes if it is known', () => {
    assert.deepEqual([restoreMethodOf(both, 'unknown'), restoreMethodOf(both, 'known')], ['load', 'resume']);
  });

  it('takes what the agent can do', () => {
    assert.equal(restoreMethodOf({ load: true, resume: false }, 'known'), 'load');
    assert.equal(restoreMethodOf({ load: false, resume: true }, 'unknown'), 'resume');
    assert.equal(restoreMethodOf({ load: false, resume: false }, 'known'), undefined);
  });
});
