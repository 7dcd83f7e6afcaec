import { isEditorError, type EditorPort } from '../../../editor/common/editorPort';
import { mergeTexts } from '../../../changes/common/review/threeWayMerge';
import type { TextBlobs } from '../chatStore';

/** Null for a file that does not exist, undefined when that is not known: too large, no text, not for peers. */
export type Text = string | null | undefined;
/** The id of a text that is kept; null and undefined as above. */
export type TextId = string | null | undefined;

export interface FileNow {
  readonly text: Text;
  readonly id: TextId;
  /** The user has typed in it, and has not saved. */
  readonly isDirty: boolean;
}

/** A change of a file: its text before and after it. */
export interface ChangedTexts {
  readonly before: TextId;
  readonly after: TextId;
}

const maxFileBytes = 5 * 1024 * 1024;
/** Of texts that are kept in memory too, in case the disk did not take them, in UTF-16 units. */
const maxMemoryUnits = 16 * 1024 * 1024;

/** How files are, and how they were: whole texts, kept by what is in them. */
export class FileTexts {
  private readonly memory = new Map<string, string>();
  private memoryUnits = 0;

  constructor(
    private readonly editor: Pick<EditorPort, 'readText'>,
    private readonly blobs: TextBlobs,
  ) {}

  /** Never rejects. */
  async read(path: string): Promise<FileNow> {
    try {
      const { isDirty, text } = await this.editor.readText(path, { maxBytes: maxFileBytes });
      return { text, id: this.blobs.idOf(text), isDirty };
    } catch (error) {
      const text = isEditorError(error) && error.code === 'notFound' ? null : undefined;
      return { text, id: text, isDirty: false };
    }
  }

  /** Keeps a text of a file that was not read just now. */
  async put(text: Text): Promise<TextId> {
    if (typeof text !== 'string') return text;
    return await this.keep({ text, id: this.blobs.idOf(text), isDirty: false });
  }

  async keep({ text, id }: FileNow): Promise<TextId> {
    if (typeof text !== 'string' || typeof id !== 'string') return id;
    if (this.memory.has(id)) return id;
    if (this.memoryUnits + text.length <= maxMemoryUnits) {
      this.memory.set(id, text);
      this.memoryUnits += text.length;
    }
    return await this.blobs.putText(text);
  }

  /**
   * The text `before` a change with what others have edited since `after` it. Undefined when they edited the changed lines, or
   * when one of the texts is not known.
   */
  async rebased({ before, after }: ChangedTexts, current: Pick<FileNow, 'id' | 'text'>): Promise<Text> {
    const ours = await this.textOf(before);
    if (current.id !== undefined && current.id === after) return ours;
    const base = await this.textOf(after);
    const theirs = current.text;
    if (typeof ours !== 'string' || typeof base !== 'string' || typeof theirs !== 'string') return undefined;
    return mergeTexts({ base, ours, theirs });
  }

  async textOf(id: TextId): Promise<Text> {
    if (id === undefined || id === null) return id;
    return this.memory.get(id) ?? (await this.blobs.getText(id));
  }
}
