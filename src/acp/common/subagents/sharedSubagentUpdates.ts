import type { ShownSubagentUpdate } from '../session/agentMessages';
import { sharedUpdates } from '../session/wireSchema';

/** Reads an update of a subagent's session that is the same in all versions; undefined if it is not shown. */
export function sharedSubagentUpdateOf(update: { readonly sessionUpdate: string }): ShownSubagentUpdate | undefined {
  const { sessionUpdate: kind } = update;
  switch (kind) {
    case 'subagent_update': {
      const announcement = sharedUpdates[kind].safeParse(update).data;
      return announcement && { kind: 'announcement', announcement };
    }
    case 'session_message':
    case 'session_message_chunk': {
      const message = sharedUpdates[kind].safeParse(update).data;
      return message && { kind: 'sessionMessage', message };
    }
    case 'usage_update': {
      const usage = sharedUpdates[kind].safeParse(update).data;
      return usage && { kind: 'usage', used: usage.used };
    }
    case 'notice': {
      const notice = sharedUpdates[kind].safeParse(update).data;
      return notice && { kind: 'notice', notice };
    }
    default:
      return undefined;
  }
}
