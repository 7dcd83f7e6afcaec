import * as path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { parseJson } from '../../base/common/parseJson';
import type { FilePort } from '../../base/node/filePort';
import { ConversationPlace, isEqualPlace } from '../common/conversations/conversationPlace';
import { LogRecord } from '../common/conversation/logRecord';
import { logFileName, olderWorkspaceName } from './conversationNames';
import { findConversationsFolder, type OpenWorkspace } from './conversationsFolder';
import { readLines, recordTypeBytes } from './log/logLines';

const placeName = 'place.json';
/** How much of a log is searched for the folder in which it was written, in bytes. */
const maxLogBytes = 1024 * 1024;

/** VS Code's description of a workspace, and a workspace file. Both are only read as far as they are understood. */
const Workspace = z.object({ folder: z.string().optional(), workspace: z.string().optional() });
const WorkspaceFile = z.object({
  folders: z.array(z.object({ path: z.string().optional(), uri: z.string().optional() })),
});

interface OlderWorkspacesDeps {
  /** Absolute path of the folder for all conversations. */
  readonly root: string;
  /** Absolute path of the folder in which VS Code has a folder for each workspace. */
  readonly workspaceStorage: string;
  readonly files: FilePort;
  readonly log: Logger;
}

/**
 * The folders in which versions before this one have the conversations of one workspace each. Their names are hashes of
 * paths, so where a workspace is must be found out. It is noted in a file beside the conversations.
 */
export class OlderWorkspaces {
  private readonly placeByFolder = new Map<string, ConversationPlace>();
  private folders: readonly string[] = [];
  /** Whose places this window has written. */
  private readonly writtenFolders = new Set<string>();

  constructor(private readonly deps: OlderWorkspacesDeps) {}

  /** Returns the absolute paths of the folders, and reads where their workspaces are. @throws errors of the file port */
  async find(): Promise<readonly string[]> {
    const { files, root } = this.deps;
    const names = (await files.listNames(root)).filter((name) => this.isName(name));
    this.folders = names.map((name) => path.join(root, name));
    for (const folder of this.folders) {
      if (this.placeByFolder.has(folder)) continue;
      const text = await files.read(path.join(folder, placeName)).catch(() => undefined);
      const place = ConversationPlace.safeParse(parseJson(text ?? '')).data;
      if (place) this.placeByFolder.set(folder, place);
    }
    return this.folders;
  }

  isName(name: string): boolean {
    return olderWorkspaceName.test(name);
  }

  has(folder: string): boolean {
    return this.folders.includes(folder);
  }

  placeOf(folder: string): ConversationPlace | undefined {
    return this.placeByFolder.get(folder);
  }

  /** Notes where the workspaces are that have the folders of this window. Resolves to whether one is new. Never rejects. */
  async noteWindow(here: ConversationPlace): Promise<boolean> {
    const all = here.folders.map((folder) => folder.path);
    const workspaces: OpenWorkspace[] = [
      { file: undefined, folders: all },
      ...here.folders.map((folder) => ({ file: undefined, folders: [folder.path] })),
      // VS Code tells the folders of a workspace file late at times, which does not mean that the workspace has none.
      ...(here.file === undefined || all.length === 0 ? [] : [{ file: here.file, folders: all }]),
    ];
    return await this.note(workspaces, here);
  }

  /** Finds out where all other workspaces are. Resolves to whether one was found. Never rejects. */
  async noteOthers(): Promise<boolean> {
    const unknown = () => this.folders.filter((folder) => !this.placeByFolder.has(folder));
    if (unknown().length === 0) return false;
    const fromVsCode = await this.note(await this.workspacesOfVsCode());
    let isNew = fromVsCode;
    for (const folder of unknown()) {
      const folders = await this.foldersOfLogs(folder);
      if (folders.length === 0) continue;
      await this.write(folder, { file: undefined, folders });
      isNew = true;
    }
    return isNew;
  }

  private async note(workspaces: readonly OpenWorkspace[], here?: ConversationPlace): Promise<boolean> {
    let isNew = false;
    for (const workspace of workspaces) {
      const folder = await findConversationsFolder(this.deps.root, workspace);
      if (!this.has(folder)) continue;
      // The folders of a saved workspace can be others than last time.
      if (this.placeByFolder.has(folder) && workspace.file === undefined) continue;
      if (await this.write(folder, workspace, here)) isNew = true;
    }
    return isNew;
  }

  /**
   * Resolves to whether it was written. A window writes the same place once: on Windows, each write is a change of the folder for
   * all conversations, after which they are read again.
   */
  private async write(folder: string, { file, folders }: OpenWorkspace, here?: ConversationPlace): Promise<boolean> {
    const place: ConversationPlace = {
      ...(file === undefined ? {} : { file }),
      folders: folders.map((one) => here?.folders.find((known) => known.path === one) ?? { path: one, real: one }),
      at: here?.at ?? 0,
    };
    const before = this.placeByFolder.get(folder);
    if (before && isEqualPlace(before, place) && this.writtenFolders.has(folder)) return false;
    this.writtenFolders.add(folder);
    this.placeByFolder.set(folder, place);
    const { files, log } = this.deps;
    await files
      .replace(path.join(folder, placeName), JSON.stringify(place))
      .catch((error: unknown) => log.debug(`Cannot note where a workspace is: ${messageOf(error)}`));
    return true;
  }

  /** Returns the workspaces that VS Code has a storage for. */
  private async workspacesOfVsCode(): Promise<readonly OpenWorkspace[]> {
    const { files, workspaceStorage } = this.deps;
    const found: OpenWorkspace[] = [];
    for (const name of await files.listNames(workspaceStorage).catch(() => [])) {
      const text = await files.read(path.join(workspaceStorage, name, 'workspace.json')).catch(() => undefined);
      const { folder, workspace } = Workspace.safeParse(parseJson(text ?? '')).data ?? {};
      const opened = pathOf(folder);
      if (opened !== undefined) found.push({ file: undefined, folders: [opened] });
      const file = pathOf(workspace);
      if (file === undefined) continue;
      const folders = await this.foldersOfWorkspaceFile(file);
      // The folders of an unsaved workspace have named its conversations, as its file has another path each time.
      found.push({ file, folders }, { file: undefined, folders });
    }
    return found;
  }

  private async foldersOfWorkspaceFile(file: string): Promise<readonly string[]> {
    const text = await this.deps.files.read(file).catch(() => undefined);
    const { folders = [] } = WorkspaceFile.safeParse(parseJson(text ?? '')).data ?? {};
    return folders.flatMap((folder) =>
      folder.path === undefined ? (pathOf(folder.uri) ?? []) : path.resolve(path.dirname(file), folder.path),
    );
  }

  /** Returns the folders that a log names: those of the first checkpoint. */
  private async foldersOfLogs(folder: string): Promise<readonly string[]> {
    const { files } = this.deps;
    for (const id of await files.listNames(folder).catch(() => [])) {
      try {
        for await (const line of readLines(files.readChunks(path.join(folder, id, logFileName)))) {
          const isCheckpoint = line.start(recordTypeBytes).includes('"checkpoint"');
          const record = isCheckpoint ? LogRecord.safeParse(parseJson(line.text())).data : undefined;
          if (record?.type === 'checkpoint' && record.folders.length > 0)
            return record.folders.map((one) => one.folder);
          if (line.endOffset > maxLogBytes) break;
        }
      } catch {
        // The next conversation may be readable.
      }
    }
    return [];
  }
}

function pathOf(uri: string | undefined): string | undefined {
  if (uri?.startsWith('file:') !== true) return undefined;
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}
