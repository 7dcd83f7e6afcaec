import type { ToolKind } from '../../../session/common/sessionEvents';
import { EditorError, type EditorPort, isEditorError } from '../../../editor/common/editorPort';
import { linesOf } from '../../common/linesOf';
import type { DraftHandlers } from '../../common/draft/draftConnection';
import { FileVersions } from '../../common/draft/fileVersions';
import type { Permit } from '../v1/permissionService';

/** Of a file's text or bytes in one answer. */
const maxReadBytes = 16 * 1024 * 1024;
const maxMatches = 10_000;

type FileMethod = 'readTextFile' | 'readBinaryFile' | 'stat' | 'globSearch';

/** What the user has to say about files. Paths are absolute and resolved. */
export interface DraftPermissions {
  /** Whether it is forbidden, whoever would be asked; without a path it is about the kind as such. */
  isDenied(kind: ToolKind, path?: string): boolean;
  /** Asks where the user wants to be asked. */
  mayRead(threadId: string, path: string, signal: AbortSignal): Promise<Permit>;
}

/** The draft's file methods over the editor, for one connection. `didReadFile` is told of every text that was given out. */
export function createFileHandlers(
  editor: EditorPort,
  didReadFile: (threadId: string, path: string, content: string) => void,
  permissions: DraftPermissions,
): Required<Pick<DraftHandlers, FileMethod>> {
  const versions = new FileVersions();
  const requireReadable = async (threadId: string, path: string, signal: AbortSignal): Promise<void> => {
    const permit = await permissions.mayRead(threadId, await editor.resolve(path), signal);
    if (!permit.isGranted) throw new Error(`You may not read "${path}". ${permit.reason}`);
  };
  return {
    async readTextFile({ threadId, path, lineOffset, lineLimit }, signal) {
      await requireReadable(threadId, path, signal);
      const file = await editor.readText(path, { maxBytes: maxReadBytes, signal });
      const content = linesOf(file.text, lineOffset ?? 0, lineLimit ?? Infinity);
      didReadFile(threadId, file.path, content);
      return { version: versions.numberOf(file.path, file.version), content };
    },

    async readBinaryFile({ threadId, path, byteOffset, byteLimit }, signal) {
      await requireReadable(threadId, path, signal);
      const offset = byteOffset ?? 0;
      const limit = Math.min(byteLimit ?? Infinity, maxReadBytes);
      const file = await editor.readBytes(path, { offset, limit, signal });
      if (Math.min(byteLimit ?? Infinity, file.size - offset) > maxReadBytes) {
        throw new EditorError(
          'tooLarge',
          `"${path}" has ${file.size} bytes, more than ${maxReadBytes}. Read it in parts with byteOffset and byteLimit.`,
        );
      }
      // The editor's version is that of the text; the bytes on disk get numbers of their own.
      const version = versions.numberOf(`bytes of ${file.path}`, file.version);
      return { version, content: Buffer.from(file.bytes).toString('base64') };
    },

    async stat({ path }) {
      if (permissions.isDenied('read', await editor.resolve(path))) throw denied(`reading "${path}"`);
      try {
        return { exists: true, isDirectory: (await editor.stat(path)).type === 'directory' };
      } catch (error) {
        // Only this means that there is nothing. A path that peers may not see is an error: who hears that it does not
        // exist would go on and create it.
        if (isEditorError(error) && error.code === 'notFound') return { exists: false, isDirectory: false };
        throw error;
      }
    },

    async globSearch({ pattern }, signal) {
      if (permissions.isDenied('search')) throw denied('searching');
      const found = await editor.glob(pattern, { maxResults: maxMatches, signal });
      const isHidden = (path: string): boolean =>
        permissions.isDenied('search', path) || permissions.isDenied('read', path);
      return { matches: found.filter((path) => !isHidden(path)) };
    },
  };
}

function denied(what: string): Error {
  return new Error(
    `The user does not allow ${what}. Go on without it, or ask the user to change the rule or the setting.`,
  );
}
