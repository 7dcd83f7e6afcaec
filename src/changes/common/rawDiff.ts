import type { FileKind } from './checkpoint';

/** The state of a file on one side of a change, as in Git's output. */
export interface RawSide {
  readonly kind: FileKind;
  readonly object: string;
}

export interface RawChange {
  readonly path: string;
  /** Previous path of a renamed file. */
  readonly from?: string;
  readonly before: RawSide | undefined;
  readonly after: RawSide | undefined;
  readonly isBinary: boolean;
  readonly addedLines: number;
  readonly deletedLines: number;
}

interface Counts {
  readonly isBinary: boolean;
  readonly addedLines: number;
  readonly deletedLines: number;
}

const uncounted: Counts = { isBinary: false, addedLines: 0, deletedLines: 0 };

/** Undefined if the mode is not that of a file or symbolic link, for example for a submodule. */
export function kindOfMode(mode: string): FileKind | undefined {
  if (mode === '100644' || mode === '100664') return 'file';
  if (mode === '100755') return 'executable';
  return mode === '120000' ? 'symlink' : undefined;
}

/** Parses the output of `git diff-tree -r -z --raw --numstat`, split at NUL. @throws Error for any other format */
export function readRawDiff(fields: readonly string[]): RawChange[] {
  const reader = new RawDiffReader(fields);
  const found: Omit<RawChange, keyof Counts>[] = [];
  while (reader.peek()?.startsWith(':') === true) {
    const [oldMode = '', newMode = '', oldObject = '', newObject = '', status = ''] = reader.next().slice(1).split(' ');
    const first = reader.next();
    const isRename = /^[RC]/.test(status);
    found.push({
      path: isRename ? reader.next() : first,
      ...(isRename && { from: first }),
      before: sideOf(oldMode, oldObject),
      after: sideOf(newMode, newObject),
    });
  }
  const counts = readCounts(reader);
  return found.map((change) => ({ ...change, ...(counts.get(change.path) ?? uncounted) }));
}

function readCounts(reader: RawDiffReader): Map<string, Counts> {
  const counts = new Map<string, Counts>();
  while (reader.peek() !== undefined) {
    const field = reader.next();
    const match = /^(\d+|-)\t(\d+|-)\t([^]*)$/.exec(field);
    if (!match) throw new Error('Git printed a difference in an unknown format.');
    const [, added = '', deleted = '', name = ''] = match;
    // A renamed file has its two names in separate fields, which follow an empty name.
    if (name === '') reader.next();
    const path = name === '' ? reader.next() : name;
    const isBinary = added === '-';
    counts.set(path, {
      isBinary,
      addedLines: isBinary ? 0 : Number(added),
      deletedLines: isBinary ? 0 : Number(deleted),
    });
  }
  return counts;
}

function sideOf(mode: string, object: string): RawSide | undefined {
  const kind = kindOfMode(mode);
  return kind && { kind, object };
}

/** Reads the fields of the output one after another. */
class RawDiffReader {
  private position = 0;
  constructor(private readonly fields: readonly string[]) {}

  peek(): string | undefined {
    return this.fields[this.position];
  }

  next(): string {
    const field = this.fields[this.position++];
    if (field === undefined) throw new Error('The output of Git is incomplete.');
    return field;
  }
}
