import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { ThreadEntry } from './draftSchema';
import { messageText } from './draftThreads';

/** Converts a thread to session events. A turn lasts from one user message to the next. */
export function replayThreadAsEvents(sessionId: string, entries: readonly ThreadEntry[]): SessionEvent[] {
  if (entries.length === 0) return [];
  const ofSession = { session_id: sessionId };
  const events = entries.flatMap((entry, index): SessionEvent[] => {
    if (entry.type === 'readFile')
      return createReadFileEvents(sessionId, `history-${index}`, entry.path, entry.content);
    if (entry.role !== 'user') return answerMessageEvents(sessionId, messageText(entry));
    return [{ event: 'prompt:submit', data: { ...ofSession, prompt: messageText(entry), replayed: true } }];
  });
  return [...events, { event: 'prompt:complete', data: { ...ofSession, response: '' } }];
}

export function answerMessageEvents(sessionId: string, text: string): SessionEvent[] {
  return [
    textDeltaEvent(sessionId, text),
    { event: 'content_block:end', data: { session_id: sessionId, block_index: 0 } },
  ];
}

export function textDeltaEvent(sessionId: string, delta: string): SessionEvent {
  return { event: 'content_block:delta', data: { session_id: sessionId, block_index: 0, delta } };
}

export function createReadFileEvents(sessionId: string, callId: string, path: string, content: string): SessionEvent[] {
  const call = { session_id: sessionId, call_id: callId, tool_name: 'readFile', operation: 'read' };
  return [
    {
      event: 'tool:pre',
      data: { ...call, input: { path }, kind: 'read', title: `Read ${path}`, locations: [{ path }] },
    },
    { event: 'tool:post', data: { ...call, result: { success: true, output: content } } },
  ];
}
