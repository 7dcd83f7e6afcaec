/**
 * Shows the code block at the end of streaming text. Finished code stays as it is. Only the part whose constructs are
 * still open is highlighted again.
 */
import { mayCloseFence } from '../parser/completeMarkdown';
import { createCodePiece, splitIntoPieces } from './codePieces';
import { highlightPartialCode } from './highlight';
import { renderHighlightedHtml } from '../parser/markdownParser';
import { morphChildren } from '../morph';

/** Matches text that can be appended to a line unchanged: visible characters and tabs. */
const appendableText = /^[\P{C}\t]*$/u;

/** All offsets are in UTF-16 units of the text. Before the block, the text has only blank lines. */
export class StreamingCode {
  /** Offset after the last complete line. */
  private completeLinesEnd: number;
  /** Offset up to which the nodes are final. The last of these nodes is `lastFinalNode` in the last piece. */
  private finalNodesEnd: number;
  private lastFinalNode: ChildNode | null = null;
  /** The last piece of code; undefined until lines were shown. */
  private lastPiece: Element | undefined;
  private lastPieceLineCount = 0;
  private lastLineNode: Text | undefined;

  /** `code` is an element that already shows the given text. */
  constructor(
    private readonly codeElement: Element,
    private readonly language: string,
    text: string,
  ) {
    this.finalNodesEnd = text.indexOf('\n', text.search(/\S/)) + 1;
    this.completeLinesEnd = text.lastIndexOf('\n') + 1;
  }

  /** Shows a longer text. If the text may contain more than this block, returns false and changes nothing. */
  showLongerText(text: string): boolean {
    const end = text.lastIndexOf('\n') + 1;
    const lastLine = text.slice(end);
    if (!appendableText.test(lastLine)) return false;
    if (end > this.completeLinesEnd || !this.lastLineNode) {
      if (text.slice(this.completeLinesEnd, end).split('\n').some(mayCloseFence)) return false;
      this.lastLineNode = this.showLines(text, end);
    }
    this.setLastLine(this.lastLineNode, mayCloseFence(lastLine) ? '' : lastLine);
    return true;
  }

  /** Changes the nodes to those of a complete rendering. */
  finish(): void {
    if (this.lastPiece && !this.lastPiece.firstChild) this.lastPiece.remove();
    this.codeElement.normalize();
  }

  /** Shows the complete lines. Returns an empty node for the next line. */
  private showLines(text: string, end: number): Text {
    const { html, isComplete } = highlightPartialCode(text.slice(this.finalNodesEnd, end), this.language);
    const { pieces, lastPieceLines } = splitIntoPieces(renderHighlightedHtml(html), this.lastPieceLineCount);
    this.replaceUnfinished(pieces);
    this.completeLinesEnd = end;
    if (isComplete) {
      this.finalNodesEnd = end;
      this.lastPieceLineCount = lastPieceLines;
      const last = lastPieceLines > 0 ? this.codeElement.lastElementChild : null;
      this.lastPiece = last ?? this.codeElement.appendChild(createCodePiece());
      this.lastFinalNode = this.lastPiece.lastChild;
    }
    return this.codeElement.appendChild(document.createTextNode(''));
  }

  private replaceUnfinished(pieces: readonly Element[]): void {
    const wanted = document.createDocumentFragment();
    wanted.append(...pieces);
    if (!this.lastPiece) {
      morphChildren(this.codeElement, this.codeElement.firstChild, wanted);
      return;
    }
    const goesOn = wanted.firstChild ?? createCodePiece();
    morphChildren(
      this.lastPiece,
      this.lastFinalNode ? this.lastFinalNode.nextSibling : this.lastPiece.firstChild,
      goesOn,
    );
    goesOn.parentNode?.removeChild(goesOn);
    morphChildren(this.codeElement, this.lastPiece.nextSibling, wanted);
  }

  private setLastLine(lineNode: Text, line: string): void {
    if (line.startsWith(lineNode.data)) lineNode.appendData(line.slice(lineNode.length));
    else lineNode.data = line;
  }
}
