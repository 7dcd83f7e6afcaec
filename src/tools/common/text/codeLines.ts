import type { EditorPort } from '../../../editor/common/editorPort';
import { LineIndex } from '../../../editor/common/text/textOffsets';
import { maxCodeBytes } from '../toolPorts';

/** Texts of files for one call, each read once. An unreadable file has no lines. */
export class CodeLines {
  private readonly lineIndexByPath = new Map<string, Promise<LineIndex | undefined>>();

  constructor(
    private readonly editor: Pick<EditorPort, 'readText'>,
    private readonly signal: AbortSignal,
  ) {}

  linesOf(path: string): Promise<LineIndex | undefined> {
    const known = this.lineIndexByPath.get(path);
    if (known) return known;
    const text = this.readLines(path);
    this.lineIndexByPath.set(path, text);
    return text;
  }

  /** `line` is 0-based. Empty if there is no such line. */
  async lineText(path: string, line: number): Promise<string> {
    const lines = await this.linesOf(path);
    return lines && line < lines.lineCount ? lines.lineText(line) : '';
  }

  private async readLines(path: string): Promise<LineIndex | undefined> {
    try {
      const { text } = await this.editor.readText(path, {
        fromBuffer: 'asIs',
        maxBytes: maxCodeBytes,
        signal: this.signal,
      });
      return new LineIndex(text);
    } catch {
      this.signal.throwIfAborted();
      return undefined;
    }
  }
}
