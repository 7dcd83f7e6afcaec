import { piecesOf } from '../markdown/hiddenCharacters';

/** Text of others as it is written; characters that only change how it is read are shown by their code points. */
export function PlainText({ text }: { text: string }) {
  return (
    <>
      {piecesOf(text).map((piece) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          <span class="md-hidden-character" data-character={piece.code} title={piece.title} />
        ),
      )}
    </>
  );
}
