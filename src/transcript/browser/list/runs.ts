import type { Entry, EntryOf } from '../../common/entries';
import { toolFailureText } from '../../common/toolFailure';
import { formatCountWithNoun } from '../parts/format';

/** What a list shows as one element: an entry by its id, or a run of entries that are folded into one line. */
export type ListItem = string | readonly string[];

/** Fewer calls are not worth a line that hides them. */
const minRunLength = 3;

type ToolKind = EntryOf<'tool'>['toolKind'];

/** Whether calls of this kind only look at something. They end at once, and an agent makes many of them. */
export function isLookup(kind: ToolKind): kind is 'read' | 'search' | 'fetch' {
  return kind === 'read' || kind === 'search' || kind === 'fetch';
}

/** Whether the entry may be a part of a run: a finished read, search or fetch. Others stand by themselves. */
export function canFold(entry: Entry): boolean {
  return (
    entry.kind === 'tool' &&
    isLookup(entry.toolKind) &&
    entry.state === 'done' &&
    entry.subthread === undefined &&
    entry.parts.every(({ type }) => type !== 'diff' && type !== 'terminal') &&
    toolFailureText(entry) === undefined
  );
}

/** Whether nothing of the entry is shown. */
export function isInvisible(entry: Entry): boolean {
  if (entry.kind === 'end') {
    const { outcome, failure, usage, durationMs, changes = [] } = entry;
    return outcome === 'completed' && !failure && !usage && durationMs === undefined && changes.length === 0;
  }
  return (entry.kind === 'answer' || entry.kind === 'thinking') && entry.text === '' && !entry.streaming;
}

/** Groups entries that follow one another, without changing their order. `hasSteps`: whether an entry contains others. */
export function groupRuns(entries: readonly Entry[], hasSteps: (id: string) => boolean): ListItem[] {
  const items: ListItem[] = [];
  let run: string[] = [];
  /** Invisible entries at the end of the run. They belong to it only if it continues. */
  let invisible: string[] = [];
  let folded = 0;
  const endRun = (): void => {
    items.push(...(folded < minRunLength ? run : [run]), ...invisible);
    [run, invisible, folded] = [[], [], 0];
  };
  for (const entry of entries) {
    if (canFold(entry) && !hasSteps(entry.id)) {
      run.push(...invisible, entry.id);
      invisible = [];
      folded++;
    } else if (folded > 0 && isInvisible(entry)) {
      invisible.push(entry.id);
    } else {
      endRun();
      items.push(entry.id);
    }
  }
  endRun();
  return items;
}

/** Names what is in a run, for example `Read 9 files, searched 3 times`. `durationMs`: of all calls; 0 if it is not known. */
export function describeRun(entries: readonly Entry[]): { readonly text: string; readonly durationMs: number } {
  const calls = entries.filter((entry) => entry.kind === 'tool');
  const of = (kind: ToolKind): readonly EntryOf<'tool'>[] => calls.filter(({ toolKind }) => toolKind === kind);
  const files = new Set(of('read').map(({ locations, title }) => locations?.[0]?.path ?? title)).size;
  const [searches, fetches] = [of('search').length, of('fetch').length];
  const words = [
    ...(files > 0 ? [`read ${formatCountWithNoun(files, 'file')}`] : []),
    ...(searches > 0 ? [`searched ${searches === 1 ? 'once' : formatCountWithNoun(searches, 'time')}`] : []),
    ...(fetches > 0 ? [`fetched ${formatCountWithNoun(fetches, 'page')}`] : []),
  ].join(', ');
  return {
    text: words.charAt(0).toUpperCase() + words.slice(1),
    durationMs: calls.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0),
  };
}
