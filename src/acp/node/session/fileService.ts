import { RequestError, type ReadTextFileRequest } from '@agentclientprotocol/sdk';
import { type EditorErrorCode, type EditorPort, isEditorError } from '../../../editor/common/editorPort';
import { KnownTexts } from '../../../editor/common/knownTexts';
import { readTextIfExists } from '../../../editor/common/readTextIfExists';
import type { FileAccess } from '../../../editor/common/writeObserver';
import { rpcErrorCode } from '../../../wire/common/connectionErrors';
import type { MissingFileResult } from '../../common/catalogue/knownAgents';
import { sliceLines } from '../../common/sliceLines';
import type { PermissionService } from './permissionService';

export interface FileServiceDeps {
  /**
   * Returns how to respond to a read of a missing file. Gemini can create a file only if the response is an empty text.
   */
  readonly missingFile: () => MissingFileResult;
  readonly permissions: Pick<PermissionService, 'mayRead' | 'mayWriteWithoutAsking' | 'askToWrite'>;
  readonly protectionOf: EditorPort['protectionOf'];
  /** Called after a write, with the path as the agent wrote it. */
  readonly onDidWrite?: (path: string) => void;
}

const maxReadBytes = 16 * 1024 * 1024;
const resourceNotFound = -32002;
const { internalError, invalidParams } = rpcErrorCode;

/** Codes of errors that are caused by the agent's request. All others are reported as internal errors. */
const agentErrorCodes: ReadonlySet<EditorErrorCode> = new Set([
  'invalidPath',
  'outsideWorkspace',
  'excluded',
  'isDirectory',
  'notAFile',
  'notText',
  'tooLarge',
]);

/** Handles `fs/read_text_file` and `fs/write_text_file` of one session. @throws RequestError */
export class FileService {
  private readonly knownTexts = new KnownTexts();

  constructor(
    private readonly editor: FileAccess,
    private readonly deps: FileServiceDeps,
  ) {}

  /** Reads a file. `line` is 1-based; `limit` is a number of lines. Returns empty text past the end of the file. */
  async read(
    params: Pick<ReadTextFileRequest, 'path' | 'line' | 'limit'>,
    signal: AbortSignal,
  ): Promise<{ content: string }> {
    const { path, line, limit } = params;
    let realPath: string | undefined;
    try {
      realPath = await this.editor.realPathOf(path);
      const permit = await this.deps.permissions.mayRead(realPath, signal);
      if (!permit.isGranted) throw refusal('read', path, permit.reason);
      const { text } = await this.editor.readText(path, { maxBytes: maxReadBytes, signal });
      if ((line ?? undefined) === undefined && (limit ?? undefined) === undefined)
        this.knownTexts.remember(realPath, text);
      else this.knownTexts.rememberPart(realPath, text);
      return { content: sliceLines(text, Math.max(0, (line ?? 1) - 1), limit ?? Infinity) };
    } catch (error) {
      const isMissing = isEditorError(error) && error.code === 'notFound';
      if (isMissing && realPath !== undefined) this.knownTexts.remember(realPath, null);
      if (isMissing && this.deps.missingFile() === 'empty') return { content: '' };
      throw toRequestError(error, path);
    }
  }

  /**
   * Writes or creates a file. Asks first if it is protected or has unsaved changes, or the permissions require it. Refuses to
   * replace a text that the agent has not read, and asks if the agent tries it again without reading the file.
   */
  async write({ path, content }: { path: string; content: string }, signal: AbortSignal): Promise<void> {
    try {
      const realPath = await this.editor.realPathOf(path);
      const settled = this.deps.permissions.mayWriteWithoutAsking(realPath, signal);
      if (settled && !settled.isGranted) throw refusal('edit', path, settled.reason);
      if (!settled || !(await this.tryWrite(path, realPath, content, signal)))
        await this.writeAfterApproval(path, realPath, content, signal);
      this.deps.onDidWrite?.(path);
    } catch (error) {
      throw toRequestError(error, path);
    }
  }

  /** Returns false if the user must see the change first. @throws EditorError */
  private async tryWrite(path: string, realPath: string, content: string, signal: AbortSignal): Promise<boolean> {
    const found = { isUnknown: false };
    const mayReplace = (text: string): boolean => {
      found.isUnknown = this.knownTexts.stateOf(realPath, text) !== 'known';
      return !found.isUnknown;
    };
    try {
      const options = { ifDirty: 'refuse', save: true, signal, mayReplace } as const;
      this.knownTexts.remember(realPath, (await this.editor.writeText(path, content, options)).text);
      return true;
    } catch (error) {
      if (found.isUnknown || (isEditorError(error) && (error.code === 'dirty' || error.code === 'protected')))
        return false;
      throw error;
    }
  }

  /** Writes exactly the change that the user saw. @throws EditorError, RequestError */
  private async writeAfterApproval(
    path: string,
    realPath: string,
    content: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { knownTexts } = this;
    const before = await readTextIfExists(this.editor, path, signal);
    const knowledge = before ? knownTexts.stateOf(realPath, before.text) : 'known';
    if (knowledge === 'unknown') throw knownTexts.tellToRead(realPath, path);
    await this.editor.requireWritable(path, content);
    const isUnsaved = before?.isDirty ?? false;
    const protection = await this.deps.protectionOf(path, { before: before?.text, after: content });
    const isUnread = knowledge === 'stillUnknown';
    const change = { path: realPath, before: before?.text ?? null, after: content, isUnsaved, isUnread };
    const permit = await this.deps.permissions.askToWrite({ ...change, protection: protection?.reason }, signal);
    if (!permit.isGranted) {
      if (!isUnsaved) throw refusal('edit', path, permit.reason);
      const message = `'${path}' has unsaved changes that the user wants to keep. Read the file again and ask the user.`;
      throw new RequestError(internalError, message, { path });
    }
    if (!before && (await readTextIfExists(this.editor, path, signal))) {
      throw new RequestError(internalError, `'${path}' was created in the meantime. Read it first.`, { path });
    }
    const { protectedFiles } = permit;
    const written = await this.editor.writeText(path, content, {
      save: true,
      signal,
      ...(before ? { expectedVersion: before.version } : { mayReplace: () => false }),
      ...(protectedFiles ? { protectedFiles } : {}),
    });
    knownTexts.remember(realPath, written.text);
  }
}

/** Creates the error for a denied request. `reason` includes what the agent can do next. */
function refusal(what: 'read' | 'edit', path: string, reason: string): RequestError {
  return new RequestError(internalError, `You may not ${what} '${path}'. ${reason}`, { path });
}

function toRequestError(error: unknown, path: string): unknown {
  if (!isEditorError(error)) return error;
  if (error.code === 'cancelled') return RequestError.requestCancelled();
  if (error.code === 'notFound') return new RequestError(resourceNotFound, error.message, { uri: path });
  const code = agentErrorCodes.has(error.code) ? invalidParams : internalError;
  return new RequestError(code, error.message, { path, reason: error.code });
}
