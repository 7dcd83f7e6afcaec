import { BoundedMap } from '../../../base/common/boundedMap';
import { hunksOfLines, type Hunk, type LineRange } from '../../../changes/common/review/hunks';
import { splitLines } from '../../../changes/common/review/lines';
import { findMovedLines, isTelling } from './movedLines';

/**
 * What is known of how the turn came to have written a line:
 * - `written`: the line is as the turn has written it;
 * - `reformatted`: since then, only its white space has changed;
 * - `edited`: you or another program have edited it since;
 * - `command`: it was changed while the turn ran a command.
 */
export type Certainty = 'written' | 'reformatted' | 'edited' | 'command';

export interface LineAuthor<Turn> {
  readonly turn: Turn;
  readonly certainty: Certainty;
  /** The line as the turn has written it, if it was edited since. */
  readonly writtenAs?: string;
}

/** Who wrote each line of a text. Undefined where that is not known. */
export type LineAuthors<Turn> = readonly (LineAuthor<Turn> | undefined)[];

/** A change of the text of a file by a turn of an agent. */
interface TurnWrite<Turn> {
  readonly turn: Turn;
  readonly isByCommand: boolean;
  /** Whether others may have written at the same time. */
  readonly isDoubtful: boolean;
}

/** Maximum number of texts of which the authors are kept, for restores and for other branches. */
const maxKnownTexts = 64;

/**
 * Carries the authors of the lines of one file from text to text. Everything that is not told with `write` was done by the user or
 * another program.
 */
export class LineAuthorChain<Turn> {
  private lines: readonly string[] = [];
  private owners: LineAuthors<Turn> = [];
  /** The authors of texts that the file has had, by the text. The latest are last. */
  private readonly known = new BoundedMap<string, LineAuthors<Turn>>({ maxEntries: maxKnownTexts });
  /** The author of each line that is gone, by its text. Null: nobody is known, or several have written such a line. */
  private readonly gone = new Map<string, LineAuthor<Turn> | null>();

  /** The file has this text: somebody may have changed it. */
  observe(text: string): void {
    this.observeText(text, false);
  }

  /** Changes were undone in the text that was observed last, and the file has this text. */
  undo(text: string): void {
    this.observeText(text, true);
  }

  /** An agent has replaced the text. */
  write(text: string, write: TurnWrite<Turn>): void {
    const lines = splitLines(text);
    const hunks = hunksOfLines(this.lines, lines);
    const known = write.isByCommand ? this.known.get(text) : undefined;
    this.replace(text, lines, hunks, known ?? this.carry(lines, hunks, write));
  }

  /** Returns the authors of the lines of the text that the editor has, which is not kept. */
  authorsOf(text: string): LineAuthors<Turn> {
    const lines = splitLines(text);
    return this.known.get(text) ?? this.carry(lines, hunksOfLines(this.lines, lines), undefined);
  }

  private observeText(text: string, isUndo: boolean): void {
    const lines = splitLines(text);
    const hunks = hunksOfLines(this.lines, lines);
    this.replace(text, lines, hunks, this.known.get(text) ?? this.carry(lines, hunks, undefined, isUndo));
  }

  private replace(text: string, lines: readonly string[], hunks: readonly Hunk[], owners: LineAuthors<Turn>): void {
    for (const { before } of hunks) this.bury(before);
    this.lines = lines;
    this.owners = owners;
    this.known.set(text, owners);
  }

  private bury({ end, start }: LineRange): void {
    for (let index = start; index < end; index++) {
      const line = this.lines[index] ?? '';
      const owner = this.owners[index] ?? null;
      const other = this.gone.get(line);
      const isSame = other === undefined || (other !== null && owner !== null && isSameAuthor(other, owner));
      this.gone.set(line, isSame ? owner : null);
    }
  }

  /** Without `write`, somebody else has changed the text. */
  private carry(
    lines: readonly string[],
    hunks: readonly Hunk[],
    write: TurnWrite<Turn> | undefined,
    isUndo = false,
  ): LineAuthors<Turn> {
    const owners: (LineAuthor<Turn> | undefined)[] = [];
    let from = 0;
    for (const { after, before } of hunks) {
      for (let index = from; index < before.start; index++) owners.push(this.owners[index]);
      for (let index = after.start; index < after.end; index++) owners.push(undefined);
      from = before.end;
    }
    for (let index = from; index < this.lines.length; index++) owners.push(this.owners[index]);
    const settled = new Set<number>();
    for (const [index, old] of findMovedLines(this.lines, lines, hunks)) {
      owners[index] = this.owners[old];
      settled.add(index);
    }
    for (const hunk of hunks) this.carryHunk(hunk, lines, owners, settled, write, isUndo);
    return owners;
  }

  private carryHunk(
    hunk: Hunk,
    lines: readonly string[],
    owners: (LineAuthor<Turn> | undefined)[],
    settled: ReadonlySet<number>,
    write: TurnWrite<Turn> | undefined,
    isUndo: boolean,
  ): void {
    const editedFrom = write && !write.isByCommand ? new Map<number, number>() : this.findEdited(hunk, lines);
    for (let index = hunk.after.start; index < hunk.after.end; index++) {
      if (settled.has(index)) continue;
      const old = editedFrom.get(index);
      owners[index] = write
        ? this.authorOfWrite(lines[index] ?? '', old, write)
        : (this.returned(lines, index, isUndo) ??
          (old === undefined ? undefined : this.editedBy(lines[index] ?? '', old)));
    }
  }

  private authorOfWrite(line: string, old: number | undefined, write: TurnWrite<Turn>): LineAuthor<Turn> | undefined {
    const { isByCommand, isDoubtful, turn } = write;
    if (!isByCommand) return { turn, certainty: isDoubtful ? 'edited' : 'written' };
    const before = old === undefined ? '' : (this.lines[old] ?? '');
    const owner = old === undefined ? undefined : this.owners[old];
    // A formatter has not written what it formats.
    if (owner && isSameWithoutSpace(before, line)) return this.editedBy(line, old ?? 0);
    return { turn, certainty: 'command' };
  }

  /** Returns the author of a line that has come back, by an undo or another branch. */
  private returned(lines: readonly string[], index: number, isUndo: boolean): LineAuthor<Turn> | undefined {
    const line = lines[index] ?? '';
    const owner = this.gone.get(line) ?? undefined;
    if (!owner) return undefined;
    return isUndo || (isTelling(line) && lines.indexOf(line) === lines.lastIndexOf(line)) ? owner : undefined;
  }

  private editedBy(line: string, old: number): LineAuthor<Turn> | undefined {
    const owner = this.owners[old];
    const before = this.lines[old] ?? '';
    if (!owner) return undefined;
    const { certainty, turn } = owner;
    if (isSameWithoutSpace(before, line)) {
      return certainty === 'written' ? { turn, certainty: 'reformatted', writtenAs: before } : owner;
    }
    if (!isSimilar(before, line)) return undefined;
    return { turn, certainty: 'edited', writtenAs: owner.writtenAs ?? before };
  }

  /** Returns the line before for each changed line, where that is certain. Both are 0-based. */
  private findEdited({ after, before }: Hunk, lines: readonly string[]): Map<number, number> {
    const [old, current] = [this.lines.slice(before.start, before.end), lines.slice(after.start, after.end)];
    const found = new Map<number, number>();
    let [oldLine, newLine] = [0, 0];
    const pair = (oldEnd: number, newEnd: number): void => {
      const isPaired = oldEnd - oldLine === newEnd - newLine;
      for (; isPaired && oldLine < oldEnd; oldLine++, newLine++)
        found.set(after.start + newLine, before.start + oldLine);
      [oldLine, newLine] = [oldEnd, newEnd];
    };
    for (const { after: inner, before: innerBefore } of hunksOfLines(
      old.map(withoutSpace),
      current.map(withoutSpace),
    )) {
      pair(innerBefore.start, inner.start);
      pair(innerBefore.end, inner.end);
    }
    pair(old.length, current.length);
    return found;
  }
}

function isSameAuthor<Turn>(one: LineAuthor<Turn>, other: LineAuthor<Turn>): boolean {
  return one.turn === other.turn && one.certainty === other.certainty;
}

function withoutSpace(line: string): string {
  return line.replace(/\s+/g, '');
}

function isSameWithoutSpace(one: string, other: string): boolean {
  return withoutSpace(one) === withoutSpace(other);
}

/** Whether half of the longer line, or more, is at the start and the end of both. */
function isSimilar(one: string, other: string): boolean {
  const [a, b] = [withoutSpace(one), withoutSpace(other)];
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start++;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return (start + end) * 2 >= Math.max(a.length, b.length) && start + end > 0;
}
