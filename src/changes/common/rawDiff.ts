import type { FileKind } from './checkpoint';

/** One side of a change, as Git tells of it. */
export interface RawSide {
  readonly kind: FileKind;
  readonly object: string;
}

export interface RawChange {
  readonly path: string;
  /** Where it was renamed from. */
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

/** Undefined for what is neither a file nor a symbolic link, such as a submodule. */
export function kindOfMode(mode: string): FileKind | undefined {
  if (mode === '100644' || mode === '100664') return 'file';
  if (mode === '100755') return 'executable';
  return mode === '120000' ? 'symlink' : undefined;
}

/**
 * Reads what `git diff-tree -r -z --raw --numstat` writes, split at NUL.
 * @throws Error when it is not of that form
 */
export function readRawDiff(items: readonly string[]): RawChange[] {
  const reader = new ItemReader(items);
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

function readCounts(reader: ItemReader): Map<string, Counts> {
  const counts = new Map<string, Counts>();
  while (reader.peek() !== undefined) {
    const item = reader.next();
    const match = /^(\d+|-)\t(\d+|-)\t([^]*)$/.exec(item);
    if (!match) throw new Error('Git has told of a difference in an unknown form.');
    const [, added = '', deleted = '', name = ''] = match;
    // The two names of a renamed file come as items of their own.
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

class ItemReader {
  private at = 0;
  constructor(private readonly items: readonly string[]) {}

  peek(): string | undefined {
    return this.items[this.at];
  }

  next(): string {
    const item = this.items[this.at++];
    if (item === undefined) throw new Error('What Git has told ends too early.');
    return item;
  }
}
