import type { ShownSubagentUpdate } from '../session/agentMessages';
import type { ContentBlock } from '../session/wireSchema';
import { sessionUpdates } from './v2Schema';

/** Reads an update of a subagent's session; undefined if it is not shown. */
export function v2ShownSubagentUpdateOf(update: { readonly sessionUpdate: string }): ShownSubagentUpdate | undefined {
  const { sessionUpdate: kind } = update;
  switch (kind) {
    case 'tool_call_update': {
      const call = sessionUpdates[kind].safeParse(update).data;
      return call && { kind: 'call', call };
    }
    case 'tool_call_content_chunk': {
      const chunk = sessionUpdates[kind].safeParse(update).data;
      return chunk && { kind: 'callContent', toolCallId: chunk.toolCallId, items: chunk.content };
    }
    case 'agent_message_chunk': {
      const chunk = sessionUpdates[kind].safeParse(update).data;
      return chunk && messageOf(chunk.messageId, [chunk.content], false);
    }
    case 'agent_message': {
      const message = sessionUpdates[kind].safeParse(update).data;
      return message?.content === undefined ? undefined : messageOf(message.messageId, message.content ?? [], true);
    }
    case 'state_update': {
      const state = sessionUpdates[kind].safeParse(update).data;
      return state && { kind: 'state', state };
    }
    case 'subagent_update': {
      const announcement = sessionUpdates[kind].safeParse(update).data;
      return announcement && { kind: 'announcement', announcement };
    }
    case 'notice': {
      const notice = sessionUpdates[kind].safeParse(update).data;
      return notice && { kind: 'notice', notice };
    }
    default:
      return undefined;
  }
}

function messageOf(messageId: string, content: readonly ContentBlock[], isWhole: boolean): ShownSubagentUpdate {
  return { kind: 'message', messageId, content, isWhole };
}
