import { readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { Emitter } from '../../../../src/base/common/event';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { CheckpointScanLimits } from '../../../../src/changes/common/checkpoint';
import type { FileTimes } from '../../../../src/changes/node/scan/fileAges';
import { FolderCheckpoints } from '../../../../src/changes/node/folderCheckpoints';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import type { AgentWrites } from '../../../../src/chat/common/writes/agentWrites';
import type { PendingSave } from '../../../../src/chat/common/chatFileAccess';
import type { LogRecord } from '../../../../src/chat/common/conversation/logRecord';
import { ChatSessions } from '../../../../src/chat/common/conversations/chatSessions';
import { FileRestorer } from '../../../../src/chat/common/restore/fileRestorer';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { StoredAuthors } from '../../../../src/chat/node/authorship/storedAuthors';
import { ConversationStore } from '../../../../src/chat/node/conversationStore';
import { headCommitOf } from '../../../../src/chat/node/repositoryIdentity';
import { WindowPlaces } from '../../../../src/chat/node/windowPlaces';
import { ExcludeList } from '../../../../src/editor/common/excludeList';
import { ObservedWrites, type WriteObserver } from '../../../../src/editor/common/writeObserver';
import { unifyLineEndings } from '../../../../src/editor/common/text/lineEndings';
import { ProtectedFiles } from '../../../../src/editor/common/protection/protectedFiles';
import type { FileStat } from '../../../../src/editor/common/editorPort';
import { DiskEditor } from '../../../../src/editor/node/diskEditor';
import { decodeText } from '../../../../src/editor/node/diskReader';
import type { TranscriptDocument } from '../../../../src/transcript/common/transcriptDocument';
import { MemoryMemento } from '../../../fake/memoryMemento';
import { until } from '../../../support/eventually';
import { patientScans, type TestWorkspace } from '../../changes/support/workspace';
import { ChatBackends } from './chatBackend';
import { draft, noStarts, noUnsavedFiles } from './window';

interface DiskWindowOptions {
  /** Default is the folder of the workspace. */
  readonly folders?: readonly string[];
  readonly limits?: Partial<CheckpointScanLimits>;
  readonly searchPath?: string;
  readonly fileTimes?: FileTimes;
  readonly agentWrites?: AgentWrites;
  /** Folder of the conversations, relative to that of the workspace. Each window of a test with several has its own. */
  readonly chats?: string;
  /** Conversations belong to the folders of the window, and can be located in others. */
  readonly knowsPlaces?: boolean;
}

/** Notebooks keep their unsaved changes outside the text of the file. */
class EditorWithNotebooks extends DiskEditor {
  readonly unsavedNotebooks = new Map<string, string>();

  override async stat(file: string): Promise<FileStat> {
    const stat = await super.stat(file);
    return { ...stat, isDirty: stat.isDirty || this.unsavedNotebooks.has(file) };
  }

  override async save(file = ''): Promise<void> {
    const contents = this.unsavedNotebooks.get(file);
    if (contents !== undefined) await writeFile(file, contents);
    this.unsavedNotebooks.delete(file);
  }
}

/** A window without VS Code: real files, real Git and a conversation whose agent is the test. */
export class DiskWindow {
  readonly backends = new ChatBackends('one');
  readonly checkpoints: FolderCheckpoints;
  readonly saved = new Emitter<string>((error) => {
    throw error;
  });
  private readonly willSave = new Emitter<PendingSave>(() => undefined);
  private readonly store: ConversationStore;
  private readonly chats: ChatSessions;
  readonly editor: EditorWithNotebooks;
  /** What the user has not saved in notebooks, by path. */
  readonly unsavedNotebooks: Map<string, string>;
  private readonly opened: Chat[] = [];
  /** Called before an undo or a restore writes to the disk. */
  beforeWrite: () => Promise<void> = () => Promise.resolve();
  /** Called when an undo or a restore has written to the disk, before it knows. */
  afterWrite: () => Promise<void> = () => Promise.resolve();

  private constructor(
    readonly workspace: TestWorkspace,
    {
      agentWrites,
      chats = 'chats',
      fileTimes,
      folders = [workspace.folder],
      knowsPlaces,
      limits,
      searchPath,
    }: DiskWindowOptions,
  ) {
    for (const backend of this.backends.backends) backend.runsCommand = true;
    const exclude = new ExcludeList(['.env*']);
    const protectedFiles = new ProtectedFiles();
    const clock = systemClock;
    this.checkpoints = new FolderCheckpoints({
      folders: () => folders,
      storageFolder: workspace.storage,
      isTrusted: () => true,
      excludes: (file, relativePath) => exclude.excludes(file, relativePath),
      decode: async (bytes, file) => unifyLineEndings(await decodeText(file, Buffer.from(bytes), decodeUtf8)),
      retention: () => ({ maxAgeMs: 1e9, maxBytes: 1e9 }),
      log: nullLogger,
      clock,
      limits: { ...patientScans, ...limits },
      ...(searchPath !== undefined && { searchPath }),
      ...(fileTimes && { fileTimes }),
    });
    const stored = { folder: path.join(workspace.root, chats), files: new NodeFiles(), clock, log: nullLogger };
    const moves = path.join(stored.folder, 'moves');
    this.store = new ConversationStore({
      ...stored,
      ...(knowsPlaces && {
        places: new WindowPlaces({ ...stored, folder: moves, workspace: () => ({ file: undefined, folders }) }),
      }),
    });
    this.editor = new EditorWithNotebooks(folders, exclude, () => protectedFiles);
    this.unsavedNotebooks = this.editor.unsavedNotebooks;
    const { checkpoints, editor } = this;
    const [restore, restoreFile] = [checkpoints.restore.bind(checkpoints), checkpoints.restoreFile.bind(checkpoints)];
    const writeText = editor.writeText.bind(editor);
    checkpoints.restore = (...args) => this.observeWrite(() => restore(...args));
    checkpoints.restoreFile = (...args) => this.observeWrite(() => restoreFile(...args));
    editor.writeText = (...args) => this.observeWrite(() => writeText(...args));
    this.chats = new ChatSessions({
      backends: this.backends,
      store: this.store,
      files: {
        editor: this.editor,
        deleteFile: async (file) => {
          await this.observeWrite(() => rm(file));
          this.unsavedNotebooks.delete(file);
        },
        checkpoints: this.checkpoints,
        onDidSave: this.saved.event,
        onWillSave: this.willSave.event,
        headCommitOf,
        readDiskText: (file) => readFile(file, 'utf8'),
      },
      ...(agentWrites && { agentWrites }),
      attachments: { resolve: () => Promise.resolve([]) },
      clock,
      log: nullLogger,
      memento: new MemoryMemento(),
      sessionDefaults: noStarts,
      unsavedFiles: noUnsavedFiles,
      newId: () => `chat-${process.hrtime.bigint()}`,
    });
  }

  static async open(workspace: TestWorkspace, options: DiskWindowOptions = {}): Promise<DiskWindow> {
    const window = new DiskWindow(workspace, options);
    await window.chats.start();
    return window;
  }

  get writeObserver(): WriteObserver {
    return this.chats;
  }

  get restorer(): FileRestorer {
    return new FileRestorer({
      chats: this.chats,
      checkpoints: this.checkpoints,
      newId: () => `restore-${process.hrtime.bigint()}`,
    });
  }

  async create(): Promise<Chat> {
    return this.add(await this.chats.create('one'));
  }

  async reopen(id: string): Promise<Chat> {
    return this.add(await this.chats.open(id));
  }

  /** Who wrote the lines of files, from the conversations of this window as they are on disk. */
  createAuthors(): StoredAuthors {
    return new StoredAuthors({ store: this.store, files: new NodeFiles(), log: nullLogger });
  }

  /** What is stored of a conversation. */
  async recordsOf({ id }: Chat): Promise<readonly LogRecord[]> {
    return (await this.store.read(id)).records;
  }

  async delete(id: string): Promise<void> {
    await this.store.remove(id);
  }

  /** As the user does it, who has moved a folder. */
  async locateFolder(from: string, to: string): Promise<void> {
    await this.chats.locateFolder(from, to);
  }

  /** A turn in which the agent does `work`, by itself. */
  async turn(chat: Chat, work: () => void): Promise<void> {
    await this.begin(chat);
    work();
    await this.end(chat);
  }

  async begin(chat: Chat): Promise<void> {
    await chat.send(draft('Go'));
  }

  /** Resolves before the changes of the turn are known. */
  async end(chat: Chat): Promise<void> {
    const before = ends(chat.transcript);
    this.backends.backends[0]?.last.end();
    await until('the end', () => ends(chat.transcript) > before);
  }

  /** The agent writes a file through the editor, as it does with its protocol. */
  async write(file: string, text: string): Promise<void> {
    const backend = this.backends.backends[0];
    const writer = { backendId: 'one', sessionId: backend?.last.id ?? '' };
    await new ObservedWrites(this.chats, writer).run([file], () => this.editor.writeText(file, text));
  }

  async close(): Promise<void> {
    await this.chats.stop();
    this.chats.dispose();
    this.store.dispose();
    await this.checkpoints.stop();
  }

  private async observeWrite<T>(write: () => Promise<T>): Promise<T> {
    await this.beforeWrite();
    const result = await write();
    await this.afterWrite();
    return result;
  }

  private add(chat: Chat): Chat {
    this.opened.push(chat);
    return chat;
  }
}

/** Each change of the conversation in one line. */
export function changeLines(chat: Chat, folder: string): string[] {
  return chat.fileChanges.list
    .map(({ change, kind, path: file, renamedFrom, state }) =>
      [
        change,
        path.relative(folder, file),
        kind === undefined ? '' : `(${kind})`,
        renamedFrom === undefined ? '' : `from ${path.relative(folder, renamedFrom)}`,
        state === 'applied' ? '' : state,
      ]
        .filter((word) => word !== '')
        .join(' '),
    )
    .sort();
}

function ends(document: TranscriptDocument): number {
  return [...document.entries()].filter(({ kind }) => kind === 'end').length;
}

function decodeUtf8(bytes: Uint8Array): Promise<string> {
  return Promise.resolve(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes));
}
