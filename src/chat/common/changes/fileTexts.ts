import { isEditorError, type FileVersion, type WriteOptions } from '../../../editor/common/editorPort';
import type { ChangedFile } from '../../../changes/common/workspaceCheckpoints';
import { mergeTexts } from '../../../changes/common/review/threeWayMerge';
import type { NoTextDiffReason } from '../../../transcript/common/entries';
import type { TextBlobs } from '../chatStore';
import type { ChatFileAccess } from '../chatFileAccess';

/**
 * Contents of a file. Null if the file does not exist. Undefined if unknown, because the file is too large, not text,
 * or not accessible to agents.
 */
export type FileText = string | null | undefined;
/** Id of a stored text. Null and undefined have the same meaning as in `FileText`. */
export type FileTextId = string | null | undefined;

export interface CurrentFileText {
  readonly text: FileText;
  readonly id: FileTextId;
  readonly isDirty: boolean;
  /** To write only if nobody has changed the file since. Undefined without a text. */
  readonly version?: FileVersion;
}

/** The texts of a file before and after a change. */
export interface TextIdsBeforeAndAfter {
  readonly before: FileTextId;
  readonly after: FileTextId;
}

/** Maximum size of a file, in bytes. The texts of larger files are unknown. */
export const maxFileBytes = 5 * 1024 * 1024;
/** Maximum size of texts that are also kept in memory, in UTF-16 units, in case the disk fails. */
const maxMemoryUnits = 16 * 1024 * 1024;

/** The options of a write that fails if somebody has changed the file since it was read. */
export function unlessChanged({ version }: CurrentFileText): Pick<WriteOptions, 'expectedVersion'> {
  return version === undefined ? {} : { expectedVersion: version };
}

const byteOrderMarkBytes = 3;

/** Whether a file with this size in bytes is UTF-8 with the line endings of its text, which are always the same. */
export function isSizeOfText(bytes: number, text: string): boolean {
  const bytesBesideText = bytes - Buffer.byteLength(text);
  return bytesBesideText === 0 || bytesBesideText === byteOrderMarkBytes;
}

/** Returns why a changed file has no texts, if its states show the reason. */
export function kindOf({ after, before }: ChangedFile): NoTextDiffReason | undefined {
  const states = [before, after].filter((state) => state !== undefined);
  if (states.some(({ kind }) => kind === 'symlink')) return 'symlink';
  return states.some(({ bytes }) => bytes > maxFileBytes) ? 'large' : undefined;
}

/** Returns the size in bytes of the two texts of a changed file, as far as they are read. */
export function textBytesOf(file: ChangedFile): number {
  return kindOf(file) === undefined ? (file.before?.bytes ?? 0) + (file.after?.bytes ?? 0) : 0;
}

/** Returns how two states differ apart from their texts. */
export function kindBesideText(
  { after, before }: ChangedFile,
  textBefore: FileText,
  text: FileText,
): NoTextDiffReason | undefined {
  if (!before) return undefined;
  if (before.kind !== (after?.kind ?? 'file')) return 'mode';
  if (typeof textBefore !== 'string' || typeof text !== 'string' || before.object === after?.object) return undefined;
  const haveSameEndings =
    textBefore.includes('\r\n') === text.includes('\r\n') &&
    isSizeOfText(before.bytes, textBefore) === isSizeOfText(after?.bytes ?? 0, text);
  return textBefore === text || !haveSameEndings ? 'bytes' : undefined;
}

/** Reads the texts of files, and stores earlier versions by content. */
export class FileTexts {
  private readonly textById = new Map<string, string>();
  private textUnitsInMemory = 0;

  constructor(
    private readonly files: Pick<ChatFileAccess, 'editor' | 'readDiskText'>,
    private readonly blobs: TextBlobs,
  ) {}

  isEmpty(id: FileTextId): boolean {
    return id === this.blobs.idOf('');
  }

  /**
   * Reads a file with its unsaved text, if there is any. Otherwise reads the disk, because VS Code can have an earlier text.
   * Never rejects.
   */
  async readWithUnsavedText(path: string): Promise<CurrentFileText> {
    try {
      const { hasInvalidBytes, isDirty, text, version } = await this.files.editor.readText(path, {
        maxBytes: maxFileBytes,
      });
      // The text is not used, because writing it back would change bytes of the file.
      if (hasInvalidBytes === true) return { text: undefined, id: undefined, isDirty };
      return { text, id: this.blobs.idOf(text), isDirty, version };
    } catch (error) {
      const text = isEditorError(error) && error.code === 'notFound' ? null : undefined;
      return { text, id: text, isDirty: false };
    }
  }

  /** Reads the file on disk, without unsaved text. Never rejects. */
  async readFromDisk(path: string): Promise<CurrentFileText> {
    const text = await this.files.readDiskText(path).catch(() => undefined);
    return { text, id: this.idOf(text), isDirty: false };
  }

  /** Reads the file on disk if it has unsaved text, because that belongs to the user. Never rejects. */
  async readSavedText(path: string): Promise<CurrentFileText> {
    const shown = await this.readWithUnsavedText(path);
    const written = shown.isDirty ? await this.readFromDisk(path) : shown;
    return written.text === undefined ? shown : written;
  }

  idOf(text: FileText): FileTextId {
    return typeof text === 'string' ? this.blobs.idOf(text) : text;
  }

  /** Stores a text that is not the current text of its file. */
  async storeTextNotFromDisk(text: FileText): Promise<FileTextId> {
    if (typeof text !== 'string') return text;
    return await this.storeText({ text, id: this.blobs.idOf(text), isDirty: false });
  }

  async storeText({ text, id }: CurrentFileText): Promise<FileTextId> {
    if (typeof text !== 'string' || typeof id !== 'string') return id;
    if (this.textById.has(id)) return id;
    if (this.textUnitsInMemory + text.length <= maxMemoryUnits) {
      this.textById.set(id, text);
      this.textUnitsInMemory += text.length;
    }
    return await this.blobs.putText(text);
  }

  /**
   * Undoes a change in the current text and keeps edits that others made after it. Undefined if they edited the changed
   * lines, or if one of the texts is unknown.
   */
  async revertChangeInText(
    { before, after }: TextIdsBeforeAndAfter,
    current: Pick<CurrentFileText, 'id' | 'text'>,
  ): Promise<FileText> {
    const ours = await this.textOf(before);
    if (current.id !== undefined && current.id === after) return ours;
    const base = await this.textOf(after);
    const theirs = current.text;
    if (typeof ours !== 'string' || typeof base !== 'string' || typeof theirs !== 'string') return undefined;
    return mergeTexts({ base, ours, theirs });
  }

  async textOf(id: FileTextId): Promise<FileText> {
    if (id === undefined || id === null) return id;
    return this.textById.get(id) ?? (await this.blobs.getText(id));
  }
}
