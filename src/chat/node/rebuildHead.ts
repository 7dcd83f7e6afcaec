import type { ConversationHead } from '../common/chatStore';
import { isPrompt, logVersion, type LogRecord } from '../common/conversation/logRecord';
import { titleOfPrompt } from '../common/conversation/conversationTitle';

export function rebuildHead(id: string, records: readonly LogRecord[]): ConversationHead {
  const begin = records.find((record) => record.type === 'begin');
  const prompt = records.find((record) => record.type === 'prompt');
  const firstPrompt = records.find(isPrompt);
  // A fork also contains records of other sessions.
  const bound = records.findLast((record) => record.type === 'bound' || record.type === 'forked');
  const forked = records.findLast((record) => record.type === 'forked');
  return {
    version: logVersion,
    id,
    title: titleOfPrompt(prompt?.text ?? ''),
    titledBy: 'prompt',
    backendId: begin?.backendId ?? '',
    backendTitle: begin?.backendId ?? '',
    ...(bound?.type === 'bound' ? { remoteId: bound.remoteId } : {}),
    ...(forked ? { forkedFrom: forked.from } : {}),
    createdAt: records[0]?.at ?? 0,
    updatedAt: records.at(-1)?.at ?? 0,
    state: 'idle',
    ...(firstPrompt ? { startedBy: firstPrompt.id } : {}),
  };
}
