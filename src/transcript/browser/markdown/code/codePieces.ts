/** Splits code into pieces of whole lines, so that adding a line does not lay out all other lines again. */

/** A piece ends at the first line break after this many lines that is outside a highlighted token. */
const linesPerPiece = 16;

interface CodePieces {
  readonly pieces: readonly Element[];
  /** Line count of the last piece; 0 when it is complete. */
  readonly lastPieceLines: number;
}

/**
 * Moves the children of `code` into new pieces. `linesBefore`: the number of lines in the last existing piece, if it is
 * incomplete. The first new piece then contains the rest of it, and the caller adds its nodes to the existing piece.
 */
export function splitIntoPieces(code: Node, linesBefore = 0): CodePieces {
  const pieces: Element[] = [];
  let lines = linesBefore;
  let piece = createCodePiece();
  const end = (): void => {
    pieces.push(piece);
    piece = createCodePiece();
    lines = 0;
  };
  for (const node of [...code.childNodes]) {
    let rest: ChildNode | undefined = node;
    while (rest instanceof Text) {
      const cut = findPieceEnd(rest.data, linesPerPiece - lines);
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
  return { pieces, lastPieceLines: lines };
}

export function createCodePiece(): Element {
  const piece = document.createElement('span');
  piece.className = 'md-lines';
  return piece;
}

function findPieceEnd(text: string, linesLeft: number): number | undefined {
  let at = text.indexOf('\n');
  for (let left = linesLeft; left > 1 && at >= 0; left--) at = text.indexOf('\n', at + 1);
  return at < 0 ? undefined : at + 1;
}

function countLines(text: string): number {
  return text.split('\n').length - 1;
}
