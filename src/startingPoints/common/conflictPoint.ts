import { clip } from '../../base/common/text/clip';
import { excerptOf } from './excerpt';
import type { StartingPoint } from './startingPoint';

/** One of the texts of a merge conflict. `name`: of its branch or commit, as the marker has it; may be empty. */
interface ConflictSide {
  readonly name: string;
  readonly text: string;
}

/** A merge conflict between markers. Lines are 0-based and include the markers. */
export interface Conflict {
  readonly first: number;
  readonly last: number;
  readonly ours: ConflictSide;
  readonly theirs: ConflictSide;
  /** The text before both changes, with `merge.conflictStyle` `diff3` or `zdiff3`. */
  readonly base?: ConflictSide;
}

interface ConflictsOfFile {
  /** Path for the prompt, as the user sees it. */
  readonly shownPath: string;
  /** Absolute path. */
  readonly path: string;
  /** The text of the file with unsaved changes. */
  readonly text: string;
  readonly conflicts: readonly Conflict[];
  /** The branch or commit that is checked out, if that is known. Markers call it `HEAD`. */
  readonly branch: string | undefined;
  /** The whole file before both changes, if Git has it. */
  readonly baseText: string | undefined;
}

const marker = /^(<{7}|\|{7}|={7}|>{7})(?: (.*))?$/;
const maxSideUnits = 24 * 1024;
const maxBaseUnits = 32 * 1024;
const maxConflicts = 30;

/** Returns the merge conflicts in a text, in order. Markers that do not belong together are left out. Of several `=======`, the first one counts. */
export function findConflicts(text: string): Conflict[] {
  if (!text.includes('<<<<<<<')) return [];
  const found: Conflict[] = [];
  const lines = text.split(/\r\n|\n/);
  let places: { readonly mark: string; readonly name: string; readonly line: number }[] = [];
  const side = (from: number, to: number, name = ''): ConflictSide => ({
    name,
    text: lines.slice(from + 1, to).join('\n'),
  });
  for (const [line, content] of lines.entries()) {
    const [, symbols = '', name = ''] = marker.exec(content) ?? [];
    const mark = symbols.charAt(0);
    if (mark === '') continue;
    if (mark === '<') places = [];
    else if (places.length === 0) continue;
    places.push({ mark, name: name.trim(), line });
    if (mark !== '>') continue;
    const order = places.map((place) => place.mark).join('');
    const [start, second, third] = places;
    if (/^<=+>$/.test(order) && start && second) {
      const ours = side(start.line, second.line, start.name);
      found.push({ first: start.line, last: line, ours, theirs: side(second.line, line, name.trim()) });
    } else if (/^<\|=+>$/.test(order) && start && second && third) {
      const ours = side(start.line, second.line, start.name);
      const base = side(second.line, third.line, second.name);
      found.push({ first: start.line, last: line, ours, base, theirs: side(third.line, line, name.trim()) });
    }
    places = [];
  }
  return found;
}

/** Asks the agent to resolve merge conflicts of a file. */
export function conflictPoint(file: ConflictsOfFile): StartingPoint {
  const { shownPath, path, text, conflicts, baseText } = file;
  const [first] = conflicts;
  if (!first) throw new Error('There is no merge conflict in this file.');
  const [ours, theirs] = namesOf(first, file);
  const what =
    conflicts.length === 1
      ? `the merge conflict in ${shownPath}, lines ${first.first + 1} to ${first.last + 1}`
      : `the ${conflicts.length} merge conflicts in ${shownPath}`;
  const hasBase = conflicts.every(({ base }) => base !== undefined);
  const ranges = conflicts.slice(0, maxConflicts).map(({ first: from, last }) => ({ first: from, last }));
  const parts = [
    ...conflicts.slice(0, maxConflicts).flatMap((conflict) => describe(conflict, file)),
    `The lines around, with the markers, in ${path}:`,
    excerptOf(text, ranges, maxSideUnits),
    ...(hasBase || baseText === undefined
      ? []
      : ['', 'The whole file before both changes:', clip(baseText, maxBaseUnits)]),
  ];
  const title = conflicts.length === 1 ? `Merge conflict in ${shownPath}` : `Merge conflicts in ${shownPath}`;
  return {
    prompt: `Resolve ${what} between ${ours} and ${theirs}. Keep what both sides intend, and remove the markers.`,
    texts: [{ title, text: parts.join('\n') }],
  };
}

function namesOf({ ours, theirs }: Conflict, { branch }: ConflictsOfFile): [ours: string, theirs: string] {
  const nameOf = (name: string, fallback: string): string => {
    if (name === '') return fallback;
    return name === 'HEAD' && branch !== undefined ? branch : name;
  };
  return [nameOf(ours.name, 'this side'), nameOf(theirs.name, 'the other side')];
}

function describe(conflict: Conflict, file: ConflictsOfFile): string[] {
  const [ours, theirs] = namesOf(conflict, file);
  const { first, last, base } = conflict;
  return [
    `Conflict in ${file.path}, lines ${first + 1} to ${last + 1}`,
    `Here (${ours}):`,
    clip(conflict.ours.text, maxSideUnits),
    ...(base ? ['Before both changes:', clip(base.text, maxSideUnits)] : []),
    `There (${theirs}):`,
    clip(conflict.theirs.text, maxSideUnits),
    '',
  ];
}
