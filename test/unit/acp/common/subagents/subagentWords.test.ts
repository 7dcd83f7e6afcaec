import assert from 'node:assert/strict';
import { seededRandom } from '../../../../../bench/support/random';
import type { AgentOption, SessionMessagePatch } from '../../../../../src/acp/common/session/agentMessages';
import { SessionEventMapper } from '../../../../../src/acp/common/session/sessionEventMapper';
import { SubagentUpdates } from '../../../../../src/acp/common/subagents/subagentUpdates';
import { sharedSubagentUpdateOf } from '../../../../../src/acp/common/subagents/sharedSubagentUpdates';
import { v1ShownSubagentUpdateOf } from '../../../../../src/acp/common/v1/v1Updates';
import { v2ShownSubagentUpdateOf } from '../../../../../src/acp/common/v2/v2Subagents';
import type { SessionEvent } from '../../../../../src/session/common/sessionEvents';
import { FakeClock } from '../../../../fake/fakeClock';

/** Shows what one session and its subagents say, as a reader of its events sees it. */
class Reader {
  readonly mapper = new SessionEventMapper('s', new FakeClock());
  readonly subagents = new SubagentUpdates(this.mapper, () => 'root');
  readonly events: SessionEvent[] = [];

  constructor() {
    this.mapper.turns.apply({ type: 'working', isWorking: true });
    this.add(this.mapper.startTurn('go', 'r'));
  }

  add(events: readonly SessionEvent[]): void {
    this.events.push(...events);
  }

  /** A message between sessions. `reporter`: undefined for the root session. */
  says(id: string, from: string, to: string, text: string, reporter?: string, more: Partial<SessionMessagePatch> = {}) {
    const content = [{ type: 'text' as const, text }];
    const ends = { senderSessionId: from, recipientSessionId: to };
    this.add(this.subagents.mapSessionMessage({ messageId: id, ...ends, content, ...more }, reporter));
  }

  /** The last content of a call, with the role of each text. */
  shown(callId: string): string[] {
    const content = this.callEvents(callId).findLast((data) => data.content !== undefined)?.content ?? [];
    return content.map((part) => (part.type === 'text' ? `${part.role ?? 'says'}: ${part.text}` : 'other'));
  }

  get notices(): string[] {
    return this.events.flatMap((event) => (event.event === 'notice' ? [event.data.message] : []));
  }

  titleOf(callId: string): string | undefined {
    return this.callEvents(callId).findLast(({ title }) => title !== undefined)?.title;
  }

  private callEvents(callId: string) {
    const all = this.events.flatMap((event) =>
      event.event === 'tool:pre' || event.event === 'tool:update' || event.event === 'tool:post' ? [event.data] : [],
    );
    return all.filter((data) => data.call_id === callId);
  }
}

const option = (id: string, category: string, currentValue: string): AgentOption => ({
  ...{ type: 'select', id, name: id, category, currentValue },
  options: [
    { value: 'a', name: 'Quick' },
    { name: 'More', options: [{ value: 'b', name: 'Careful' }] },
  ],
});

describe('the words of a subagent', () => {
  it('are its task, its type, its words and its report, as Claude sends them', () => {
    const reader = new Reader();
    const { subagents } = reader;
    reader.add(subagents.announce({ sessionId: 'c', title: 'Count the files', description: 'general-purpose' }));
    reader.says('t', 'root', 'c', 'Count all files in src.', undefined, { recipientMessageId: 't' });
    reader.says('t', 'root', 'c', 'Count all files in src.', 'c', { senderMessageId: 't' });
    reader.add(subagents.mapUpdate('c', { kind: 'options', options: [option('m', 'model', 'b')] }));
    reader.add(subagents.mapUpdate('c', says('I count.', 'm1')));
    reader.add(subagents.mapUpdate('c', says('There are 3.', 'm2')));
    reader.says('t:reply', 'c', 'root', 'There are 3.');
    reader.add(subagents.announce({ sessionId: 'c', state: { state: 'idle', stopReason: 'end_turn' } }));
    assert.deepEqual(reader.shown('subagent c'), [
      'about: general-purpose · Careful',
      'task: Count all files in src.',
      'says: I count.',
      'report: There are 3.',
    ]);
    assert.deepEqual([reader.titleOf('subagent c'), reader.notices], ['Count the files', []]);
  });

  it('are the description and the last message, as Codex sends them', () => {
    const reader = new Reader();
    const task = 'Count the files.\nOnly in src.';
    reader.add(reader.subagents.announce({ sessionId: 'c', description: task }));
    reader.add(reader.subagents.mapUpdate('c', { kind: 'options', options: [option('e', 'thought_level', 'x')] }));
    reader.add(reader.subagents.mapUpdate('c', { kind: 'usage', used: 12_345 }));
    reader.add(reader.subagents.mapUpdate('c', says('There are 3.', 'm')));
    reader.add(reader.subagents.mapUpdate('c', { kind: 'state', state: { state: 'idle' } }));
    assert.equal(reader.titleOf('subagent c'), 'Count the files.');
    assert.deepEqual(reader.shown('subagent c'), [
      'about: Effort: x · 12,345 tokens',
      `task: ${task}`,
      'report: There are 3.',
    ]);
  });

  it('come in pieces, change, and are cleared', () => {
    const reader = new Reader();
    const { subagents } = reader;
    reader.add(subagents.announce({ sessionId: 'c', title: 'C' }));
    const chunk = (text: string): SessionMessagePatch => ({
      ...{ messageId: 'm', content: [{ type: 'text', text }], isChunk: true },
    });
    reader.add(subagents.mapSessionMessage(chunk('Find ')));
    reader.add(subagents.mapSessionMessage(chunk('it.')));
    assert.deepEqual(reader.shown('subagent c'), [], 'nobody knows yet whose words these are');
    reader.add(subagents.mapSessionMessage({ messageId: 'm', senderSessionId: 'root', recipientSessionId: 'c' }));
    assert.deepEqual(reader.shown('subagent c'), ['task: Find it.']);
    reader.says('m2', 'root', 'c', 'And that.');
    assert.deepEqual(reader.shown('subagent c'), ['task: Find it.', 'message: And that.']);
    reader.add(subagents.mapSessionMessage({ messageId: 'm2', content: null }));
    assert.deepEqual(reader.shown('subagent c'), ['task: Find it.']);
  });

  it('are told apart from those of others with the same id', () => {
    const reader = new Reader();
    for (const id of ['a', 'b']) reader.add(reader.subagents.announce({ sessionId: id, title: id }));
    reader.says('1', 'root', 'a', 'Task of a.');
    reader.says('1', 'root', 'b', 'Task of b.', 'b');
    reader.says('1', 'a', 'root', 'Report of a.', 'a');
    reader.says('2', 'a', 'b', 'Hello b.', 'b');
    assert.deepEqual(reader.shown('subagent a'), ['task: Task of a.', 'report: Report of a.']);
    assert.deepEqual(reader.shown('subagent b'), ['task: Task of b.', 'message: Hello b.']);
  });

  it('wait for their subagent, and are told at the end of the turn if it never comes', () => {
    const reader = new Reader();
    reader.says('m', 'root', 'late', 'Be quick.');
    reader.says('n', 'x', 'y', 'Who are they?');
    assert.deepEqual(reader.notices, []);
    reader.add(reader.subagents.announce({ sessionId: 'late' }));
    assert.deepEqual([reader.titleOf('subagent late'), reader.notices], ['Be quick.', []]);
    reader.add(reader.mapper.endTurn({ stopReason: 'end_turn' }));
    assert.equal(reader.notices.length, 1);
    assert.match(reader.notices.join(), /has not announced\.\nWho are they\?/);
  });

  it('wait for nothing outside of a turn, and are told once', () => {
    const reader = new Reader();
    for (let nth = 0; nth < 103; nth++) reader.says(`m${nth}`, 'x', 'y', `Message ${nth}.`);
    reader.add(reader.mapper.endTurn({ stopReason: 'end_turn' }));
    assert.equal(reader.notices.length, 101);
    assert.match(reader.notices.at(-1) ?? '', /3 more messages/);
    reader.says('n', 'x', 'y', 'Later.');
    reader.says('n', 'x', 'y', 'Later.');
    reader.add(reader.subagents.announce({ sessionId: 'y' }));
    assert.equal(reader.notices.filter((notice) => notice.includes('Later.')).length, 1);
    assert.deepEqual(reader.shown('subagent y'), []);
  });

  it('stay short enough for each event, and keep the task and the newest', () => {
    const reader = new Reader();
    reader.add(reader.subagents.announce({ sessionId: 'c', title: 'C' }));
    const long = 'word '.repeat(4_000);
    for (let nth = 0; nth < 30; nth++) {
      reader.says(`to${nth}`, 'root', 'c', `to ${nth} ${long}`);
      reader.says(`from${nth}`, 'c', 'root', `from ${nth} ${long}`);
    }
    const shown = reader.shown('subagent c');
    assert.ok(shown.join('').length < 50 * 1024, String(shown.join('').length));
    assert.match(shown[0] ?? '', /^task: to 0 /);
    assert.match(shown.at(-1) ?? '', /^report: from 29 /);
  });

  it('are one message if both sessions report it in pieces, and only later say which it is', () => {
    const reader = new Reader();
    reader.add(reader.subagents.announce({ sessionId: 'c', title: 'C' }));
    const chunk = (messageId: string): SessionMessagePatch => ({
      ...{ messageId, content: [{ type: 'text', text: 'Find it.' }], isChunk: true },
    });
    reader.add(reader.subagents.mapSessionMessage(chunk('m')));
    reader.add(reader.subagents.mapSessionMessage(chunk('r'), 'c'));
    const ends = { senderSessionId: 'root', recipientSessionId: 'c' };
    reader.add(reader.subagents.mapSessionMessage({ messageId: 'm', ...ends }));
    reader.add(reader.subagents.mapSessionMessage({ messageId: 'r', ...ends, senderMessageId: 'm' }, 'c'));
    assert.deepEqual(reader.shown('subagent c'), ['task: Find it.']);
  });

  it('are its last ones, and not the receipt for its launch in the background', () => {
    const reader = new Reader();
    reader.add(reader.subagents.announce({ sessionId: 'c', title: 'C', description: 'Explore' }));
    reader.says('t:reply', 'c', 'root', 'Async agent launched successfully. (This is internal metadata.)');
    reader.add(reader.subagents.mapUpdate('c', says('There are 3.', 'm')));
    reader.add(reader.subagents.announce({ sessionId: 'c', state: { state: 'idle', stopReason: 'end_turn' } }));
    assert.deepEqual(reader.shown('subagent c'), ['about: Explore', 'report: There are 3.']);
  });

  it('of Codex stay its task, whatever it is told later', () => {
    const reader = new Reader();
    reader.add(reader.subagents.announce({ sessionId: 'c', title: 'C', description: 'Count all files.' }));
    reader.says('m', 'root', 'c', 'Hurry up.');
    assert.deepEqual(reader.shown('subagent c'), ['task: Count all files.', 'message: Hurry up.']);
  });

  it('say why it has failed', () => {
    const reader = new Reader();
    reader.add(reader.subagents.announce({ sessionId: 'c', title: 'C', description: 'Do this and that' }));
    const state = { state: 'idle', stopReason: 'error', error: { message: 'No more quota.' } };
    reader.add(reader.subagents.announce({ sessionId: 'c', state }));
    const failed = reader.events.find((event) => event.event === 'tool:error');
    assert.equal(failed?.event === 'tool:error' && failed.data.error, 'No more quota.');
  });

  it('have its thoughts between its steps', () => {
    const reader = new Reader();
    const thinks = (text: string, messageId = '') => ({ ...says(text, messageId), kind: 'thought' as const });
    reader.add(reader.subagents.mapUpdate('c', thinks('I should ')));
    reader.add(reader.subagents.mapUpdate('c', thinks('look.')));
    reader.add(reader.subagents.mapUpdate('c', { kind: 'call', call: { toolCallId: 'r', title: 'Read' } }));
    reader.add(reader.subagents.mapUpdate('c', thinks('Enough.')));
    reader.add(reader.subagents.mapUpdate('c', { kind: 'state', state: { state: 'idle' } }));
    const begun = reader.events.flatMap(({ data, event }) =>
      event === 'tool:pre' ? [data.call_id, data.parent_call_id] : [],
    );
    assert.deepEqual(begun, [
      ...['subagent c', undefined],
      ...['thought 1 of subagent c', 'subagent c'],
      ...['subagent c r', 'subagent c'],
      ...['thought 2 of subagent c', 'subagent c'],
    ]);
    assert.deepEqual(reader.shown('thought 1 of subagent c'), ['says: I should look.']);
    const ended = reader.events
      .filter(({ event }) => event === 'tool:post')
      .map(({ data }) => 'call_id' in data && data.call_id);
    assert.deepEqual(ended, ['thought 1 of subagent c', 'thought 2 of subagent c', 'subagent c']);
  });

  it('are read in both versions of the protocol', () => {
    const content = { type: 'text', text: 'x' };
    for (const read of [v1ShownSubagentUpdateOf, v2ShownSubagentUpdateOf]) {
      const of = (sessionUpdate: string, more: object) => read({ sessionUpdate, ...more })?.kind;
      assert.equal(of('session_message', { messageId: 'm', content: [content] }), 'sessionMessage');
      assert.equal(of('session_message_chunk', { messageId: 'm', content }), 'sessionMessage');
      assert.equal(of('agent_thought_chunk', { messageId: 'm', content }), 'thought');
      assert.equal(of('agent_message_chunk', { messageId: 'm', content }), 'message');
      assert.equal(of('config_option_update', { configOptions: [] }), 'options');
      assert.equal(of('usage_update', { used: 1, size: 2 }), 'usage');
      assert.equal(of('session_message', { messageId: 3 }), undefined);
    }
    assert.equal(
      v2ShownSubagentUpdateOf({ sessionUpdate: 'agent_thought', ...{ messageId: 'm', content: [content] } })?.kind,
      'thought',
    );
    assert.equal(sharedSubagentUpdateOf({ sessionUpdate: 'plan' }), undefined);
  });

  it('are all shown once and with their subagent, in whatever order they come', () => {
    for (let seed = 1; seed <= 300; seed++) {
      const random = seededRandom(seed);
      const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] ?? assert.fail();
      const reader = new Reader();
      const ids = ['a', 'b', 'c', 'd'];
      // Parents may be unknown, the subagent itself, or a loop.
      const announced = ids.slice(0, 3);
      const steps: (() => void)[] = announced.map((id) => () => {
        const parent = pick(['root', ...ids]);
        reader.add(
          parent === 'root'
            ? reader.subagents.announce({ sessionId: id, title: id })
            : reader.subagents.mapUpdate(parent, { kind: 'announcement', announcement: { sessionId: id, title: id } }),
        );
      });
      const texts: string[] = [];
      for (let nth = 0; nth < 6; nth++) {
        const [from, to] = [pick(['root', ...ids]), pick(['root', ...ids])];
        if (from === to) continue;
        const text = `message ${nth} from ${from} to ${to}`;
        texts.push(text);
        const isLinked = random() < 0.5;
        const more = isLinked ? { senderMessageId: `m${nth}`, recipientMessageId: `r${nth}` } : {};
        for (const reporter of [from, to]) {
          const id = isLinked && reporter === to ? `r${nth}` : `m${nth}`;
          steps.push(() => reader.says(id, from, to, text, reporter === 'root' ? undefined : reporter, more));
        }
      }
      for (const id of ids) {
        steps.push(() =>
          reader.add(
            reader.subagents.mapUpdate(id, { kind: 'call', call: { toolCallId: 'x', title: `call of ${id}` } }),
          ),
        );
        if (random() < 0.5)
          steps.push(() =>
            reader.add(
              reader.subagents.mapUpdate(id, { kind: 'state', state: { state: pick(['idle', 'running', 'odd']) } }),
            ),
          );
      }
      while (steps.length > 0) steps.splice(Math.floor(random() * steps.length), 1)[0]?.();
      reader.add(reader.mapper.endTurn({ stopReason: 'end_turn' }));
      const shownIn = new Map(
        ids.map((id) => [id, [...reader.shown(`subagent ${id}`), reader.titleOf(`subagent ${id}`) ?? ''].join('\n')]),
      );
      for (const text of texts) {
        const places = [...shownIn].filter(([, shown]) => shown.includes(text)).map(([id]) => id);
        const told = reader.notices.filter((notice) => notice.includes(text)).length;
        const [, from, to] = /from (\w+) to (\w+)/.exec(text) ?? [];
        assert.equal(places.length + told, 1, `seed ${seed}: ${text} is shown in ${places.join()} and ${told} notices`);
        assert.ok(
          places.every((id) => id === from || id === to),
          `seed ${seed}: ${text} is shown in ${places.join()}`,
        );
      }
      const begun = reader.events.flatMap(({ data, event }) => (event === 'tool:pre' ? [data] : []));
      for (const { call_id, parent_call_id } of begun)
        if (call_id?.endsWith(' x')) assert.equal(call_id, `${parent_call_id} x`, `seed ${seed}`);
    }
  });
});

function says(text: string, messageId: string) {
  return { kind: 'message' as const, messageId, content: [{ type: 'text' as const, text }], isWhole: false };
}
