import type { Chat, ExportFormat } from '../chatPorts';
import type { ChatStore, ConversationHead } from '../chatStore';
import { storedEntries } from './storedEntries';

/** Exports a conversation that is open, or one that is stored, by its id. @throws ChatError */
export async function exportConversation(
  store: Pick<ChatStore, 'heads' | 'read'>,
  conversation: Chat | string,
  format: ExportFormat,
): Promise<string> {
  const { exportTranscript } = await import('../../../transcript/common/export/exportTranscript');
  if (typeof conversation === 'string') {
    const { head, records } = await store.read(conversation);
    const about = { title: head.title, agentName: head.backendTitle, ...timesOf(head) };
    return exportTranscript(about, storedEntries(records, head.backendTitle), format);
  }
  const { backendTitle: agentName, title } = conversation.view;
  const { fullEntries, id: conversationId, transcript } = conversation;
  const entries = [...transcript.entries()].map((entry) => fullEntries.fullContent(entry.id) ?? entry);
  const head = store.heads.find(({ id }) => id === conversationId);
  return exportTranscript({ title, agentName, ...timesOf(head) }, entries, format);
}

function timesOf(head: ConversationHead | undefined): Partial<Pick<ConversationHead, 'createdAt' | 'updatedAt'>> {
  return head ? { createdAt: head.createdAt, updatedAt: head.updatedAt } : {};
}
