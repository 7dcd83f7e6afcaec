import { useState } from 'preact/hooks';
import { messageOf } from '../../../base/common/errors';
import { chatRequests } from '../../common/page/chatApi';
import type { ChatPage } from '../page/chatPage';
import { parseDroppedUris, createImageAttachment, isImageFile } from './imageAttachments';
import { usePage } from '../chatPageContext';

interface AttachmentInput {
  readonly isDraggedOver: boolean;
  readonly onPaste: (event: ClipboardEvent) => void;
  readonly onDragOver: (event: DragEvent) => void;
  readonly onDragLeave: (event: DragEvent) => void;
  readonly onDrop: (event: DragEvent) => void;
}

export function useAttachmentPasteAndDrop(): AttachmentInput {
  const page = usePage();
  const [isOver, setOver] = useState(false);
  return {
    isDraggedOver: isOver,
    onPaste: (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      // Text copied from office programs also contains an image, which is ignored.
      if (files.length === 0 || event.clipboardData?.getData('text/plain')) return;
      event.preventDefault();
      void attachImages(page, files);
    },
    onDragOver: (event) => {
      if (!event.dataTransfer) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      setOver(true);
    },
    onDragLeave: ({ currentTarget, relatedTarget }) => {
      const isInside =
        currentTarget instanceof Node && relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
      if (!isInside) setOver(false);
    },
    onDrop: (event) => {
      setOver(false);
      if (!event.dataTransfer) return;
      const uris = parseDroppedUris(event.dataTransfer);
      const files = [...event.dataTransfer.files];
      if (uris.length === 0 && files.length === 0) return;
      event.preventDefault();
      if (uris.length > 0) void attachUris(page, uris);
      else void attachImages(page, files);
    },
  };
}

async function attachUris(page: ChatPage, uris: string[]): Promise<void> {
  const answer = await page.request(chatRequests.rowsForDrop, { uris });
  if (!answer) return;
  page.composerDraft.addAttachments(...answer.rows);
  page.runCommand('focusComposer');
}

async function attachImages(page: ChatPage, files: readonly File[]): Promise<void> {
  const images = files.filter(isImageFile);
  const { session } = page.store.state;
  if (images.length < files.length) {
    page.store.addProblem('Only images can be added from outside VS Code. To add workspace files, type @.');
  }
  if (images.length > 0 && session?.takesImages === false) {
    page.store.addProblem(
      `${session.backendTitle} doesn’t support images. Save the image in the workspace and add it with @.`,
    );
    return;
  }
  for (const image of images) {
    try {
      page.composerDraft.addAttachments(await createImageAttachment(image));
    } catch (error) {
      page.store.addProblem(messageOf(error));
    }
  }
}
