import type { Entry, EntryOf } from '../../../transcript/common/entries';

export type SubagentCall = EntryOf<'tool'> & { readonly subthread: string };

/** Maximum nesting depth of subthreads on a page and in an export. */
const maxDepth = 3;

export function isSubagentCall(entry: Entry): entry is SubagentCall {
  return entry.kind === 'tool' && entry.subthread !== undefined;
}

/** Returns the ids of calls that have steps in the transcript. */
export function callIdsWithSteps(entries: readonly Entry[]): ReadonlySet<string> {
  return new Set(entries.flatMap(({ parent }) => parent ?? []));
}

/** Returns the id of a subthread's entry inside the parent thread. */
export function nestedEntryId(callId: string, entryId: string): string {
  return `${callId}>${entryId}`;
}

/** Returns why a thread cannot be shown inside the threads of `chain` (outermost first). Undefined if it can. */
export function nestingProblem(threadId: string, chain: readonly string[]): string | undefined {
  if (chain.includes(threadId)) return 'This subagent’s thread contains itself.';
  if (chain.length > maxDepth) return 'This subagent is nested too deeply to show here. Open its thread.';
  return undefined;
}

/** Converts entries of subthreads to steps of their calls. An unchanged entry stays the same object. */
export class SubthreadMapper {
  private readonly mappedSteps = new WeakMap<Entry, { call: string; parent: string; step: Entry }>();

  /** Returns the last `maxCount` steps. */
  stepsOf(call: SubagentCall, entries: readonly Entry[], maxCount: number): readonly Entry[] {
    const all = entries.filter((entry) => isStep(entry, call));
    const shown = all.slice(-maxCount);
    const ids = new Set(shown.map(({ id }) => id));
    const omittedCount = all.length - shown.length;
    if (all.length === 0) return [this.createNotice(call, 'empty', 'info', 'This thread is empty.')];
    return [
      ...(omittedCount > 0
        ? [
            this.createNotice(
              call,
              'left',
              'info',
              `The first ${omittedCount} steps are not shown here. Open the subagent’s thread to see them.`,
            ),
          ]
        : []),
      ...shown.map((entry) => {
        const { parent } = entry;
        const isNested = parent !== undefined && ids.has(parent);
        return this.toStep(call, entry, isNested ? nestedEntryId(call.id, parent) : call.id);
      }),
    ];
  }

  /** Creates a notice that is shown before or instead of the steps. */
  createNotice(call: SubagentCall, id: string, level: EntryOf<'notice'>['level'], text: string): Entry {
    return { kind: 'notice', id: nestedEntryId(call.id, `${id}.note`), turn: call.turn, parent: call.id, level, text };
  }

  private toStep(call: SubagentCall, entry: Entry, parent: string): Entry {
    const known = this.mappedSteps.get(entry);
    if (known?.call === call.id && known.parent === parent && known.step.turn === call.turn) return known.step;
    const base = { id: nestedEntryId(call.id, entry.id), turn: call.turn, parent };
    const step: Entry =
      entry.kind === 'prompt'
        ? { kind: 'notice', ...base, level: 'info', text: `Prompt: ${entry.text}` }
        : { ...entry, ...base };
    this.mappedSteps.set(entry, { call: call.id, parent, step });
    return step;
  }
}

/** Whether an entry is a step. False for the prompt, which is in the input of the call, and for successful ends. */
function isStep(entry: Entry, call: SubagentCall): boolean {
  if (entry.kind === 'end') return entry.outcome !== 'completed';
  return entry.kind !== 'prompt' || call.input?.includes(JSON.stringify(entry.text)) !== true;
}
