/** The block of code that the end of a text is in. What is highlighted stays: only what is open at its end is done again. */
import { isHeldBackInFence } from '../parser/closeUnfinished';
import { newPiece, piecesOf } from './codePieces';
import { highlighted } from './highlight';
import { codeNodesOf } from '../parser/markdownParser';
import { morphChildren } from '../morph';

/** What a line can be lengthened by as it is: characters that can be seen, and tabs. */
const plain = /^[\P{C}\t]*$/u;

/** Offsets are of the text, which has nothing but blank lines before the block. */
export class GrowingCode {
  /** Behind the last line that is whole. */
  private end: number;
  /** What is before it is shown by the nodes up to `lastDone` in the last piece, whatever follows. */
  private doneTo: number;
  private lastDone: ChildNode | null = null;
  /** None before the first line that was shown here. */
  private piece: Element | undefined;
  private lines = 0;
  /** Shows the last line. */
  private tail: Text | undefined;

  /** `code` shows the text as far as it is there. */
  constructor(
    private readonly code: Element,
    private readonly language: string,
    text: string,
  ) {
    this.doneTo = text.indexOf('\n', text.search(/\S/)) + 1;
    this.end = text.lastIndexOf('\n') + 1;
  }

  /** Shows a text that has grown. False when it may have left the block, or is more than code: then nothing is changed. */
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

  /** Leaves the nodes as a rendering of the whole makes them. */
  leave(): void {
    if (this.piece && !this.piece.firstChild) this.piece.remove();
    this.code.normalize();
  }

  /** Returns the node for the line behind them. */
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

  /** In place of all nodes that are not done. */
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
