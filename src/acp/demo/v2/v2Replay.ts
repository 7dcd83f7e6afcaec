import type { SessionUpdate } from '@agentclientprotocol/sdk/experimental/v2';
import type { HistoryItem } from '../session/history';
import { diffContent, textContent } from './v2ToolCall';

/** Converts an item of the history to an update. `id` is unique within the session and stays the same. */
export function replayUpdateOf(item: HistoryItem, id: string): SessionUpdate {
  switch (item.type) {
    case 'user':
      return { sessionUpdate: 'user_message', messageId: id, content: [{ type: 'text', text: item.text }] };
    case 'agent':
      return { sessionUpdate: 'agent_message', messageId: id, content: [{ type: 'text', text: item.text }] };
    case 'thought':
      return { sessionUpdate: 'agent_thought', messageId: id, content: [{ type: 'text', text: item.text }] };
    case 'plan':
      return { sessionUpdate: 'plan_update', plan: { type: 'items', planId: 'demo', entries: item.entries } };
    case 'tool':
      return {
        sessionUpdate: 'tool_call_update',
        toolCallId: item.toolCallId,
        title: item.title,
        kind: item.kind,
        status: item.status,
        content: item.content.map((part) =>
          part.type === 'text' ? textContent(part.text) : diffContent(part.path, part.oldText, part.newText),
        ),
        locations: item.path === undefined ? [] : [{ path: item.path }],
      };
  }
}
