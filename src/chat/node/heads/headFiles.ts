import type { Logger } from '../../../base/common/log';
import { parseJson } from '../../../base/common/parseJson';
import type { FilePort } from '../../../base/node/filePort';
import { ConversationHead } from '../../common/chatStore';
import type { ConversationFolders } from '../conversationFolders';
import { RepeatedFailures } from '../repeatedFailures';
import { DraftImages, withoutLargeImages } from './draftImages';

const storeFailure = 'Cannot store the images of a draft';
const removeFailure = 'Cannot remove the images of a draft';

interface HeadFilesDeps {
  readonly files: FilePort;
  readonly folders: ConversationFolders;
  readonly log: Logger;
}

/** The files of the heads of conversations. */
export class HeadFiles {
  private readonly failures: RepeatedFailures;

  constructor(private readonly deps: HeadFilesDeps) {
    this.failures = new RepeatedFailures(deps.log);
  }

  /** Undefined if the file is missing or unreadable. Never rejects. */
  async read(id: string): Promise<ConversationHead | undefined> {
    const { files, folders } = this.deps;
    const text = await files.read(folders.headFileOf(id)).catch(() => undefined);
    if (text === undefined) return undefined;
    const head = ConversationHead.safeParse(parseJson(text)).data;
    return head?.id === id ? folders.withPlace(head) : undefined;
  }

  /** Adds what is not in the head because it is large. Never rejects. */
  async withImages(head: ConversationHead): Promise<ConversationHead> {
    return await this.imagesOf(head.id).addTo(head);
  }

  /** If the images of the draft cannot be stored, the rest of it still is. @throws errors of the file port */
  async write(head: ConversationHead): Promise<void> {
    const { files, folders } = this.deps;
    const images = this.imagesOf(head.id);
    const stored = withoutLargeImages(head);
    await this.withWarning(storeFailure, head.id, images.store(head, stored));
    await files.replace(folders.headFileOf(head.id), JSON.stringify(stored));
    await this.withWarning(removeFailure, head.id, images.removeUnused(stored));
  }

  private async withWarning(failure: string, id: string, work: Promise<void>): Promise<void> {
    try {
      await work;
      this.failures.noteSuccess(failure, id);
    } catch (error) {
      this.failures.warnOnce(failure, error, id);
    }
  }

  private imagesOf(id: string): DraftImages {
    return new DraftImages(this.deps.files, this.deps.folders.folderOf(id));
  }
}
