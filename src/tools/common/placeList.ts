import { countWithNoun } from '../../base/common/text/countWithNoun';
import { CodeLines } from './text/codeLines';
import { maxPlaces, type Place } from './languagePort';
import { shortenLineAround } from './text/lineTexts';
import { sortByNearness } from './search/nearness';
import { pageFooter, selectPage } from './text/pages';
import { displayPath } from './text/displayPath';
import type { ToolPorts } from './toolPorts';
import { filterAccessibleFiles } from './search/accessibleFiles';

const linesPerPage = 50;

export interface AccessiblePlace extends Place {
  readonly path: string;
}

interface VisiblePlaces<P extends AccessiblePlace> {
  /** Nearest first, then in text order. */
  readonly places: readonly P[];
  /** Sentences about omitted places. */
  readonly remarks: readonly string[];
}

/** Keeps the places that agents may see, nearest to `anchor` (an absolute path) first. */
export async function filterAccessiblePlaces<P extends Place>(
  found: readonly P[],
  anchor: string | undefined,
  { editor }: Pick<ToolPorts, 'editor'>,
  signal: AbortSignal,
): Promise<VisiblePlaces<P & AccessiblePlace>> {
  const byPath = new Map<string, (P & AccessiblePlace)[]>();
  let outside = 0;
  for (const place of found) {
    if (!hasPath(place)) {
      outside++;
      continue;
    }
    const same = byPath.get(place.path);
    if (same) same.push(place);
    else byPath.set(place.path, [place]);
  }
  const files = await filterAccessibleFiles(sortByNearness([...byPath.keys()], anchor), editor, signal);
  outside += files.outside.length;
  const places = files.paths.flatMap((path) => inTextOrder(byPath.get(path) ?? []));
  return {
    places,
    remarks: [
      ...(found.length >= maxPlaces ? ['VS Code found more, which were not checked.'] : []),
      ...(outside > 0 ? [`${countWithNoun(outside, 'more file is', 'more files are')} outside the workspace.`] : []),
      ...(files.uncheckedCount > 0 ? ['Only the nearest 2,000 files were checked: there are more.'] : []),
    ],
  };
}

interface PlaceListOptions<P extends AccessiblePlace> {
  /** 1-based. */
  readonly page: number;
  /** Describes a place, shown after its line of code. */
  readonly label?: (place: P) => string;
}

/** One page of places, grouped by file, with their lines of code. */
export async function listPlaces<P extends AccessiblePlace>(
  places: readonly P[],
  { editor }: Pick<ToolPorts, 'editor'>,
  { page, label }: PlaceListOptions<P>,
  signal: AbortSignal,
): Promise<string[]> {
  const shown = selectPage(groupByLine(places), page, linesPerPage);
  const code = new CodeLines(editor, signal);
  const rows: string[] = [];
  let file: string | undefined;
  for (const { place, count } of shown.items) {
    const { path, range } = place;
    if (path !== file) rows.push(displayPath(path, { folders: editor.folders }));
    file = path;
    const { line, character } = range.start;
    const text = shortenLineAround(await code.lineText(path, line), character);
    const what = label?.(place) ?? '';
    rows.push(`  ${line + 1}: ${text}${count > 1 ? ` (${count} times)` : ''}${what === '' ? '' : `  [${what}]`}`);
  }
  return [...rows, ...pageFooter(shown, shown.remainingCount === 1 ? 'line' : 'lines')];
}

interface PlacesInLine<P> {
  readonly place: P;
  readonly count: number;
}

function groupByLine<P extends AccessiblePlace>(places: readonly P[]): readonly PlacesInLine<P>[] {
  const lines = new Map<string, { place: P; count: number }>();
  for (const place of places) {
    const key = `${place.range.start.line} ${place.path}`;
    const line = lines.get(key);
    if (line) line.count++;
    else lines.set(key, { place, count: 1 });
  }
  return [...lines.values()];
}

function hasPath<P extends Place>(place: P): place is P & AccessiblePlace {
  return place.path !== undefined;
}

function inTextOrder<P extends Place>(places: readonly P[]): readonly P[] {
  return places.toSorted(
    ({ range: { start: a } }, { range: { start: b } }) => a.line - b.line || a.character - b.character,
  );
}
