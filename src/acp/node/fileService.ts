import { RequestError } from '@agentclientprotocol/sdk';
import { type EditorErrorCode, isEditorError } from '../../editor/common/editorPort';
import type { FileAccess } from '../../editor/common/writeWitness';
import type { MissingFile } from '../common/knownAgents';

export interface FileServiceOptions {
  /** gemini cannot create a file unless a missing one reads as empty. */
  readonly missingFile: () => MissingFile;
  /** Whether the agent may replace text that the user has not saved. */
  readonly confirmOverwrite: (path: string, signal: AbortSignal) => Promise<boolean>;
  /** Whether a rule of the user's forbids it; `path` is absolute and resolved. */
  readonly isDenied: (kind: 'read' | 'edit', path: string) => boolean;
}

const maxReadBytes = 16 * 1024 * 1024;
const resourceNotFound = -32002;
const invalidParams = -32602;
const internalError = -32603;

/** What is wrong with what the agent asked for; everything else is wrong on our side. */
const agentMistakes: ReadonlySet<EditorErrorCode> = new Set([
  'invalidPath',
  'outsideWorkspace',
  'excluded',
  'isDirectory',
  'notAFile',
  'notText',
  'tooLarge',
]);

/** `fs/read_text_file` and `fs/write_text_file` of one session, over the editor. Errors are RequestErrors. */
export class FileService {
  constructor(
    private readonly editor: FileAccess,
    private readonly options: FileServiceOptions,
  ) {}

  /** `line` is 1-based and `limit` counts lines; what lies behind the end is empty. */
  async read(
    params: { path: string; line?: number | null; limit?: number | null },
    signal: AbortSignal,
  ): Promise<{ content: string }> {
    const { path, line, limit } = params;
    try {
      await this.refuseDenied('read', path);
      const { text } = await this.editor.readText(path, { maxBytes: maxReadBytes, signal });
      return { content: linesOf(text, line ?? 1, limit ?? undefined) };
    } catch (error) {
      const isMissing = isEditorError(error) && error.code === 'notFound';
      if (isMissing && this.options.missingFile() === 'empty') return { content: '' };
      throw toRequestError(error, path);
    }
  }

  /** Creates the file when it is missing. Unsaved changes of the user are replaced only when the user agrees. */
  async write({ path, content }: { path: string; content: string }, signal: AbortSignal): Promise<void> {
    try {
      await this.refuseDenied('edit', path);
      await this.editor.writeText(path, content, { ifDirty: 'refuse', save: true, signal });
    } catch (error) {
      if (!(isEditorError(error) && error.code === 'dirty')) throw toRequestError(error, path);
      await this.overwrite(path, content, signal);
    }
  }

  private async overwrite(path: string, content: string, signal: AbortSignal): Promise<void> {
    if (!(await this.options.confirmOverwrite(path, signal))) {
      const message = `'${path}' has unsaved changes that the user wants to keep. Read the file again and ask the user.`;
      throw new RequestError(internalError, message, { path });
    }
    try {
      await this.editor.writeText(path, content, { save: true, signal });
    } catch (error) {
      throw toRequestError(error, path);
    }
  }

  /** @throws EditorError, RequestError */
  private async refuseDenied(kind: 'read' | 'edit', path: string): Promise<void> {
    if (!this.options.isDenied(kind, await this.editor.resolve(path))) return;
    const message = `A rule of the user's forbids to ${kind} '${path}'. Go on without it, or ask the user to change the rule.`;
    throw new RequestError(internalError, message, { path });
  }
}

function linesOf(text: string, line: number, limit: number | undefined): string {
  let start = 0;
  for (let skipped = 1; skipped < line; skipped++) {
    const end = text.indexOf('\n', start);
    if (end < 0) return '';
    start = end + 1;
  }
  if (limit === undefined) return text.slice(start);
  let end = start;
  for (let taken = 0; taken < limit; taken++) {
    const newline = text.indexOf('\n', end);
    if (newline < 0) return text.slice(start);
    end = newline + 1;
  }
  return text.slice(start, end);
}

function toRequestError(error: unknown, path: string): unknown {
  if (!isEditorError(error)) return error;
  if (error.code === 'cancelled') return RequestError.requestCancelled();
  if (error.code === 'notFound') return new RequestError(resourceNotFound, error.message, { uri: path });
  return new RequestError(agentMistakes.has(error.code) ? invalidParams : internalError, error.message, { path });
}
