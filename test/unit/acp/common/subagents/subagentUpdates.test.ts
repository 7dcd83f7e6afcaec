import assert from 'node:assert/strict';
import type { ShownSubagentUpdate } from '../../../../../src/acp/common/session/agentMessages';
import { SessionEventMapper } from '../../../../../src/acp/common/session/sessionEventMapper';
import { SubagentUpdates } from '../../../../../src/acp/common/subagents/subagentUpdates';
import type { EventData, SessionEvent } from '../../../../../src/session/common/sessionEvents';
import { FakeClock } from '../../../../fake/fakeClock';

const says = (text: string, messageId = 'm', isWhole = false): ShownSubagentUpdate => ({
  kind: 'message',
  messageId,
  content: [{ type: 'text', text }],
  isWhole,
});
const is = (state: string, stopReason?: string): ShownSubagentUpdate => ({
  kind: 'state',
  state: { state, stopReason },
});

/** The call of the subagent `child`, and the last text that it shows. */
const child = 'subagent child';
const textOf = (events: readonly SessionEvent[]): string[] | undefined => {
  const last = events.findLast((event) => event.event === 'tool:update' && event.data.content !== undefined);
  const content = last?.event === 'tool:update' ? last.data.content : undefined;
  return content?.map((part) => (part.type === 'text' ? part.text : part.type));
};

describe('the subagents of a session', () => {
  let mapper: SessionEventMapper;
  let subagents: SubagentUpdates;
  let events: SessionEvent[];

  beforeEach(() => {
    mapper = new SessionEventMapper('s', new FakeClock());
    mapper.turns.apply({ type: 'working', isWorking: true });
    subagents = new SubagentUpdates(mapper);
    events = mapper.startTurn('go', 'r');
  });

  const tell = (...news: readonly ShownSubagentUpdate[]): void => {
    for (const item of news) events.push(...subagents.mapUpdate('child', item));
  };
  const all = <Name extends SessionEvent['event']>(name: Name): EventData<Name>[] =>
    events.filter((event) => event.event === name).map((event) => event.data as EventData<Name>);

  it('are calls with their title, their purpose and their end', () => {
    events.push(...subagents.announce({ sessionId: 'child', title: 'Finder', description: 'Finds uses' }));
    tell(is('idle', 'end_turn'));
    const [call] = all('tool:pre');
    assert.deepEqual([call?.call_id, call?.title, call?.tool_name, call?.input], [child, 'Finder', 'subagent', {}]);
    assert.deepEqual(call?.content, [{ type: 'text', text: 'Finds uses', role: 'task' }]);
    assert.equal(all('tool:post')[0]?.call_id, child);
  });

  it('change their title, keep what is omitted, and lose what is cleared', () => {
    for (const title of ['One', undefined, 'Two', null])
      events.push(...subagents.announce({ sessionId: 'child', ...(title === undefined ? {} : { title }) }));
    assert.deepEqual(
      all('tool:update').map(({ title }) => title),
      ['Two', 'Subagent'],
    );
  });

  it('end as they do: canceled, failed or completed, once', () => {
    for (const [reason, name] of [
      ['cancelled', 'tool:error'],
      ['error', 'tool:error'],
      ['refusal', 'tool:post'],
    ] as const) {
      const id = `child-${reason}`;
      events.push(...subagents.mapUpdate(id, is('running')), ...subagents.mapUpdate(id, is('idle', reason)));
      events.push(...subagents.mapUpdate(id, is('idle', reason)));
      const ends = events.filter(
        ({ event, data }) =>
          event !== 'tool:pre' && 'call_id' in data && data.call_id === `subagent ${id}` && event !== 'tool:update',
      );
      assert.deepEqual(
        ends.map(({ event }) => event),
        [name],
      );
    }
  });

  it('have their own calls inside, whose ids do not clash with those of the session', () => {
    events.push(...mapper.mapToolCall({ toolCallId: 'c', title: 'Outside' }));
    tell({ kind: 'call', call: { toolCallId: 'c', title: 'Inside', kind: 'read' } });
    tell({
      kind: 'callContent',
      toolCallId: 'c',
      items: [{ type: 'content', content: { type: 'text', text: 'found' } }],
    });
    tell({ kind: 'call', call: { toolCallId: 'c', status: 'completed' } });
    assert.deepEqual(
      all('tool:pre').map(({ call_id, parent_call_id, title }) => [call_id, parent_call_id, title]),
      [
        ['c', undefined, 'Outside'],
        [child, undefined, 'Subagent'],
        [`${child} c`, child, 'Inside'],
      ],
    );
    assert.deepEqual(all('tool:post')[0]?.content, [{ type: 'text', text: 'found' }]);
  });

  it('can have subagents', () => {
    tell({ kind: 'announcement', announcement: { sessionId: 'grandchild', title: 'Deeper' } });
    assert.equal(all('tool:pre').at(-1)?.parent_call_id, child);
  });

  it('show what they say in pieces as soon as it is much, or something else follows', () => {
    tell(says('one '), says('two'));
    assert.equal(textOf(events), undefined);
    tell(says('x'.repeat(2_048), 'n'));
    assert.deepEqual(textOf(events), ['one two', 'x'.repeat(2_048)]);
    tell(says('whole', 'n', true), says('end', 'o'), is('idle', 'end_turn'));
    assert.deepEqual(textOf(events), ['one two', 'whole', 'end']);
  });

  it('do not interrupt the text of their session', () => {
    events.push(...(mapper.mapMessageChunk({ type: 'text', text: 'a' }, 'm') ?? []));
    tell({ kind: 'call', call: { toolCallId: 'c' } }, says('x'), is('idle'));
    events.push(...(mapper.mapMessageChunk({ type: 'text', text: 'b' }, 'm') ?? []));
    assert.equal(all('content_block:start').length, 1);
  });

  it('show the rest of what they say at the end of the turn, and at once outside of turns', () => {
    tell(is('running'), says('the end'));
    assert.equal(textOf(events), undefined);
    events.push(...mapper.endTurn({ stopReason: 'end_turn' }));
    assert.deepEqual(textOf(events), ['the end']);
    assert.ok(
      events.findIndex(({ event }) => event === 'tool:update') <
        events.findIndex(({ event }) => event === 'prompt:complete'),
    );
    tell(says(' of it'));
    assert.deepEqual(textOf(events), ['the end of it']);
    events.push(...mapper.startTurn('go', 'r2'));
    tell(says('!', 'n'));
    events.push(...mapper.failTurn('Broken', 'backend'));
    assert.deepEqual(textOf(events), ['the end of it', '!']);
  });

  it('keep the newest of many messages', () => {
    tell(is('running'));
    for (let nth = 0; nth < 1_000; nth++) tell(says(`${nth}`, `m${nth}`));
    tell(is('idle', 'end_turn'));
    const shown = textOf(events) ?? [];
    assert.deepEqual([shown.length, shown[0], shown.at(-1)], [200, '800', '999']);
  });

  it('keep the newest part of much text', () => {
    for (let count = 0; count < 40; count++) tell(says(`${count}${'x'.repeat(2_048)}`, `m${count}`));
    const shown = textOf(events) ?? [];
    assert.ok(shown.join('').length <= 32 * 1024);
    assert.match(shown.at(-1) ?? '', /^39x/);
  });

  it('ask for what they do in their own calls', () => {
    tell({ kind: 'call', call: { toolCallId: 'c' } });
    const request = { sessionId: 'child', options: [], unreadMembers: [] };
    const asked = (subject: Parameters<typeof subagents.toParentRequest>[0]['subject']) =>
      subagents.toParentRequest({ ...request, subject }).subject;
    const call = asked({ kind: 'toolCall', toolCall: { toolCallId: 'c' } });
    assert.equal(call.kind === 'toolCall' && call.toolCall.toolCallId, `${child} c`);
    const command = asked({ kind: 'command', command: 'ls', cwd: '/', toolCallId: 'c', members: {} });
    assert.equal(command.kind === 'command' && command.toolCallId, `${child} c`);
    assert.deepEqual(asked({ kind: 'other', members: {} }), { kind: 'other', members: {} });
    assert.equal(
      subagents.toParentRequest({ ...request, subject: { kind: 'other', members: {} } }).subagent,
      'Subagent',
    );
    const own = { ...request, sessionId: 's', subject: { kind: 'toolCall' as const, toolCall: { toolCallId: 'c' } } };
    assert.equal(subagents.toParentRequest(own), own);
  });

  it('begin a turn if they work while their session is idle, and end it with their work', () => {
    events.push(...mapper.endTurn({ stopReason: 'end_turn' }));
    mapper.turns.apply({ type: 'working', isWorking: false });
    tell({ kind: 'call', call: { toolCallId: 'c' } });
    events.push(...subagents.mapUpdate('other', is('running')));
    tell(is('idle', 'end_turn'));
    assert.equal(all('prompt:complete').length, 1, 'another one still works');
    events.push(...subagents.mapUpdate('other', is('idle')));
    assert.equal(all('prompt:complete').length, 2);
  });
});
