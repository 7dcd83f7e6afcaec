import type { SessionEvent } from '../../../session/common/sessionEvents';
import type { AgentNotice } from './agentMessages';

export const afterTaskNotice = 'The agent wrote this without a prompt, because a task in the background has finished.';

export function noticeEvent(session_id: string, level: 'info' | 'warning' | 'error', message: string): SessionEvent {
  return { event: 'notice', data: { session_id, level, message } };
}

/** Converts a notice of the agent. */
export function eventOfNotice(sessionId: string, { description, severity, title }: AgentNotice): SessionEvent {
  const level = severity === 'warning' || severity === 'error' ? severity : 'info';
  return noticeEvent(sessionId, level, description === undefined ? title : `${title}\n${description}`);
}

/** Converts what the agent says of shortening the history of its session. */
export function eventsOfCompaction(
  session_id: string,
  { error = '', status }: { readonly status: string; readonly error: string | undefined },
): SessionEvent[] {
  switch (status) {
    case 'in_progress': {
      const message = 'The agent is compacting the conversation.';
      return [{ event: 'status:update', data: { session_id, status: 'compacting', message } }];
    }
    case 'completed':
      return [noticeEvent(session_id, 'info', 'The agent compacted the conversation. Details may be lost.')];
    case 'failed':
      return [noticeEvent(session_id, 'warning', `The agent could not compact the conversation. ${error}`.trim())];
    default:
      return [];
  }
}
