import type { EventData } from '../../../session/common/sessionEvents';
import { pathOf, type ToolInput } from '../transcript/toolParts';

/**
 * A file that a call changes, and what the agent says about the change: texts of the whole file or of a piece of it. They are
 * the agent's words: nothing is ever written to a file because of them.
 */
export interface TouchedFile {
  readonly path: string;
  readonly old?: string | null;
  readonly new?: string;
}

type CallFacts = Pick<EventData<'tool:update'>, 'content' | 'input' | 'locations'>;

const writes: ReadonlySet<string> = new Set(['edit', 'delete', 'move']);

/** The files that a call of this kind changes. One that only reads changes none, whatever it shows. */
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
  // What moves has a second name.
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

/** Whether the change seems to be made already, so that `now` is not how the file was before. Null for no file. */
export function looksMade(now: string | null, { old, new: after }: TouchedFile): boolean {
  if (now === null || after === undefined || after === old) return false;
  if (now === after) return true;
  if (old === undefined || old === null || after === '' || !now.includes(after)) return false;
  return old === '' || after.includes(old) || !now.includes(old);
}

/** Whether the file has in it what the agent says to have written; undefined when it does not say. */
export function hasWritten(now: string | null, { new: after }: TouchedFile): boolean | undefined {
  if (after === undefined) return undefined;
  return now !== null && unixLines(now).includes(unixLines(after));
}

function unixLines(text: string): string {
  return text.replaceAll('\r\n', '\n');
}
