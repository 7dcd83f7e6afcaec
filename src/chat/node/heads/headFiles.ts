import type { Logger } from '../../../base/common/log';
import { parseJson } from '../../../base/common/parseJson';
import type { FilePort } from '../../../base/node/filePort';
import { whileMarked } from '../../../base/node/whileMarked';
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

/** Makes of the stored head what is written. Undefined: nothing. */
export type HeadChange = (stored: ConversationHead | undefined) => ConversationHead | undefined;

/** The files of the heads of conversations. */
export class HeadFiles {
  private readonly failures: RepeatedFailures;

  constructor(private readonly deps: HeadFilesDeps) {
    this.failures = new RepeatedFailures(deps.log);
  }

  /** Undefined if the file is missing or unreadable. Never rejects. */
  async read(id: string): Promise<ConversationHead | undefined> {
    const head = await this.readStored(id);
    return head && this.deps.folders.withPlace(head);
  }

  /** As `read`, without what only the folder tells. */
  async readStored(id: string): Promise<ConversationHead | undefined> {
    const { files, folders } = this.deps;
    const text = await files.read(folders.headFileOf(id)).catch(() => undefined);
    if (text === undefined) return undefined;
    const head = ConversationHead.safeParse(parseJson(text)).data;
    return head?.id === id ? head : undefined;
  }

  /** Adds what is not in the head because it is large. Never rejects. */
  async withImages(head: ConversationHead): Promise<ConversationHead> {
    return await this.imagesOf(head.id).addTo(head);
  }

  /**
   * Writes what `change` makes of the stored head, while no other window writes it, and resolves to that. If the images of
   * the draft cannot be stored, the rest of it still is. @throws errors of the file port
   */
  async change(id: string, change: HeadChange): Promise<ConversationHead | undefined> {
    const { files, folders } = this.deps;
    return await whileMarked(files, folders.headFileOf(id), async () => {
      const changed = change(await this.read(id));
      if (changed) await this.write(changed);
      return changed;
    });
  }

  private async write(head: ConversationHead): Promise<void> {
    const { files, folders } = this.deps;
    const images = this.imagesOf(head.id);
    const stored = withoutLargeImages(head);
    await this.failures.run(storeFailure, () => images.store(head, stored), head.id);
    await files.replace(folders.headFileOf(head.id), JSON.stringify(stored));
    await this.failures.run(removeFailure, () => images.removeUnused(stored), head.id);
  }

  private imagesOf(id: string): DraftImages {
    return new DraftImages(this.deps.files, this.deps.folders.folderOf(id));
  }
}
