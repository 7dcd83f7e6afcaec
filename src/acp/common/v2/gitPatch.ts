import { parsePatch, type StructuredPatch } from 'diff';

/** The text of one file in a patch. */
export interface PatchedFile {
  /** Undefined for a new file. */
  readonly oldPath: string | undefined;
  /** Undefined for a deleted file. */
  readonly newPath: string | undefined;
  /** Parts of the file before and after the change. Empty for a change without text. */
  readonly hunks: readonly { readonly before: string; readonly after: string }[];
}

const maxFiles = 1_000;

/** Reads a patch as `git diff` writes it. Returns nothing for an invalid one: it only illustrates a described change. */
export function parseGitPatch(text: string): PatchedFile[] {
  return filesIn(text).map(({ oldFileName, newFileName, hunks }) => ({
    oldPath: pathIn(oldFileName, 'a/'),
    newPath: pathIn(newFileName, 'b/'),
    hunks: hunks.map(({ lines }) => ({ before: textWithout('+', lines), after: textWithout('-', lines) })),
  }));
}

function filesIn(text: string): StructuredPatch[] {
  try {
    // Text that is not a patch is returned as a file without names.
    return parsePatch(text)
      .filter(({ newFileName }) => newFileName !== undefined)
      .slice(0, maxFiles);
  } catch {
    return [];
  }
}

/** One side of a hunk. The line `\ No newline at end of file` applies to the line before it. */
function textWithout(marker: '+' | '-', lines: readonly string[]): string {
  return lines
    .map((line, index) => {
      if (line.startsWith(marker) || line.startsWith('\\')) return '';
      return line.slice(1) + (lines[index + 1]?.startsWith('\\') === true ? '' : '\n');
    })
    .join('');
}

function pathIn(name: string | undefined, prefix: string): string | undefined {
  if (name === undefined || name === '/dev/null') return undefined;
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
