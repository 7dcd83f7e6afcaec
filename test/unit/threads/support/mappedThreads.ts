import assert from 'node:assert/strict';
import type { DocumentOrigin } from '../../../../src/threads/common/threadReader';
import type { MappedThread } from '../../../../src/threads/common/mapping/mapThread';
import { mapThreadJson } from '../../../../src/threads/common/mapping/mapThreadJson';
import { isRecord } from '../../../../src/base/common/isRecord';
import { normalizeMessage } from '../../../../src/threads/common/model/threadSchema';
import type { SearchableText } from '../../../../src/texts/common/searchableText';
import { searchableTextsOfThread } from '../../../../src/threads/common/query/threadTexts';
import type { EntryOf } from '../../../../src/transcript/common/entries';

/** Threads of a few messages, as a test writes them. */

export const live = { source: 'local', mtimeMs: 1_000_000, nowMs: 1_000_000 } as const;
export const old = { ...live, nowMs: 1_000_000 + 3_600_000 } as const;

export const prompt = (text: string, messageId: number) => ({
  role: 'user',
  messageId,
  content: [{ type: 'text', text }],
});
export const call = (name: string, input: object, messageId = 1) => ({
  role: 'assistant',
  messageId,
  state: { type: 'complete', stopReason: 'tool_use' },
  content: [{ type: 'tool_use', id: `c${messageId}`, name, complete: true, input }],
});
export const result = (run: object, messageId = 2, toolUseID = 'c1') => ({
  role: 'user',
  messageId,
  content: [{ type: 'tool_result', toolUseID, run }],
});
export const answer = (text: string, messageId: number, type = 'complete') => ({
  role: 'assistant',
  messageId,
  state: { type, ...(type === 'complete' ? { stopReason: 'end_turn' } : {}) },
  content: [{ type: 'text', text }],
});

/** All text of a document that a search goes through; nothing for what is no thread. */
export function textsIn(document: unknown): readonly SearchableText[] {
  if (!isRecord(document) || !Array.isArray(document['messages'])) return [];
  return searchableTextsOfThread(document, document['messages'].map(normalizeMessage));
}

export function read(messages: readonly unknown[], from: DocumentOrigin = live, more: object = {}): MappedThread {
  return mapThreadJson({ id: 'T-1', messages, ...more }, from);
}

export function toolIn({ entries }: Pick<MappedThread, 'entries'>, index = 0): EntryOf<'tool'> {
  const tool = entries.filter((entry) => entry.kind === 'tool')[index];
  assert.ok(tool);
  return tool;
}
