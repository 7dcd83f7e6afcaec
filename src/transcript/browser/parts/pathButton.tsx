import { useShortenPath, useTranscriptContext } from '../transcriptContext';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { UntrustedText } from './untrustedText';

interface PathButtonProps {
  readonly path: string;
  /** Line number, 1-based. */
  readonly line?: number | undefined;
  /** Shown instead of the file's name, where that is said already. */
  readonly label?: string | undefined;
  readonly onClick?: (() => void) | undefined;
}

/** Shows a file's name before its folder, because there is little space. */
export function PathButton({ path, line, label, onClick }: PathButtonProps) {
  const { actions } = useTranscriptContext();
  const { name, folder } = splitPath(useShortenPath()(path));
  return (
    <button
      type="button"
      class="path"
      title={showHiddenCharacters(path)}
      dir="ltr"
      onClick={onClick ?? (() => actions.open(path, line))}
    >
      <span class="path-name one-line">
        <UntrustedText text={label ?? (line === undefined ? name : `${name}:${line}`)} />
      </span>
      {label === undefined && folder !== '' && (
        <span class="path-folder one-line">
          <UntrustedText text={folder} />
        </span>
      )}
    </button>
  );
}

export function splitPath(path: string): { name: string; folder: string } {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'));
  return { name: path.slice(at + 1) || path, folder: at > 0 ? path.slice(0, at) : '' };
}
