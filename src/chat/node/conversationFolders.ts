import * as path from 'node:path';
import type { Clock } from '../../base/common/async';
import type { FilePort } from '../../base/node/filePort';
import type { ConversationHead } from '../common/chatStore';
import { isConversationId, logFileName } from './conversationNames';
import type { OlderWorkspaces } from './olderWorkspaces';

/** Age after which temporary files are removed as leftovers. Writing a file takes only milliseconds. */
export const leftoverAgeMs = 60_000;
const headSuffix = '.json';

interface ConversationFoldersDeps {
  /** Absolute path of the folder for all conversations. Created with the first conversation. */
  readonly root: string;
  readonly files: FilePort;
  readonly clock: Clock;
  readonly older: OlderWorkspaces | undefined;
}

/** The conversations in one folder. */
export interface ListedConversations {
  /** Absolute path of the folder. */
  readonly root: string;
  /** When its folder of heads was changed last, in milliseconds since the epoch. Undefined if it has none. */
  readonly changedAt: number | undefined;
  readonly headIds: readonly string[];
  /** Those without a head. */
  readonly otherIds: readonly string[];
}

/**
 * Where the files of each conversation are: in `<root>/<id>`, with its head in `<root>/heads/<id>.json`, so that only one
 * folder must be watched. Versions before had such a root for each workspace, inside of this one. Their conversations stay
 * there: nothing is moved, so nothing can be lost, and an older version can run beside this one.
 */
export class ConversationFolders {
  private rootById = new Map<string, string>();
  private olderRoots: readonly string[] = [];

  constructor(private readonly deps: ConversationFoldersDeps) {}

  /** All folders of heads. The first one is for new conversations. */
  get headsFolders(): readonly string[] {
    return [this.deps.root, ...this.olderRoots].map(headsFolderIn);
  }

  /** Returns all conversations on disk. @throws errors of the file port */
  async list(): Promise<readonly ListedConversations[]> {
    const { files, older, root } = this.deps;
    this.olderRoots = (await older?.find()) ?? [];
    const rootById = new Map<string, string>();
    const listed: ListedConversations[] = [];
    for (const one of [root, ...this.olderRoots]) {
      // Before the names, so that what changes in between is found the next time.
      const changedAt = await files.modifiedAt(headsFolderIn(one));
      const isNew = (id: string): boolean => {
        if (rootById.has(id) || (older?.isName(id) === true && older.has(path.join(one, id)))) return false;
        rootById.set(id, one);
        return true;
      };
      const headIds = (await files.listNames(headsFolderIn(one))).flatMap((name) => idOf(name) ?? []).filter(isNew);
      const otherIds = (await files.listNames(one)).filter((name) => isConversationId(name) && isNew(name));
      listed.push({ root: one, changedAt, headIds, otherIds });
    }
    this.rootById = rootById;
    return listed;
  }

  /**
   * Returns what makes the folders of a new conversation, with its first record, so that an unused one creates no files. Call
   * it before each write, since it can fail. @throws errors of the file port
   */
  makerOf(id: string): () => Promise<void> {
    const { files } = this.deps;
    let isCreated = false;
    return async () => {
      if (isCreated) return;
      await files.makeFolder(path.dirname(this.headFileOf(id)));
      await files.makeFolder(this.folderOf(id));
      isCreated = true;
    };
  }

  /** Whether the conversation is stored. Also finds one that was added since the last list. @throws errors of the file port */
  async exists(id: string): Promise<boolean> {
    if (!isConversationId(id)) return false;
    const { files, root } = this.deps;
    const known = this.rootById.get(id);
    for (const one of new Set([...(known === undefined ? [] : [known]), root, ...this.olderRoots])) {
      if ((await files.modifiedAt(path.join(one, id, logFileName))) === undefined) continue;
      this.rootById.set(id, one);
      return true;
    }
    return false;
  }

  /** Notes that the file of a head was changed. Returns the id of its conversation. */
  noteHead(headsFolder: string, fileName: string): string | undefined {
    const id = idOf(fileName);
    if (id !== undefined && !this.rootById.has(id)) this.rootById.set(id, path.dirname(headsFolder));
    return id;
  }

  /** Adds the place of the workspace in which an older version has written the head. */
  withPlace(head: ConversationHead): ConversationHead {
    if (head.place) return head;
    const place = this.deps.older?.placeOf(this.rootOf(head.id));
    return place ? { ...head, place: { ...place, at: head.updatedAt } } : head;
  }

  /** Returns the absolute path of the folder that has the conversation. */
  rootOf(id: string): string {
    return this.rootById.get(id) ?? this.deps.root;
  }

  folderOf(id: string): string {
    return path.join(this.rootOf(id), id);
  }

  headFileOf(id: string): string {
    return path.join(headsFolderIn(this.rootOf(id)), `${id}${headSuffix}`);
  }

  logFileOf(id: string): string {
    return path.join(this.folderOf(id), logFileName);
  }

  /** Absolute path of the folder for what all windows have found out about all conversations. */
  get indexFolder(): string {
    return path.join(this.deps.root, 'index');
  }

  /** Removes temporary files of windows that crashed while they were writing a head. @throws errors of the file port */
  async removeLeftovers(): Promise<void> {
    const { clock, files } = this.deps;
    for (const folder of [this.indexFolder, ...this.headsFolders]) {
      for (const name of (await files.listNames(folder)).filter((one) => one.endsWith('.tmp'))) {
        const file = path.join(folder, name);
        const modifiedAt = await files.modifiedAt(file);
        if (modifiedAt !== undefined && clock.now() - modifiedAt > leftoverAgeMs) await files.remove(file);
      }
    }
  }
}

function headsFolderIn(root: string): string {
  return path.join(root, 'heads');
}

function idOf(fileName: string): string | undefined {
  const id = fileName.endsWith(headSuffix) ? fileName.slice(0, -headSuffix.length) : undefined;
  return id !== undefined && isConversationId(id) ? id : undefined;
}
