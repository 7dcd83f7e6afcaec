import assert from 'node:assert/strict';
import { SessionEventMapper } from '../../../../../../src/acp/common/session/sessionEventMapper';
import { V2Updates } from '../../../../../../src/acp/common/v2/v2Updates';
import { SessionGrammar } from '../../../../../../src/session/common/normalize/sessionGrammar';
import { SessionNormalizer } from '../../../../../../src/session/common/normalize/sessionNormalizer';
import { SubagentUpdates } from '../../../../../../src/acp/common/subagents/subagentUpdates';
import { SessionEvent, type EventOf, type SessionEventName } from '../../../../../../src/session/common/sessionEvents';

export type Update = Record<string, unknown> & { readonly sessionUpdate: string };

export const text = (words: string) => ({ type: 'text', text: words });
export const base64 = (bytes: string | Uint8Array) => Buffer.from(bytes).toString('base64');

/** Reads updates of one session; each event has to be of the vocabulary, and together they have to be the normal form. */
export class Reading {
  readonly mapper = new SessionEventMapper('s1', { monotonicNow: () => 0 });
  readonly updates = new V2Updates(this.mapper, new SubagentUpdates(this.mapper));
  readonly events: SessionEvent[] = [];
  private readonly grammar = new SessionGrammar();
  private readonly normalizer = new SessionNormalizer((event) => {
    assert.equal(this.grammar.checkEvent(event), undefined);
    assert.deepEqual(SessionEvent.parse(event), event);
    this.events.push(event);
  });

  constructor() {
    this.add([{ event: 'session:start', data: { session_id: 's1' } }]);
  }

  add(events: readonly SessionEvent[]): this {
    for (const event of events) this.normalizer.normalize(event);
    return this;
  }

  prompt(): this {
    return this.add(this.mapper.startTurn('go', 'r1'));
  }

  tell(...updates: Update[]): this {
    for (const update of updates) this.add(this.updates.mapUpdate(update));
    return this.add(this.mapper.takeTerminalUpdates());
  }

  end(): this {
    return this.add(this.mapper.endTurn({ stopReason: 'end_turn' }));
  }

  all<Name extends SessionEventName>(name: Name): EventOf<Name>['data'][] {
    return this.events.filter((event) => isOf(event, name)).map(dataOf);
  }

  last<Name extends SessionEventName>(name: Name): EventOf<Name>['data'] {
    const found = this.all(name).at(-1);
    assert.ok(found, `no ${name}`);
    return found;
  }

  get names(): string[] {
    return this.events.map(({ event }) => event);
  }

  get answer(): string {
    return this.all('content_block:delta')
      .map(({ delta }) => delta)
      .join('|');
  }
}

function dataOf<Event extends SessionEvent>(event: Event): Event['data'] {
  return event.data;
}

function isOf<Name extends SessionEventName>(event: SessionEvent, name: Name): event is EventOf<Name> {
  return event.event === name;
}

export const message = (messageId: string, content?: unknown): Update => ({
  sessionUpdate: 'agent_message',
  messageId,
  ...(content === undefined ? {} : { content }),
});
export const chunk = (messageId: string, words: string): Update => ({
  sessionUpdate: 'agent_message_chunk',
  messageId,
  content: text(words),
});
export const call = (toolCallId: string, more: object = {}): Update => ({
  sessionUpdate: 'tool_call_update',
  toolCallId,
  ...more,
});
export const stateIs = (state: string, more: object = {}): Update => ({
  sessionUpdate: 'state_update',
  state,
  ...more,
});
