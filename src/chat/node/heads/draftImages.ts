import { createHash } from 'node:crypto';
import * as path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import type { FilePort } from '../../../base/node/filePort';
import type { ConversationHead } from '../../common/chatStore';
import type { DraftAttachment } from '../../common/chatView';
import { withoutImageData } from '../../common/conversation/drafts';

/** Maximum size of a draft in the head, in UTF-16 units. Limited because the list of conversations reads all heads. */
const maxHeadUnits = 2 * 1024 * 1024;
const folderName = 'draftImages';

const Image = z.object({ mimeType: z.string(), data: z.string() });

/** The images of an unsent prompt that are too large for the head of its conversation. Each is a file, named after its id. */
export class DraftImages {
  /** `folder` is the absolute path of the folder of the conversation. */
  constructor(
    private readonly files: FilePort,
    private readonly folder: string,
  ) {}

  /** Stores the images that are not in `stored`. @throws errors of the file port */
  async store(head: ConversationHead, stored: ConversationHead): Promise<void> {
    if (stored === head) return;
    await this.files.makeFolder(this.imagesFolder);
    for (const { id, image } of head.draft?.attachments ?? []) if (image) await this.put(id, image);
  }

  /** Removes the images if the head that was written last needs none. @throws errors of the file port */
  async removeUnused({ draft }: ConversationHead): Promise<void> {
    if (draft?.attachments.some(isTakenOut) !== true) await this.files.remove(this.imagesFolder);
  }

  /** Adds the images to the head that were stored apart. One that cannot be read stays without its data. Never rejects. */
  async addTo(head: ConversationHead): Promise<ConversationHead> {
    const { draft } = head;
    if (draft?.attachments.some(isTakenOut) !== true) return head;
    const attachments = await Promise.all(
      draft.attachments.map(async (one) => {
        const image = isTakenOut(one) ? await this.get(one.id) : undefined;
        return image ? { ...one, image } : one;
      }),
    );
    return { ...head, draft: { ...draft, attachments } };
  }

  private get imagesFolder(): string {
    return path.join(this.folder, folderName);
  }

  private fileOf(id: string): string {
    return path.join(this.imagesFolder, `${createHash('sha256').update(id).digest('hex')}.json`);
  }

  /** Another window can have removed it, so this looks each time. */
  private async put(id: string, image: z.infer<typeof Image>): Promise<void> {
    const file = this.fileOf(id);
    if ((await this.files.modifiedAt(file)) === undefined) await this.files.replace(file, JSON.stringify(image));
  }

  private async get(id: string): Promise<z.infer<typeof Image> | undefined> {
    const text = await this.files.read(this.fileOf(id)).catch(() => undefined);
    return Image.safeParse(parseJson(text ?? '')).data;
  }
}

/** Returns the head as it is written: without images if they are large. */
export function withoutLargeImages(head: ConversationHead): ConversationHead {
  const { draft } = head;
  if (!draft?.attachments.some(isImage) || JSON.stringify(draft).length <= maxHeadUnits) return head;
  return { ...head, draft: { ...draft, attachments: draft.attachments.map(withoutImageData) } };
}

function isImage({ kind }: DraftAttachment): boolean {
  return kind === 'image';
}

function isTakenOut(attachment: DraftAttachment): boolean {
  return isImage(attachment) && !attachment.image;
}
