import type { ToolKind } from '../../../session/common/sessionEvents';
import { EditorError, type EditorPort, isEditorError } from '../../../editor/common/editorPort';
import { sliceLines } from '../../common/sliceLines';
import type { DraftHandlers } from '../../common/draft/draftConnection';
import { FileVersions } from '../../common/draft/fileVersions';
import type { PermissionOutcome } from '../session/permissionService';

/** Maximum size of an answer: UTF-16 units of text, or bytes. */
const maxReadBytes = 16 * 1024 * 1024;
const maxMatches = 10_000;

type FileMethod = 'readTextFile' | 'readBinaryFile' | 'stat' | 'globSearch';

/** The user's permissions for files. Paths are those of `EditorPort.realPathOf`. */
export interface DraftFilePermissions {
  /** Whether access is denied without asking. Without `path`, whether the kind is denied for all files. */
  isDenied(kind: ToolKind, path?: string): boolean;
  mayRead(threadId: string, path: string, signal: AbortSignal): Promise<PermissionOutcome>;
}

/** Handles file methods through the editor, for one connection. Calls `didReadFile` for each text that is read. */
export function createFileHandlers(
  editor: EditorPort,
  didReadFile: (threadId: string, path: string, content: string) => void,
  permissions: DraftFilePermissions,
): Required<Pick<DraftHandlers, FileMethod>> {
  const versions = new FileVersions();
  const requireReadable = async (threadId: string, path: string, signal: AbortSignal): Promise<void> => {
    const permit = await permissions.mayRead(threadId, await editor.realPathOf(path), signal);
    if (!permit.isGranted) throw new Error(`You may not read "${path}". ${permit.reason}`);
  };
  return {
    async readTextFile({ threadId, path, lineOffset, lineLimit }, signal) {
      await requireReadable(threadId, path, signal);
      const file = await editor.readText(path, { maxBytes: maxReadBytes, signal });
      const content = sliceLines(file.text, lineOffset ?? 0, lineLimit ?? Infinity);
      didReadFile(threadId, file.path, content);
      return { version: versions.versionNumberOf(file.path, file.version), content };
    },

    async readBinaryFile({ threadId, path, byteOffset, byteLimit }, signal) {
      await requireReadable(threadId, path, signal);
      const offset = byteOffset ?? 0;
      const limit = Math.min(byteLimit ?? Infinity, maxReadBytes);
      const file = await editor.readBytes(path, { offset, limit, signal });
      if (Math.min(byteLimit ?? Infinity, file.fileSize - offset) > maxReadBytes) {
        throw new EditorError(
          'tooLarge',
          `"${path}" has ${file.fileSize} bytes, more than ${maxReadBytes}. Read it in parts with byteOffset and byteLimit.`,
        );
      }
      // The bytes on disk have their own version numbers, because the editor's version belongs to the text.
      const version = versions.versionNumberOf(`bytes of ${file.path}`, file.version);
      return { version, content: Buffer.from(file.bytes).toString('base64') };
    },

    async stat({ path }) {
      if (permissions.isDenied('read', await editor.realPathOf(path))) throw deniedError(`reading "${path}"`);
      try {
        return { exists: true, isDirectory: (await editor.stat(path)).type === 'directory' };
      } catch (error) {
        // Only a missing file is reported as missing, because an agent would try to create an inaccessible file.
        if (isEditorError(error) && error.code === 'notFound') return { exists: false, isDirectory: false };
        throw error;
      }
    },

    async globSearch({ pattern }, signal) {
      if (permissions.isDenied('search')) throw deniedError('searching');
      const found = await editor.glob(pattern, { maxResults: maxMatches, signal });
      const isHidden = async (path: string): Promise<boolean> => {
        const realPath = await editor.realPathOf(path).catch(() => undefined);
        return (
          realPath === undefined || permissions.isDenied('search', realPath) || permissions.isDenied('read', realPath)
        );
      };
      const hidden = await Promise.all(found.map(isHidden));
      return { matches: found.filter((_, index) => hidden[index] !== true) };
    },
  };
}

function deniedError(what: string): Error {
  return new Error(
    `The user does not allow ${what}. Continue without it, or ask the user to change the rule or the setting.`,
  );
}
