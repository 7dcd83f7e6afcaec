import { hunksBetween, type LineRange } from '../../../changes/common/review/hunks';
import { splitLines } from '../../../changes/common/review/lines';

/** A changed file. The texts are null if it does not exist on that side. */
export interface ChangedFile {
  /** Absolute path. */
  readonly path: string;
  /** Path in the workspace, with `/`, as the reviewer sees it. */
  readonly shownPath: string;
  readonly before: string | null;
  readonly after: string | null;
}

interface ChangesToReview {
  /** The changes with the numbers of the new lines. */
  readonly text: string;
  /** The files of which the changes are in `text`. */
  readonly files: readonly ChangedFile[];
}

const contextLines = 3;
/** Longest text, in UTF-16 units. More changes do not fit in the context of many models. */
const maxUnits = 200_000;

/** Describes changes for an agent that reviews them. Files that do not fit are only named. */
export function changesToReview(changed: readonly ChangedFile[]): ChangesToReview {
  const files: ChangedFile[] = [];
  const named: string[] = [];
  let text = '';
  for (const file of changed) {
    const described = describe(file);
    if (text.length + described.length > maxUnits) named.push(file.shownPath);
    else {
      files.push(file);
      text += `${described}\n`;
    }
  }
  if (named.length > 0)
    text += `These files are changed too, and are not shown because they are too long:\n${named.join('\n')}\n`;
  return { text, files };
}

function describe({ after, before, shownPath }: ChangedFile): string {
  if (after === null) return `=== ${shownPath} (deleted)\n`;
  const what = before === null ? 'created' : 'modified';
  const [old, current] = [splitLines(before ?? ''), splitLines(after)];
  const width = String(current.length).length;
  const lineOf = (number: number | undefined, sign: string, line: string | undefined): string =>
    `${String(number ?? '').padStart(width)} ${sign} ${line ?? ''}\n`;
  const lines = ({ end, start }: LineRange, sign: string): string => {
    let text = '';
    for (let at = start; at < end; at++) text += lineOf(at + 1, sign, current[at]);
    return text;
  };
  const hunks =
    before === null
      ? [{ before: { start: 0, end: 0 }, after: { start: 0, end: current.length } }]
      : hunksBetween(before, after);
  let text = `=== ${shownPath} (${what})\n`;
  let shownTo = 0;
  for (const [index, hunk] of hunks.entries()) {
    const from = Math.max(shownTo, hunk.after.start - contextLines);
    if (from > shownTo) text += `${' '.repeat(width)} …\n`;
    text += lines({ start: from, end: hunk.after.start }, ' ');
    for (const line of old.slice(hunk.before.start, hunk.before.end)) text += lineOf(undefined, '-', line);
    text += lines(hunk.after, '+');
    shownTo = Math.min(current.length, hunks[index + 1]?.after.start ?? current.length, hunk.after.end + contextLines);
    text += lines({ start: hunk.after.end, end: shownTo }, ' ');
  }
  return text;
}
