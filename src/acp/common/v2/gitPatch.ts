/** The text of one file in a patch. */
export interface PatchedFile {
  /** Undefined for a new file. */
  readonly oldPath: string | undefined;
  /** Undefined for a deleted file. */
  readonly newPath: string | undefined;
  /** Pieces of the file before and after; none for a change without text. */
  readonly hunks: readonly { readonly before: string; readonly after: string }[];
}

const maxFiles = 1_000;

/**
 * Reads a patch as `git diff` writes it, with absolute paths. Lines that do not belong to a patch are skipped: the patch only
 * illustrates a change that is described elsewhere.
 */
export function parseGitPatch(text: string): PatchedFile[] {
  const lines = text.split('\n');
  const files: PatchedFile[] = [];
  for (let at = 0; at < lines.length && files.length < maxFiles;) {
    const isFile = lines[at]?.startsWith('--- ') === true && lines[at + 1]?.startsWith('+++ ') === true;
    if (!isFile) {
      at++;
      continue;
    }
    const [oldPath, newPath] = [pathIn(lines[at], 'a/'), pathIn(lines[at + 1], 'b/')];
    const { hunks, end } = parseHunks(lines, at + 2);
    files.push({ oldPath, newPath, hunks });
    at = end;
  }
  return files;
}

function parseHunks(lines: readonly string[], start: number): { hunks: PatchedFile['hunks'][number][]; end: number } {
  const hunks: PatchedFile['hunks'][number][] = [];
  let at = start;
  for (;;) {
    const header = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(lines[at] ?? '');
    if (!header) return { hunks, end: at };
    const found = parseHunk(lines, at + 1, { old: Number(header[1] ?? 1), new: Number(header[2] ?? 1) });
    hunks.push({ before: found.before, after: found.after });
    at = found.end;
  }
}

function parseHunk(
  lines: readonly string[],
  start: number,
  counts: { readonly old: number; readonly new: number },
): { before: string; after: string; end: number } {
  let before = '';
  let after = '';
  let { old: oldLeft, new: newLeft } = counts;
  let at = start;
  for (; at < lines.length && (oldLeft > 0 || newLeft > 0); at++) {
    const line = lines[at] ?? '';
    if (line.startsWith('\\')) continue;
    const ending = lines[at + 1]?.startsWith('\\') === true ? '' : '\n';
    const words = line.slice(1) + ending;
    const marker = line.charAt(0);
    if (marker !== '+' && marker !== '-' && marker !== ' ' && line !== '') break;
    if (marker !== '+') {
      before += words;
      oldLeft--;
    }
    if (marker !== '-') {
      after += words;
      newLeft--;
    }
  }
  if (lines[at]?.startsWith('\\')) at++;
  return { before, after, end: at };
}

/** The path in a `---` or `+++` line; a tab may follow. Git quotes names with special characters. */
function pathIn(line: string | undefined, prefix: string): string | undefined {
  const written = (line ?? '').slice(4).replace(/\t.*$/, '').replace(/\r$/, '');
  const name = written.startsWith('"') && written.endsWith('"') ? unquoted(written.slice(1, -1)) : written;
  if (name === '/dev/null') return undefined;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}

const escapes: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** Reads Git's C-style quoting: octal escapes are bytes of UTF-8. */
function unquoted(text: string): string {
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [piece, octal, letter] of text.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gsu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8) & 0xff);
    else if (letter !== undefined) bytes.push(...(letter in escapes ? [escapes[letter] ?? 0] : encoder.encode(letter)));
    else bytes.push(...encoder.encode(piece));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
