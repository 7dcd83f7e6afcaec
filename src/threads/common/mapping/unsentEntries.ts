import { isRecord, asNonEmptyText } from '../model/jsonValues';
import { promptText } from '../model/promptText';
import { displayJson } from '../model/displayJson';
import type { ThreadDocument } from '../model/threadSchema';
import type { EntryWithRawJson } from './parts/entryWithRawJson';

/** Maps the draft and the queued prompts. */
export function unsentEntries({ draft, queuedMessages }: ThreadDocument, turn: number): readonly EntryWithRawJson[] {
  const drafts =
    draft === undefined || draft === null ? [] : [unsentEntry('draft', turn, 'Draft, not sent', draft, draft)];
  const queued = (queuedMessages ?? []).map((raw, index) =>
    unsentEntry(`queued.${index}`, turn, 'Queued, not sent', isRecord(raw) ? raw['queuedMessage'] : raw, raw),
  );
  return [...drafts, ...queued].filter((item) => item !== undefined);
}

function unsentEntry(
  id: string,
  turn: number,
  label: string,
  message: unknown,
  raw: unknown,
): EntryWithRawJson | undefined {
  const content = isRecord(message) ? message['content'] : message;
  if ((Array.isArray(content) && content.length === 0) || content === '') return undefined;
  const text = asNonEmptyText(promptText(content)) ?? displayJson(message);
  return { entry: { kind: 'notice', id, turn, level: 'info', text: `${label}: ${text}` }, raw };
}
