import type { AmplifierEvent, ToolContent } from '../../amplifier/common/events';
import { kindOf } from './toolEntries';
import { pathOf, type ToolInput } from './toolParts';

/** A file that a call changes, and what it says about the change: texts of the whole file or of a piece of it. */
export interface TouchedFile {
  readonly path: string;
  readonly old?: string | null;
  readonly new?: string;
}

const writes: ReadonlySet<string> = new Set(['edit', 'delete', 'move']);

/** Which files the calls of a turn change, as far as their events tell. */
export class FileFacts {
  private readonly kinds = new Map<string, string>();

  startTurn(): void {
    this.kinds.clear();
  }

  touchedBy(event: AmplifierEvent): TouchedFile[] {
    switch (event.event) {
      case 'tool:pre':
      case 'tool:post':
      case 'tool:error': {
        const { call_id: id, kind, tool_name: name, operation } = event.data;
        const known = kind ?? (id === undefined ? undefined : this.kinds.get(id)) ?? kindOf(name, operation);
        if (id !== undefined) this.kinds.set(id, known);
        return touched(known, event.data, 'input' in event.data ? inputOf(event.data.input) : {});
      }
      case 'tool:update': {
        const { call_id: id, kind, input } = event.data;
        const known = kind ?? this.kinds.get(id) ?? 'other';
        this.kinds.set(id, known);
        return touched(known, event.data, input ?? {});
      }
      case 'approval:required': {
        const { kind, paths, input } = event.data.context ?? {};
        if (typeof kind !== 'string' || !writes.has(kind)) return [];
        const named = Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
        return [...named.map((path) => ({ path })), ...touched(kind, {}, inputOf(input))];
      }
      default:
        return [];
    }
  }
}

function touched(
  kind: string,
  {
    content = [],
    locations = [],
  }: { content?: readonly ToolContent[] | undefined; locations?: readonly { path: string }[] | undefined },
  input: ToolInput,
): TouchedFile[] {
  const diffs = content.flatMap((item) =>
    item.type === 'diff' ? [{ path: item.path, old: item.old_text, new: item.new_text }] : [],
  );
  if (!writes.has(kind)) return diffs;
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
  const { old_string: before, new_string: after } = input;
  return typeof before === 'string' && typeof after === 'string' ? { old: before, new: after } : {};
}

function inputOf(value: unknown): ToolInput {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/**
 * How a file was before a change, from how it is now: the change may have been made already. `now` is null for a file that
 * does not exist.
 */
export function textBeforeChange(now: string | null, { old, new: after }: TouchedFile): string | null {
  if (now === null || after === undefined || old === undefined) return now;
  if (old === null) return now === after ? null : now;
  if (now === after) return old;
  if (after === '' || !isUnique(now, after)) return now;
  // A piece that was taken away is still there when the change has not been made.
  if (old.includes(after) && now.includes(old)) return now;
  return now.replace(after, () => old);
}

function isUnique(text: string, piece: string): boolean {
  const index = text.indexOf(piece);
  return index !== -1 && !text.includes(piece, index + 1);
}
