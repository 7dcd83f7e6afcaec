/** Code is laid out in pieces of whole lines, so that a line that comes does not lay out all others again. */

/** A piece ends with the first line from here on that ends outside of what is coloured. */
const linesPerPiece = 16;

interface Pieces {
  readonly pieces: readonly Element[];
  /** How many lines the last piece has; 0 when nothing more belongs to it. */
  readonly lines: number;
}

/** Uses up the children of `code`. The first piece goes on from one that has so many lines already. */
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

/** Behind the line end that makes it so many lines, or behind the first when it has them already. */
function endOfPiece(text: string, linesLeft: number): number | undefined {
  let at = text.indexOf('\n');
  for (let left = linesLeft; left > 1 && at >= 0; left--) at = text.indexOf('\n', at + 1);
  return at < 0 ? undefined : at + 1;
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
