/**
 * Shows the code block at the end of streaming text. Highlighted code stays; only the part with open constructs is
 * highlighted again.
 */
import { isHeldBackInFence } from '../parser/closeUnfinished';
import { newPiece, piecesOf } from './codePieces';
import { highlighted } from './highlight';
import { codeNodesOf } from '../parser/markdownParser';
import { morphChildren } from '../morph';

/** Text that can be appended to a line as it is: visible characters and tabs. */
const plain = /^[\P{C}\t]*$/u;

/** All offsets are in UTF-16 units of the text, which has only blank lines before the block. */
export class GrowingCode {
  /** Offset after the last complete line. */
  private end: number;
  /** Offset up to which the nodes are final; they end with `lastDone` in the last piece. */
  private doneTo: number;
  private lastDone: ChildNode | null = null;
  /** Undefined until lines were shown here. */
  private piece: Element | undefined;
  private lines = 0;
  /** The node of the last line. */
  private tail: Text | undefined;

  /** `code` already shows the given text. */
  constructor(
    private readonly code: Element,
    private readonly language: string,
    text: string,
  ) {
    this.doneTo = text.indexOf('\n', text.search(/\S/)) + 1;
    this.end = text.lastIndexOf('\n') + 1;
  }

  /** Shows the longer text. Returns false and changes nothing if the text may contain more than this block. */
  grow(text: string): boolean {
    const end = text.lastIndexOf('\n') + 1;
    const lastLine = text.slice(end);
    if (!plain.test(lastLine)) return false;
    if (end > this.end || !this.tail) {
      if (text.slice(this.end, end).split('\n').some(isHeldBackInFence)) return false;
      this.tail = this.showLines(text, end);
    }
    this.lengthen(this.tail, isHeldBackInFence(lastLine) ? '' : lastLine);
    return true;
  }

  /** Makes the nodes equal to those of a complete rendering. */
  leave(): void {
    if (this.piece && !this.piece.firstChild) this.piece.remove();
    this.code.normalize();
  }

  /** Shows the complete lines and returns an empty node for the next one. */
  private showLines(text: string, end: number): Text {
    const { html, isComplete } = highlighted(text.slice(this.doneTo, end), this.language);
    const { pieces, lines } = piecesOf(codeNodesOf(html), this.lines);
    this.put(pieces);
    this.end = end;
    if (isComplete) {
      this.doneTo = end;
      this.lines = lines;
      const last = lines > 0 ? this.code.lastElementChild : null;
      this.piece = last ?? this.code.appendChild(newPiece());
      this.lastDone = this.piece.lastChild;
    }
    return this.code.appendChild(document.createTextNode(''));
  }

  /** Replaces all unfinished nodes. */
  private put(pieces: readonly Element[]): void {
    const wanted = document.createDocumentFragment();
    wanted.append(...pieces);
    if (!this.piece) {
      morphChildren(this.code, this.code.firstChild, wanted);
      return;
    }
    const goesOn = wanted.firstChild ?? newPiece();
    morphChildren(this.piece, this.lastDone ? this.lastDone.nextSibling : this.piece.firstChild, goesOn);
    goesOn.parentNode?.removeChild(goesOn);
    morphChildren(this.code, this.piece.nextSibling, wanted);
  }

  private lengthen(tail: Text, line: string): void {
    if (line.startsWith(tail.data)) tail.appendData(line.slice(tail.length));
    else tail.data = line;
  }
}
