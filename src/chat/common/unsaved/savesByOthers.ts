import type { FileTextId } from '../changes/fileTexts';

/** A write by a shell command that no scan has found before someone else saved the file. */
interface UnseenWrite {
  /** The text before the write. Undefined if it is the text in the checkpoint. */
  readonly before: FileTextId;
  readonly after: FileTextId;
}

interface SavedFile {
  readonly text: FileTextId;
  /** The text that the agent had last written to the file in this turn when the file was saved. */
  readonly agentsText: FileTextId;
  /** The writes that no scan has found, oldest first. */
  readonly unseen: readonly UnseenWrite[];
}

/**
 * The files that the user or another agent has saved during a turn. If the text on disk before a save differs from the
 * last known text, a shell command has written it.
 */
export class SavesByOthers {
  private readonly fileByPath = new Map<string, SavedFile>();

  clear(): void {
    this.fileByPath.clear();
  }

  /** Adds a save. `diskBefore` is undefined if it is unknown. */
  add(path: string, text: FileTextId, diskBefore: FileTextId, agentsText: FileTextId): void {
    const earlier = this.find(path, agentsText);
    const known = earlier ? earlier.text : agentsText;
    const isUnseen = diskBefore !== undefined && diskBefore !== known;
    const unseen = [...(earlier?.unseen ?? []), ...(isUnseen ? [{ before: known, after: diskBefore }] : [])];
    this.fileByPath.set(path, { text, agentsText, unseen });
  }

  /**
   * Sets the base text of a file, with which later writes are compared. Earlier writes that no scan has found are
   * discarded.
   */
  setLastKnownText(path: string, text: FileTextId, agentsText: FileTextId): void {
    this.fileByPath.set(path, { text, agentsText, unseen: [] });
  }

  /** Returns the saved text. Undefined if nobody has saved the file since the agent's last text. */
  textSavedSince(path: string, agentsText: FileTextId): FileTextId {
    return this.find(path, agentsText)?.text;
  }

  /** Returns and removes the writes before the saves of a file. */
  takeUnseenWrites(path: string, agentsText: FileTextId): readonly UnseenWrite[] {
    const file = this.find(path, agentsText);
    if (file) this.fileByPath.set(path, { ...file, unseen: [] });
    return file?.unseen ?? [];
  }

  private find(path: string, agentsText: FileTextId): SavedFile | undefined {
    const file = this.fileByPath.get(path);
    // After the user has decided about the file, the turn has no text from the agent.
    return agentsText === undefined || file?.agentsText === agentsText ? file : undefined;
  }
}
