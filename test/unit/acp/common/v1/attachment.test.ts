import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  isMuted,
  nextAttachment,
  wayBack,
  type Attachment,
  type AttachmentEvent,
} from '../../../../../src/acp/common/v1/attachment';

type State = Attachment<string>;
type Event = AttachmentEvent<string>;

const detached = { kind: 'detached', agentSessionId: 's', hasForgotten: false } as const;
const after = (...events: Event[]): State => events.reduce<State>(nextAttachment<string>, detached);

const client = fc.constantFrom('first', 'second');
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.record({ kind: fc.constant('return' as const), client, past: fc.constantFrom('known' as const, 'unknown') }),
  fc.record({ kind: fc.constantFrom('recreateSession' as const, 'returned' as const, 'failed' as const), client }),
  fc.record({ kind: fc.constant('begunAnew' as const), client, agentSessionId: fc.constantFrom('a', 'b') }),
  fc.record({ kind: fc.constantFrom('lost' as const, 'reminded' as const) }),
);

describe('nextAttachment', () => {
  it('attaches only by the answer of the process that was asked last', () => {
    fc.assert(
      fc.property(fc.array(event), (events) => {
        let state: State = detached;
        for (const each of events) {
          const before = state;
          state = nextAttachment(state, each);
          if (state.kind !== 'attached' || before.kind === 'attached') continue;
          assert.ok(before.kind === 'returning' || before.kind === 'recreating');
          assert.equal(state.client, before.client);
        }
      }),
    );
  });

  it('never comes back from a session that was left', () => {
    fc.assert(
      fc.property(fc.array(event), fc.array(event), (before, later) => {
        const left = after(...before, { kind: 'leave' });
        assert.equal(left.kind, 'left');
        assert.deepEqual(later.reduce(nextAttachment<string>, left), left);
      }),
    );
  });

  it('ignores an answer that comes after the process was lost', () => {
    const asked: Event = { kind: 'return', client: 'first', past: 'known' };
    assert.deepEqual(after(asked, { kind: 'lost' }, { kind: 'returned', client: 'first' }), detached);
    const begun: Event = { kind: 'begunAnew', client: 'first', agentSessionId: 'new' };
    assert.deepEqual(after({ kind: 'recreateSession', client: 'first' }, { kind: 'lost' }, begun), detached);
  });

  it('ignores the failure of a process that is not asked any more', () => {
    const asked = after({ kind: 'return', client: 'second', past: 'known' });
    assert.deepEqual(nextAttachment(asked, { kind: 'failed', client: 'first' }), asked);
  });

  it('has forgotten what it began anew until it is reminded, in whatever process', () => {
    const anew = after(
      { kind: 'recreateSession', client: 'first' },
      { kind: 'begunAnew', client: 'first', agentSessionId: 'new' },
    );
    assert.deepEqual(anew, { kind: 'attached', client: 'first', agentSessionId: 'new', hasForgotten: true });
    const elsewhere = [
      { kind: 'lost' } as const,
      { kind: 'return', client: 'second', past: 'known' } as const,
      { kind: 'returned', client: 'second' } as const,
    ].reduce(nextAttachment<string>, anew);
    assert.deepEqual(elsewhere, { ...anew, client: 'second' });
    const { hasForgotten, kind } = nextAttachment(elsewhere, { kind: 'reminded' });
    assert.deepEqual([kind, hasForgotten], ['attached', false]);
  });

  it('is muted only while a history that is known is told', () => {
    assert.equal(isMuted(after({ kind: 'return', client: 'first', past: 'known' })), true);
    assert.equal(isMuted(after({ kind: 'return', client: 'first', past: 'unknown' })), false);
    const returned = after({ kind: 'return', client: 'first', past: 'known' }, { kind: 'returned', client: 'first' });
    assert.equal(isMuted(returned), false);
  });
});

describe('wayBack', () => {
  const both = { loadSession: true, sessionCapabilities: { resume: true } };

  it('loads where the history is wanted, and resumes where it is known', () => {
    assert.deepEqual([wayBack(both, 'unknown'), wayBack(both, 'known')], ['load', 'resume']);
  });

  it('takes what the agent can do', () => {
    assert.equal(wayBack({ loadSession: true }, 'known'), 'load');
    assert.equal(wayBack({ sessionCapabilities: { resume: true } }, 'unknown'), 'resume');
    assert.equal(wayBack({}, 'known'), undefined);
  });
});
