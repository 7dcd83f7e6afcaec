import type { ShownSubagentUpdate } from '../session/agentMessages';
import { sharedSubagentUpdateOf } from '../subagents/sharedSubagentUpdates';
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
    case 'agent_message_chunk':
    case 'agent_thought_chunk': {
      const chunk = sessionUpdates[kind].safeParse(update).data;
      return chunk && { kind: wordsOf(kind), messageId: chunk.messageId, content: [chunk.content], isWhole: false };
    }
    case 'agent_message':
    case 'agent_thought': {
      const message = sessionUpdates[kind].safeParse(update).data;
      if (message?.content === undefined) return undefined;
      return { kind: wordsOf(kind), messageId: message.messageId, content: message.content ?? [], isWhole: true };
    }
    case 'config_option_update': {
      const changed = sessionUpdates[kind].safeParse(update).data;
      return changed && { kind: 'options', options: changed.configOptions };
    }
    case 'state_update': {
      const state = sessionUpdates[kind].safeParse(update).data;
      return state && { kind: 'state', state };
    }
    default:
      return sharedSubagentUpdateOf(update);
  }
}

function wordsOf(kind: `agent_${string}`): 'message' | 'thought' {
  return kind.startsWith('agent_thought') ? 'thought' : 'message';
}
