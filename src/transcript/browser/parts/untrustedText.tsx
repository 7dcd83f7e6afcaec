import { splitAtHiddenCharacters } from '../../../base/common/text/hiddenCharacters';

/** Shows untrusted text unformatted, with invisible characters as code points. */
export function UntrustedText({ text }: { text: string }) {
  return (
    <>
      {splitAtHiddenCharacters(text).map((piece) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          <span class="md-hidden-character" data-character={piece.codePoint} title={piece.title} />
        ),
      )}
    </>
  );
}
