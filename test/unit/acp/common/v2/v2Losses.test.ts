import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SessionEventMapper } from '../../../../../src/acp/common/session/sessionEventMapper';
import { SubagentUpdates } from '../../../../../src/acp/common/subagents/subagentUpdates';
import { V2Updates } from '../../../../../src/acp/common/v2/v2Updates';
import { v2ShownSubagentUpdateOf } from '../../../../../src/acp/common/v2/v2Subagents';
import { SessionGrammar } from '../../../../../src/session/common/normalize/sessionGrammar';
import { SessionNormalizer } from '../../../../../src/session/common/normalize/sessionNormalizer';
import { SessionEvent } from '../../../../../src/session/common/sessionEvents';

type Update = Record<string, unknown> & { readonly sessionUpdate: string };

const text = (words: string) => ({ type: 'text', text: words });
const data = Buffer.from('out').toString('base64');

/** A conversation with one of everything that version 2 has. */
const conversation: readonly Update[] = [
  { sessionUpdate: 'user_message', messageId: 'u', content: [text('go')] },
  { sessionUpdate: 'state_update', state: 'running' },
  { sessionUpdate: 'agent_thought_chunk', messageId: 't', content: text('hm') },
  { sessionUpdate: 'agent_thought', messageId: 't', content: [text('hmm')] },
  { sessionUpdate: 'agent_message_chunk', messageId: 'a', content: text('one ') },
  { sessionUpdate: 'agent_message_chunk', messageId: 'b', content: text('other') },
  { sessionUpdate: 'agent_message', messageId: 'a', content: [text('one two')] },
  {
    sessionUpdate: 'tool_call_update',
    toolCallId: 'c',
    title: 'Run',
    content: [{ type: 'terminal', terminalId: 'x' }],
  },
  { sessionUpdate: 'terminal_update', terminalId: 'x', command: 'ls', output: { data } },
  { sessionUpdate: 'terminal_output_chunk', terminalId: 'x', data },
  { sessionUpdate: 'tool_call_content_chunk', toolCallId: 'c', content: { type: 'content', content: text('more') } },
  { sessionUpdate: 'state_update', state: 'requires_action' },
  { sessionUpdate: 'terminal_update', terminalId: 'x', exitStatus: { exitCode: 0 } },
  { sessionUpdate: 'tool_call_update', toolCallId: 'c', status: 'completed' },
  { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'p', entries: [{ content: 'x' }] } },
  { sessionUpdate: 'plan_removed', planId: 'p' },
  { sessionUpdate: 'subagent_update', sessionId: 'sub', title: 'Sub', state: { state: 'running' } },
  { sessionUpdate: 'notice', severity: 'info', title: 'x' },
  { sessionUpdate: 'compaction_update', compactionId: 'k', status: 'in_progress' },
  { sessionUpdate: 'usage_update', used: 1, size: 2 },
  { sessionUpdate: 'state_update', state: 'idle', stopReason: 'end_turn' },
];

type Fate = 'kept' | 'lost' | 'twice' | 'late' | 'unknown' | 'broken' | 'ofSubagent';
const fates = fc.array(
  fc.constantFrom<Fate>('kept', 'kept', 'kept', 'lost', 'twice', 'late', 'unknown', 'broken', 'ofSubagent'),
  { minLength: conversation.length, maxLength: conversation.length },
);

/** All members are of a wrong type. */
function brokenOf({ sessionUpdate, ...members }: Update): Update {
  return { sessionUpdate, ...Object.fromEntries(Object.keys(members).map((key) => [key, { type: '_x' }])) };
}

/** What arrives if each update has its fate. Late ones come after all others. */
function arrivals(fate: readonly Fate[]): { readonly update: Update; readonly isOfSubagent: boolean }[] {
  const late: Update[] = [];
  const all = conversation.flatMap((update, index): { update: Update; isOfSubagent: boolean }[] => {
    const own = { update, isOfSubagent: false };
    switch (fate[index]) {
      case 'lost':
        return [];
      case 'twice':
        return [own, own];
      case 'late':
        late.push(update);
        return [];
      case 'unknown':
        return [{ ...own, update: { ...update, sessionUpdate: `${update.sessionUpdate}_next`, state: '_x' } }];
      case 'broken':
        return [{ ...own, update: brokenOf(update) }];
      case 'ofSubagent':
        return [{ ...own, isOfSubagent: true }];
      default:
        return [own];
    }
  });
  return [...all, ...late.map((update) => ({ update, isOfSubagent: false }))];
}

describe('updates of ACP v2 that are lost, repeated, late, unknown or broken', () => {
  it('never break the order of events, and the next turn is as if nothing had happened', () => {
    fc.assert(
      fc.property(fates, fc.boolean(), (fate, isPrompted) => {
        const mapper = new SessionEventMapper('s', { monotonicNow: () => 0 });
        const subagents = new SubagentUpdates(mapper);
        const updates: V2Updates = new V2Updates(mapper, subagents);
        const grammar = new SessionGrammar();
        const told: SessionEvent[] = [];
        const normalizer = new SessionNormalizer((event) => {
          assert.equal(grammar.checkEvent(event), undefined);
          assert.deepEqual(SessionEvent.parse(event), event);
          told.push(event);
        });
        const add = (events: readonly SessionEvent[]): void => {
          for (const event of events) normalizer.normalize(event);
        };
        if (isPrompted) add(mapper.startTurn('go', 'r1'));
        for (const { update, isOfSubagent } of arrivals(fate)) {
          const news = isOfSubagent ? v2ShownSubagentUpdateOf(update) : undefined;
          add(isOfSubagent ? (news ? subagents.mapUpdate('sub', news) : []) : updates.mapUpdate(update));
          add(mapper.takeTerminalUpdates());
        }
        if (isPrompted) add(mapper.endTurn({ stopReason: 'end_turn' }));
        add(mapper.startTurn('again', 'r2'));
        const fine: Update = { sessionUpdate: 'agent_message_chunk', messageId: 'z', content: text('fine') };
        add(updates.mapUpdate(fine));
        add(mapper.endTurn({ stopReason: 'end_turn' }));
        const ends = told.flatMap((event) => (event.event === 'prompt:complete' ? [event.data] : []));
        assert.equal(ends.at(-1)?.request_id, 'r2');
        const deltas = told.slice(told.findLastIndex(({ event }) => event === 'prompt:submit'));
        assert.equal(
          deltas.flatMap((event) => (event.event === 'content_block:delta' ? [event.data.delta] : [])).join(''),
          'fine',
        );
      }),
      { numRuns: 400 },
    );
  });
});
