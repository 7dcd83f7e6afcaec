import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { HistoryItem } from '../session/history';
import { textContent } from './v1ToolCall';

export function replayUpdateOf(item: HistoryItem): SessionUpdate {
  switch (item.type) {
    case 'user':
      return { sessionUpdate: 'user_message_chunk', content: { type: 'text', text: item.text } };
    case 'agent':
      return { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: item.text } };
    case 'thought':
      return { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: item.text } };
    case 'plan':
      return { sessionUpdate: 'plan', entries: item.entries };
    case 'tool':
      return {
        sessionUpdate: 'tool_call',
        toolCallId: item.toolCallId,
        title: item.title,
        kind: item.kind,
        status: item.status,
        content: item.content.map((part) => (part.type === 'text' ? textContent(part.text) : part)),
        locations: item.path === undefined ? [] : [{ path: item.path }],
      };
  }
}
