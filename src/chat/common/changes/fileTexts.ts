import { isEditorError, type EditorPort } from '../../../editor/common/editorPort';
import type { TextBlobs } from '../chatStore';

/** Contents of a file; null if it doesn't exist, undefined if unknown: too large, not text, or not accessible to agents. */
export type FileText = string | null | undefined;
/** Id of a stored text; null and undefined as in `FileText`. */
export type FileTextId = string | null | undefined;

export interface CurrentFile {
  readonly text: FileText;
  readonly id: FileTextId;
  readonly isDirty: boolean;
}

const maxFileBytes = 5 * 1024 * 1024;
/** Size of texts also held in memory, in case the disk fails, in UTF-16 units. */
const maxMemoryUnits = 16 * 1024 * 1024;

/** Reads the texts of files, and stores earlier versions by content. */
export class FileTexts {
  private readonly textById = new Map<string, string>();
  private memoryUnits = 0;

  constructor(
    private readonly editor: Pick<EditorPort, 'readText'>,
    private readonly blobs: TextBlobs,
  ) {}

  /** Never rejects. */
  async readFile(path: string): Promise<CurrentFile> {
    try {
      const { isDirty, text } = await this.editor.readText(path, { maxBytes: maxFileBytes });
      return { text, id: this.blobs.idOf(text), isDirty };
    } catch (error) {
      const text = isEditorError(error) && error.code === 'notFound' ? null : undefined;
      return { text, id: text, isDirty: false };
    }
  }

  async storeText({ text, id }: CurrentFile): Promise<FileTextId> {
    if (typeof text !== 'string' || typeof id !== 'string') return id;
    if (this.textById.has(id)) return id;
    if (this.memoryUnits + text.length <= maxMemoryUnits) {
      this.textById.set(id, text);
      this.memoryUnits += text.length;
    }
    return await this.blobs.putText(text);
  }

  async textOf(id: FileTextId): Promise<FileText> {
    if (id === undefined || id === null) return id;
    return this.textById.get(id) ?? (await this.blobs.getText(id));
  }
}
