import type { SessionEvent, ToolContent } from '../../../session/common/sessionEvents';
import { ToolCallPairing } from '../../../session/common/normalize/toolCallPairing';
import { kindOf } from '../transcript/toolEntries';
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

/** What an event means for files. `call` pairs what is told of one call. */
export type FileFact =
  /** The call may change these files from now on, or has done so already. */
  | { readonly type: 'touches'; readonly call: string; readonly files: readonly TouchedFile[] }
  /** The call does nothing before its question is answered. */
  | { readonly type: 'waits'; readonly call: string; readonly approval: string }
  | { readonly type: 'answered'; readonly approval: string; readonly isGranted: boolean }
  /** `isDone`: it says that it has done what it was to do. */
  | { readonly type: 'ends'; readonly call: string; readonly files: readonly TouchedFile[]; readonly isDone: boolean };

const writes: ReadonlySet<string> = new Set(['edit', 'delete', 'move']);

/** Which files the calls of a turn change, as far as their events tell. Calls that only read change none, whatever they show. */
export class FileFacts {
  private readonly kinds = new Map<string, string>();
  private pairing: ToolCallPairing | undefined;
  private found: FileFact[] = [];

  startTurn(): void {
    this.kinds.clear();
    this.pairing = undefined;
  }

  of(event: SessionEvent): readonly FileFact[] {
    this.found = [];
    const pairing = (this.pairing ??= new ToolCallPairing(event.data.session_id, (paired) => this.paired(paired)));
    switch (event.event) {
      case 'tool:pre':
        pairing.pre(event);
        break;
      case 'tool:post':
        pairing.post(event);
        break;
      case 'tool:error':
        pairing.error(event);
        break;
      case 'tool:update': {
        const { call_id: call, kind, input } = event.data;
        const known = kind ?? this.kinds.get(call) ?? 'other';
        this.kinds.set(call, known);
        this.tell({ type: 'touches', call, files: touched(known, event.data, input ?? {}) });
        break;
      }
      case 'approval:required':
        this.asked(event.data.call_id ?? pairing.onlyOpenCallId, event.data.approval_id, event.data.context ?? {});
        break;
      case 'approval:granted':
      case 'approval:denied': {
        const isGranted = event.event === 'approval:granted';
        this.tell({ type: 'answered', approval: event.data.approval_id, isGranted });
        break;
      }
      default:
    }
    return this.found;
  }

  private paired(event: SessionEvent): void {
    if (event.event !== 'tool:pre' && event.event !== 'tool:post' && event.event !== 'tool:error') return;
    const { call_id: call = '', kind, tool_name: name, operation } = event.data;
    const known = kind ?? this.kinds.get(call) ?? kindOf(name, operation);
    this.kinds.set(call, known);
    if (event.event === 'tool:pre') {
      this.tell({ type: 'touches', call, files: touched(known, event.data, inputOf(event.data.input)) });
      return;
    }
    // It goes on, for all that is known.
    if (event.event === 'tool:error' && event.data.unfinished) return;
    const isDone = event.event === 'tool:post' && event.data.result.success;
    this.tell({ type: 'ends', call, files: touched(known, event.data, {}), isDone });
  }

  private asked(waiting: string | undefined, approval: string, context: Readonly<Record<string, unknown>>): void {
    const call = waiting ?? `approval ${approval}`;
    const { kind, paths, input } = context;
    if (typeof kind === 'string' && writes.has(kind)) {
      const named = Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [];
      const files = [...named.map((path) => ({ path })), ...touched(kind, {}, inputOf(input))];
      this.tell({ type: 'touches', call, files });
    }
    this.tell({ type: 'waits', call, approval });
  }

  private tell(fact: FileFact): void {
    this.found.push(fact);
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

function inputOf(value: unknown): ToolInput {
  return typeof value === 'object' && value !== null ? { ...value } : {};
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
