import { useRef, useState } from 'preact/hooks';
import { IconButton } from '../../../webview/browser/iconButton';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { CloseIcon } from '../../../webview/browser/icons';

interface ImageViewProps {
  readonly mimeType: string;
  readonly data: string;
  readonly title?: string | undefined;
  readonly isThumbnail?: boolean;
}

/** Types of images that can be shown. Excludes SVG, which may contain scripts. */
const supportedTypes = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/bmp', 'image/avif']);

export function ImageView({ mimeType, data, title: given = 'Image', isThumbnail = false }: ImageViewProps) {
  const title = showHiddenCharacters(given);
  const dialog = useRef<HTMLDialogElement>(null);
  const [isLarge, setLarge] = useState(false);
  if (!supportedTypes.has(mimeType)) {
    return (
      <span class="attachment">
        <span class="one-line">{`${title} (${mimeType} is not supported)`}</span>
      </span>
    );
  }
  const source = `data:${mimeType};base64,${data}`;
  const open = (): void => {
    setLarge(true);
    dialog.current?.showModal();
  };
  return (
    <>
      <button
        type="button"
        class={isThumbnail ? 'thumbnail' : 'picture'}
        title={title}
        aria-label={`Enlarge ${title}`}
        onClick={open}
      >
        <img src={source} alt="" />
      </button>
      <dialog
        class="lightbox"
        aria-label={title}
        ref={dialog}
        onClose={() => setLarge(false)}
        onClick={({ target }) => {
          if (target === dialog.current) dialog.current?.close();
        }}
      >
        <IconButton label="Close" icon={CloseIcon} onClick={() => dialog.current?.close()} />
        {isLarge && <img src={source} alt={title} />}
      </dialog>
    </>
  );
}
