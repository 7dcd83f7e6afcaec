import type { FileTextId } from '../changes/fileTexts';

/** A write by a shell command that no scan has seen before somebody else saved the file. */
interface UnseenWrite {
  /** Undefined for the text of the checkpoint. */
  readonly before: FileTextId;
  readonly after: FileTextId;
}

interface SavedFile {
  readonly text: FileTextId;
  /** The agent's last text in this turn at the time of the save. */
  readonly agentsText: FileTextId;
  /** Oldest first. */
  readonly unseen: readonly UnseenWrite[];
}

/**
 * The files that the user or another agent has saved during a turn. What the disk had right before a save is not their work: it is
 * compared with the last known text, and what differs was written by a shell command.
 */
export class OtherSaves {
  private readonly fileByPath = new Map<string, SavedFile>();

  clear(): void {
    this.fileByPath.clear();
  }

  /** Adds a save. `diskBefore` is undefined if it is not known. */
  add(path: string, text: FileTextId, diskBefore: FileTextId, agentsText: FileTextId): void {
    const earlier = this.find(path, agentsText);
    const known = earlier ? earlier.text : agentsText;
    const isUnseen = diskBefore !== undefined && diskBefore !== known;
    const unseen = [...(earlier?.unseen ?? []), ...(isUnseen ? [{ before: known, after: diskBefore }] : [])];
    this.fileByPath.set(path, { text, agentsText, unseen });
  }

  /** Sets the text of a file that later writes are compared with, and forgets unseen writes. */
  setLastKnownText(path: string, text: FileTextId, agentsText: FileTextId): void {
    this.fileByPath.set(path, { text, agentsText, unseen: [] });
  }

  /** Returns the saved text; undefined if nobody has saved the file after the agent's last text. */
  textOf(path: string, agentsText: FileTextId): FileTextId {
    return this.find(path, agentsText)?.text;
  }

  /** Returns and forgets the writes before the saves of a file. */
  takeUnseenWrites(path: string, agentsText: FileTextId): readonly UnseenWrite[] {
    const file = this.find(path, agentsText);
    if (file) this.fileByPath.set(path, { ...file, unseen: [] });
    return file?.unseen ?? [];
  }

  private find(path: string, agentsText: FileTextId): SavedFile | undefined {
    const file = this.fileByPath.get(path);
    // After the user has decided about the file, the turn has no text of the agent.
    return agentsText === undefined || file?.agentsText === agentsText ? file : undefined;
  }
}
