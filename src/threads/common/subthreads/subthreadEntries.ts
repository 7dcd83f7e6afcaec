import type { Entry, EntryOf } from '../../../transcript/common/entries';

export type SubagentCall = EntryOf<'tool'> & { readonly subthread: string };

/** How many threads may be inside each other on one page and in one export. */
const maxDepth = 3;

export function isSubagentCall(entry: Entry): entry is SubagentCall {
  return entry.kind === 'tool' && entry.subthread !== undefined;
}

/** The calls of which the transcript holds steps. */
export function callsWithSteps(entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ parent }) => parent ?? []));
}

/** Ids of a subagent's entries among those of the thread that started it. */
export function inlineId(callId: string, entryId: string): string {
  return `${callId}>${entryId}`;
}

/** Why a thread must not be shown inside those of `chain`, the outermost one first; undefined when it may be. */
export function nestingProblem(threadId: string, chain: readonly string[]): string | undefined {
  if (chain.includes(threadId)) return 'This subagent names a thread that it is itself a part of.';
  if (chain.length > maxDepth) return 'Subagents this deep are not shown here. Open the thread of this one.';
  return undefined;
}

/** Entries of subagents, made from those of their own threads. One that has not changed stays the same object. */
export class SubthreadMapper {
  private readonly made = new WeakMap<
    Entry,
    { readonly call: string; readonly parent: string; readonly entry: Entry }
  >();

  /** What a subagent said and did, as steps of its call: the last `maxCount` of them. */
  steps(call: SubagentCall, entries: readonly Entry[], maxCount: number): readonly Entry[] {
    const all = entries.filter((entry) => isStep(entry, call));
    const shown = all.slice(-maxCount);
    const ids = new Set(shown.map(({ id }) => id));
    const left = all.length - shown.length;
    if (all.length === 0) return [this.note(call, 'empty', 'info', 'Nothing was said in this thread yet.')];
    return [
      ...(left > 0
        ? [this.note(call, 'left', 'info', `The first ${left} steps are only in the subagent's thread.`)]
        : []),
      ...shown.map((entry) => {
        const isInside = entry.parent !== undefined && ids.has(entry.parent);
        return this.step(
          call,
          entry,
          isInside && entry.parent !== undefined ? inlineId(call.id, entry.parent) : call.id,
        );
      }),
    ];
  }

  /** What is to be said in place of the steps, or before them. */
  note(call: SubagentCall, id: string, level: EntryOf<'notice'>['level'], text: string): Entry {
    return { kind: 'notice', id: inlineId(call.id, `${id}.note`), turn: call.turn, parent: call.id, level, text };
  }

  private step(call: SubagentCall, entry: Entry, parent: string): Entry {
    const made = this.made.get(entry);
    if (made?.call === call.id && made.parent === parent && made.entry.turn === call.turn) return made.entry;
    const base = { id: inlineId(call.id, entry.id), turn: call.turn, parent };
    const own: Entry =
      entry.kind === 'prompt'
        ? { kind: 'notice', ...base, level: 'info', text: `Prompt: ${entry.text}` }
        : { ...entry, ...base };
    this.made.set(entry, { call: call.id, parent, entry: own });
    return own;
  }
}

/** The prompt that the call shows as its input, and ends at which all went well, say nothing more. */
function isStep(entry: Entry, call: SubagentCall): boolean {
  if (entry.kind === 'end') return entry.outcome !== 'completed';
  return entry.kind !== 'prompt' || call.input?.includes(JSON.stringify(entry.text)) !== true;
}
