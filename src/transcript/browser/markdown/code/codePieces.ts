/** Splits code into pieces of whole lines, so that a new line does not lay out all others again. */

/** A piece ends at the first line break after this many lines that is outside a highlighted token. */
const linesPerPiece = 16;

interface Pieces {
  readonly pieces: readonly Element[];
  /** Line count of the last piece; 0 when it is complete. */
  readonly lines: number;
}

/** Moves the children of `code` into pieces. The first piece continues one that has `linesBefore` lines. */
export function piecesOf(code: Node, linesBefore = 0): Pieces {
  const pieces: Element[] = [];
  let lines = linesBefore;
  let piece = newPiece();
  const end = (): void => {
    pieces.push(piece);
    piece = newPiece();
    lines = 0;
  };
  for (const node of [...code.childNodes]) {
    let rest: ChildNode | undefined = node;
    while (rest instanceof Text) {
      const cut = endOfPiece(rest.data, linesPerPiece - lines);
      if (cut === undefined) break;
      const behind: Text | undefined = cut < rest.length ? rest.splitText(cut) : undefined;
      piece.append(rest);
      end();
      rest = behind;
    }
    if (!rest) continue;
    lines += countLines(rest.textContent ?? '');
    piece.append(rest);
  }
  if (piece.firstChild) pieces.push(piece);
  return { pieces, lines };
}

export function newPiece(): Element {
  const piece = document.createElement('span');
  piece.className = 'md-lines';
  return piece;
}

/** Returns the offset after the line break that completes the piece. */
function endOfPiece(text: string, linesLeft: number): number | undefined {
  let at = text.indexOf('\n');
  for (let left = linesLeft; left > 1 && at >= 0; left--) at = text.indexOf('\n', at + 1);
  return at < 0 ? undefined : at + 1;
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
