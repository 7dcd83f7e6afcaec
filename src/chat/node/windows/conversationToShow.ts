import * as path from 'node:path';
import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import { NodeFiles, type FilePort } from '../../../base/node/filePort';

/** A window that opens later than this does not belong to the request any more. */
const maxAgeMs = 60_000;

const Note = z.object({ places: z.array(z.string()), conversation: z.string(), at: z.number() });

/** A note that a window leaves for the one that is about to open a workspace: which conversation that shows. */
export class ConversationToShow {
  private readonly file: string;

  /** `folder`: absolute path of a folder that all windows share. */
  constructor(
    folder: string,
    private readonly now: () => number,
    private readonly files: Pick<FilePort, 'read' | 'remove' | 'replace'> = new NodeFiles(),
  ) {
    this.file = path.join(folder, 'show-conversation.json');
  }

  /**
   * Leaves a note for the window with one of these folders or workspace files (absolute paths), in the place of an earlier one.
   * @throws file system errors
   */
  async leave(places: readonly string[], conversation: string): Promise<void> {
    await this.files.replace(this.file, JSON.stringify({ places, conversation, at: this.now() }));
  }

  /** Returns the id of the conversation to show in a window with these folders and this workspace file, once. Never rejects. */
  async take(places: readonly string[]): Promise<string | undefined> {
    try {
      const text = await this.files.read(this.file);
      const note = text === undefined ? undefined : Note.safeParse(parseJson(text)).data;
      if (!note?.places.some((place) => places.includes(place))) return undefined;
      await this.files.remove(this.file);
      return Math.abs(this.now() - note.at) <= maxAgeMs ? note.conversation : undefined;
    } catch {
      return undefined;
    }
  }
}
