import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { ThreadEntry } from './draftSchema';
import { textOf } from './draftThreads';
import { MessageBlocks } from '../v1/messageBlocks';

/** A thread told again as events: a turn begins with a message of the user and ends before the next one. */
export function historyEvents(sessionId: string, entries: readonly ThreadEntry[]): SessionEvent[] {
  const ofSession = { session_id: sessionId };
  const events: SessionEvent[] = [];
  const blocks = new MessageBlocks(sessionId);
  let response: string | undefined;
  const endTurn = (): void => {
    events.push(...blocks.close());
    blocks.restart();
    if (response !== undefined) events.push({ event: 'prompt:complete', data: { ...ofSession, response } });
    response = undefined;
  };
  for (const [index, entry] of entries.entries()) {
    if (entry.type === 'readFile') {
      events.push(...blocks.close(), ...readFileEvents(sessionId, `history-${index}`, entry.path, entry.content));
    } else if (entry.role === 'user') {
      endTurn();
      response = '';
      events.push({ event: 'prompt:submit', data: { ...ofSession, prompt: textOf(entry), replayed: true } });
    } else {
      response = (response ?? '') + textOf(entry);
      events.push(...blocks.text(textOf(entry), `history-${index}`));
    }
  }
  endTurn();
  return events;
}

/** The reading of a file as the call of a tool that has ended. */
export function readFileEvents(sessionId: string, callId: string, path: string, content: string): SessionEvent[] {
  const call = { session_id: sessionId, call_id: callId, tool_name: 'readFile', operation: 'read' };
  return [
    {
      event: 'tool:pre',
      data: { ...call, input: { path }, kind: 'read', title: `Read ${path}`, locations: [{ path }] },
    },
    { event: 'tool:post', data: { ...call, result: { success: true, output: content } } },
  ];
}
