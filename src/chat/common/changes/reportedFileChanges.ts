import type { EventData } from '../../../session/common/sessionEvents';
import { pathOfInput, type ToolInput } from '../transcript/toolParts';

/**
 * A file that a call changes. `oldText` and `newText` are the whole file or a part of it. The agent reports them, so
 * they are never restored.
 */
export interface ReportedFileChange {
  readonly path: string;
  readonly oldText?: string | null;
  readonly newText?: string;
}

type CallFacts = Pick<EventData<'tool:update'>, 'content' | 'input' | 'locations'>;

const writingKinds: ReadonlySet<string> = new Set(['edit', 'delete', 'move']);

/** Returns the files that a call changes. Empty if calls of its kind only read. */
export function reportedFileChanges(
  kind: string,
  { content = [], input = {}, locations = [] }: CallFacts,
): readonly ReportedFileChange[] {
  if (!writingKinds.has(kind)) return [];
  const diffs = content.flatMap((item) =>
    item.type === 'diff' ? [{ path: item.path, oldText: item.old_text, newText: item.new_text }] : [],
  );
  const path = pathOfInput(input);
  const named = path === undefined ? [] : [{ path, ...replacement(input) }];
  const target = kind === 'move' ? [input['destination'], input['new_path'], input['to']] : [];
  const others = [...locations.map((location) => location.path), ...target].filter((one) => typeof one === 'string');
  const described = new Set([...diffs, ...named].map((file) => file.path));
  const rest = others.filter((other) => !described.has(other));
  return [...diffs, ...named, ...rest.map((other) => ({ path: other }))];
}

function replacement(input: ToolInput): Omit<ReportedFileChange, 'path'> {
  const { old_string: oldText, new_string: newText, content } = input;
  if (typeof oldText === 'string' && typeof newText === 'string') return { oldText, newText };
  return typeof content === 'string' ? { newText: content } : {};
}

/** Whether the change seems to be already in the current text `now`, which is null if there is no file. */
export function isAlreadyApplied(now: string | null, { oldText, newText }: ReportedFileChange): boolean {
  if (now === null || newText === undefined || newText === oldText) return false;
  if (now === newText) return true;
  if (oldText === undefined || oldText === null || newText === '' || !now.includes(newText)) return false;
  return oldText === '' || newText.includes(oldText) || !now.includes(oldText);
}

/** Whether the file contains the text that the agent reports to have written. Undefined if it reported none. */
export function containsWrittenText(now: string | null, { newText }: ReportedFileChange): boolean | undefined {
  if (newText === undefined) return undefined;
  return now !== null && withUnixLineEndings(now).includes(withUnixLineEndings(newText));
}

export function withUnixLineEndings(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
