/** The changes to one file in a unified diff, as `diff -u` and `git diff` write them. */
export interface FileDiff {
  /** The path as written, without the prefixes `a/` and `b/` of Git. */
  readonly path: string;
  readonly change: 'edit' | 'create' | 'delete';
  readonly hunks: readonly Hunk[];
}

interface Hunk {
  /** First line of the hunk in the old text, 1-based. 0 if the old text is empty. */
  readonly oldStart: number;
  readonly lines: readonly DiffLine[];
}

interface DiffLine {
  readonly kind: 'context' | 'remove' | 'add';
  /** Text of the line, without its line ending. */
  readonly text: string;
  /** Whether the marker `\ No newline at end of file` follows the line. */
  readonly isLast: boolean;
}

/** Why a diff is invalid or does not match the text, for the user. */
export class DiffError extends Error {
  override readonly name = 'DiffError';
}

const kindByMarker: Readonly<Record<string, DiffLine['kind']>> = { ' ': 'context', '-': 'remove', '+': 'add' };

/** Parses one file's diff from the `---` line at `start`; `end` is the index after it. @throws DiffError */
export function parseFileDiff(lines: readonly string[], start: number): { diff: FileDiff; end: number } {
  const from = fileNameIn(lines[start], '--- ');
  const to = fileNameIn(lines[start + 1], '+++ ');
  if (from === undefined || to === undefined) throw new DiffError('the line "--- …" must be followed by "+++ …".');
  const hunks: Hunk[] = [];
  let at = start + 2;
  for (;;) {
    const header = /^@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(lines[at] ?? '');
    if (!header) break;
    const counts = { old: Number(header[2] ?? 1), new: Number(header[3] ?? 1) };
    const body = parseHunk(lines, at + 1, counts);
    hunks.push({ oldStart: Number(header[1]), lines: body.lines });
    at = body.end;
  }
  if (hunks.length === 0) throw new DiffError(`the changes to "${to}" have no line "@@ -line,count +line,count @@".`);
  return { diff: { ...pathAndChange(from, to), hunks }, end: at };
}

/** Applies a diff. Context lines must match except for their line endings, which are kept. @throws DiffError */
export function applyDiff(text: string, { hunks }: FileDiff): string {
  const old = splitLines(text);
  const ending = old.find((line) => line.ending !== '')?.ending ?? '\n';
  const result: Line[] = [];
  let at = 0;
  for (const { oldStart, lines } of hunks) {
    const removesNothing = lines.every(({ kind }) => kind === 'add');
    // `oldStart` is the line before the first added line if a hunk only adds lines, and otherwise the first line of the
    // hunk.
    const start = removesNothing ? oldStart : oldStart - 1;
    if (start < at || start > old.length) throw mismatchError(oldStart);
    result.push(...old.slice(at, start));
    at = start;
    for (const { kind, text: wanted, isLast } of lines) {
      if (kind === 'add') {
        result.push({ text: wanted, ending: isLast ? '' : ending });
        continue;
      }
      const line = old[at];
      if (line?.text !== wanted || (isLast && line.ending !== '')) throw mismatchError(at + 1);
      if (kind === 'context') result.push(line);
      at++;
    }
  }
  result.push(...old.slice(at));
  // Without the marker, the last line of the text keeps its line ending.
  const isMarked = hunks.some(({ lines }) => lines.some(({ isLast }) => isLast));
  const endsOpen = !isMarked && old.at(-1)?.ending === '';
  const last = result.pop();
  const whole = result.map((line) => line.text + (line.ending === '' ? ending : line.ending)).join('');
  return last ? whole + last.text + (endsOpen ? '' : last.ending) : whole;
}

const nullDevice = '/dev/null';

interface Line {
  readonly text: string;
  readonly ending: string;
}

function parseHunk(
  lines: readonly string[],
  start: number,
  counts: { readonly old: number; readonly new: number },
): { lines: DiffLine[]; end: number } {
  const found: DiffLine[] = [];
  let { old: oldLeft, new: newLeft } = counts;
  let at = start;
  for (; oldLeft > 0 || newLeft > 0; at++) {
    const line = lines[at];
    // An empty line is a context line whose leading space was removed.
    const kind =
      line === undefined ? undefined : line === '' || line === '\r' ? 'context' : kindByMarker[line.charAt(0)];
    if (line?.startsWith('\\')) continue;
    if (line === undefined || !kind) throw new DiffError(`a hunk has fewer lines than its "@@" line states.`);
    if (kind !== 'add') oldLeft--;
    if (kind !== 'remove') newLeft--;
    if (oldLeft < 0 || newLeft < 0) throw new DiffError(`a hunk has more lines than its "@@" line states.`);
    const isLast = lines[at + 1]?.startsWith('\\') === true;
    found.push({ kind, text: line.slice(1).replace(/\r$/, ''), isLast });
  }
  if (lines[at]?.startsWith('\\')) at++;
  return { lines: found, end: at };
}

/** The file name in a `---` or `+++` line; a tab and a time may follow. */
function fileNameIn(line: string | undefined, prefix: string): string | undefined {
  if (!line?.startsWith(prefix)) return undefined;
  return line.slice(prefix.length).split('\t', 1)[0]?.trim();
}

function pathAndChange(from: string, to: string): Pick<FileDiff, 'path' | 'change'> {
  const isGit = /^(a\/|\/dev\/null$)/.test(from) && /^(b\/|\/dev\/null$)/.test(to);
  const [oldPath, newPath] = [from, to].map((name) => (name === nullDevice ? undefined : isGit ? name.slice(2) : name));
  if (oldPath !== undefined && newPath !== undefined && oldPath !== newPath) {
    throw new DiffError(`it moves "${oldPath}" to "${newPath}". Moving files is not supported.`);
  }
  const path = newPath ?? oldPath;
  if (path === undefined || path === '') throw new DiffError('it names no file.');
  return { path, change: oldPath === undefined ? 'create' : newPath === undefined ? 'delete' : 'edit' };
}

function splitLines(text: string): Line[] {
  return [...text.matchAll(/([^\r\n]*)(\r\n|\n|\r|$)/g)]
    .map(([, line = '', ending = '']) => ({ text: line, ending }))
    .filter((line) => line.text !== '' || line.ending !== '');
}

function mismatchError(line: number): DiffError {
  return new DiffError(`line ${line} does not match the diff.`);
}
