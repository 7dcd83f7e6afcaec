import { RequestError, type ReadTextFileRequest } from '@agentclientprotocol/sdk';
import { type EditorErrorCode, type EditorPort, isEditorError } from '../../../editor/common/editorPort';
import { textIfThere } from '../../../editor/common/textIfThere';
import type { FileAccess } from '../../../editor/common/writeObserver';
import { rpcErrorCode } from '../../../wire/common/connectionErrors';
import type { MissingFile } from '../../common/catalogue/knownAgents';
import { linesOf } from '../../common/linesOf';
import type { PermissionService } from './permissionService';

export interface FileServiceOptions {
  /** gemini cannot create a file unless a missing one reads as empty. */
  readonly missingFile: () => MissingFile;
  readonly permissions: Pick<PermissionService, 'mayRead' | 'mayWrite' | 'askToWrite'>;
  readonly protectionOf: EditorPort['protectionOf'];
}

const maxReadBytes = 16 * 1024 * 1024;
const resourceNotFound = -32002;
const { internalError, invalidParams } = rpcErrorCode;

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
    params: Pick<ReadTextFileRequest, 'path' | 'line' | 'limit'>,
    signal: AbortSignal,
  ): Promise<{ content: string }> {
    const { path, line, limit } = params;
    try {
      const permit = await this.options.permissions.mayRead(await this.editor.resolve(path), signal);
      if (!permit.isGranted) throw refusal('read', path, permit.reason);
      const { text } = await this.editor.readText(path, { maxBytes: maxReadBytes, signal });
      return { content: linesOf(text, Math.max(0, (line ?? 1) - 1), limit ?? Infinity) };
    } catch (error) {
      const isMissing = isEditorError(error) && error.code === 'notFound';
      if (isMissing && this.options.missingFile() === 'empty') return { content: '' };
      throw toRequestError(error, path);
    }
  }

  /**
   * Creates the file when it is missing. A protected file, unsaved changes of the user, and whatever the user wants to be
   * asked for are only written when the user has seen the change and agrees.
   */
  async write({ path, content }: { path: string; content: string }, signal: AbortSignal): Promise<void> {
    try {
      const settled = this.options.permissions.mayWrite(await this.editor.resolve(path), signal);
      if (settled && !settled.isGranted) throw refusal('edit', path, settled.reason);
      if (settled && (await this.isWritten(path, content, signal))) return;
      await this.askAndWrite(path, content, signal);
    } catch (error) {
      throw toRequestError(error, path);
    }
  }

  /** False for a change that the user has to see first. @throws EditorError */
  private async isWritten(path: string, content: string, signal: AbortSignal): Promise<boolean> {
    try {
      await this.editor.writeText(path, content, { ifDirty: 'refuse', save: true, signal });
      return true;
    } catch (error) {
      if (isEditorError(error) && (error.code === 'dirty' || error.code === 'protected')) return false;
      throw error;
    }
  }

  /** What is written is what was shown, over what was shown. @throws EditorError, RequestError */
  private async askAndWrite(path: string, content: string, signal: AbortSignal): Promise<void> {
    const resolved = await this.editor.resolve(path);
    const before = await textIfThere(this.editor, path, signal);
    const isUnsaved = before?.isDirty ?? false;
    const protection = await this.options.protectionOf(path, { before: before?.text, after: content });
    const change = { path: resolved, before: before?.text ?? null, after: content, isUnsaved };
    const permit = await this.options.permissions.askToWrite({ ...change, protection: protection?.reason }, signal);
    if (!permit.isGranted) {
      if (!isUnsaved) throw refusal('edit', path, permit.reason);
      const message = `'${path}' has unsaved changes that the user wants to keep. Read the file again and ask the user.`;
      throw new RequestError(internalError, message, { path });
    }
    if (!before && (await textIfThere(this.editor, path, signal))) {
      throw new RequestError(internalError, `'${path}' was created meanwhile. Read it first.`, { path });
    }
    const { protectedFiles } = permit;
    await this.editor.writeText(path, content, {
      save: true,
      signal,
      ...(before ? { expectedVersion: before.version } : {}),
      ...(protectedFiles ? { protectedFiles } : {}),
    });
  }
}

/** `reason` says how to go on. */
function refusal(what: 'read' | 'edit', path: string, reason: string): RequestError {
  return new RequestError(internalError, `You may not ${what} '${path}'. ${reason}`, { path });
}

function toRequestError(error: unknown, path: string): unknown {
  if (!isEditorError(error)) return error;
  if (error.code === 'cancelled') return RequestError.requestCancelled();
  if (error.code === 'notFound') return new RequestError(resourceNotFound, error.message, { uri: path });
  return new RequestError(agentMistakes.has(error.code) ? invalidParams : internalError, error.message, { path });
}
