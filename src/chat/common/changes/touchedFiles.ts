import type { EventData } from '../../../session/common/sessionEvents';
import { pathOf, type ToolInput } from '../transcript/toolParts';

/** A file that a call changes. `old` and `new` are the whole file or a piece of it; reported by the agent, never restored. */
export interface TouchedFile {
  readonly path: string;
  readonly old?: string | null;
  readonly new?: string;
}

type CallFacts = Pick<EventData<'tool:update'>, 'content' | 'input' | 'locations'>;

const writes: ReadonlySet<string> = new Set(['edit', 'delete', 'move']);

/** Returns the files that a call changes; none if its kind only reads. */
export function touchedFiles(
  kind: string,
  { content = [], input = {}, locations = [] }: CallFacts,
): readonly TouchedFile[] {
  if (!writes.has(kind)) return [];
  const diffs = content.flatMap((item) =>
    item.type === 'diff' ? [{ path: item.path, old: item.old_text, new: item.new_text }] : [],
  );
  const path = pathOf(input);
  const named = path === undefined ? [] : [{ path, ...replacement(input) }];
  const target = kind === 'move' ? [input['destination'], input['new_path'], input['to']] : [];
  const others = [
    ...locations.map((location) => location.path),
    ...target.filter((other) => typeof other === 'string'),
  ];
  const told = new Set([...diffs, ...named].map((file) => file.path));
  return [...diffs, ...named, ...others.filter((other) => !told.has(other)).map((other) => ({ path: other }))];
}

function replacement(input: ToolInput): { old?: string; new?: string } {
  const { old_string: before, new_string: after, content } = input;
  if (typeof before === 'string' && typeof after === 'string') return { old: before, new: after };
  return typeof content === 'string' ? { new: content } : {};
}

/** Whether the change seems to be already in `now`, the current text (null if there is no file). */
export function looksMade(now: string | null, { old, new: after }: TouchedFile): boolean {
  if (now === null || after === undefined || after === old) return false;
  if (now === after) return true;
  if (old === undefined || old === null || after === '' || !now.includes(after)) return false;
  return old === '' || after.includes(old) || !now.includes(old);
}

/** Whether the file contains the text that the agent reports to have written; undefined if it doesn't report one. */
export function hasWritten(now: string | null, { new: after }: TouchedFile): boolean | undefined {
  if (after === undefined) return undefined;
  return now !== null && unixLines(now).includes(unixLines(after));
}

/** Normalizes line endings to line feeds. */
export function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
