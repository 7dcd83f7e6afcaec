import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { WorkspaceCheckpoints } from '../../../../src/changes/common/workspaceCheckpoints';
import type { BackendRegistry } from '../../../../src/session/common/backendRegistry';
import type { Clock } from '../../../../src/base/common/async';
import { Emitter } from '../../../../src/base/common/event';
import { nullLogger, type Logger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { PendingSave } from '../../../../src/chat/common/chatFileAccess';
import { ChatSessions } from '../../../../src/chat/common/conversations/chatSessions';
import type { Chat, Chats } from '../../../../src/chat/common/chatPorts';
import type { ConversationRow } from '../../../../src/chat/common/chatView';
import type { Draft } from '../../../../src/chat/common/chatView';
import type { AttachmentResolver } from '../../../../src/chat/common/conversation/promptDelivery';
import type { UnsavedFiles } from '../../../../src/chat/common/unsaved/promptSaves';
import type { NewSessionOptionsPort } from '../../../../src/chat/common/conversations/newSessionOptionsPort';
import { NodeFiles, type FilePort } from '../../../../src/base/node/filePort';
import { ConversationStore } from '../../../../src/chat/node/conversationStore';
import { WindowRegistry } from '../../../../src/chat/node/windows/windowRegistry';
import { FakeEditor } from '../../../fake/fakeEditor';
import { MemoryMemento } from '../../../fake/memoryMemento';
import { until } from '../../../support/eventually';
import { ChatBackends } from './chatBackend';
import { TextsHere } from './textsHere';

const byTitle: AttachmentResolver = { resolve: ({ title }) => Promise.resolve([{ type: 'file', path: title }]) };

/** A window with conversations, in a folder of its own or in that of another window. */
export class Window {
  readonly chats: ChatSessions;
  readonly store: ConversationStore;
  readonly windows: WindowRegistry;
  /** Each with what was said about protected files. */
  readonly deletions: [file: string, permission: string | undefined][] = [];
  /** Files that are saved in editors of the window. */
  readonly saved = new Emitter<string>((error) => {
    throw error;
  });
  private readonly willSave = new Emitter<PendingSave>((error) => {
    throw error;
  });
  private ids = 0;

  private constructor(
    readonly folder: string,
    readonly backends: BackendRegistry,
    readonly editor: FakeEditor,
    files: FilePort,
    clock: Clock,
    storeClock: Clock,
    readonly memento: MemoryMemento,
    attachments: AttachmentResolver,
    starts: NewSessionOptionsPort,
    log: Logger,
    checkpoints: WorkspaceCheckpoints | undefined,
    unsavedFiles: UnsavedFiles,
    isOlder: boolean,
  ) {
    this.store = new ConversationStore({
      folder,
      texts: new TextsHere(folder),
      files,
      clock: storeClock,
      log,
      ...(isOlder ? {} : { askToRelease: (id) => this.windows.askToRelease(id) }),
    });
    this.windows = new WindowRegistry({
      folder: path.join(folder, 'windows'),
      id: randomUUID(),
      files,
      clock: storeClock,
      log,
    });
    this.chats = new ChatSessions({
      backends,
      store: this.store,
      files: {
        editor,
        deleteFile: (file, { protectedFiles: permission }) => {
          this.deletions.push([file, permission]);
          editor.deleteFile(file);
          return Promise.resolve();
        },
        checkpoints,
        onDidSave: this.saved.event,
        onWillSave: this.willSave.event,
        readDiskText: (file) => Promise.resolve(editor.diskTextIfThere(file)),
      },
      attachments,
      clock,
      log: nullLogger,
      memento,
      sessionDefaults: starts,
      ...(isOlder ? {} : { windows: this.windows }),
      unsavedFiles,
      newId: () => `${path.basename(folder)}-${process.hrtime.bigint()}-${++this.ids}`,
    });
  }

  static async open(
    options: {
      folder?: string;
      backends?: BackendRegistry;
      editor?: FakeEditor;
      files?: FilePort;
      /** Of conversations. */
      clock?: Clock;
      storeClock?: Clock;
      memento?: MemoryMemento;
      attachments?: AttachmentResolver;
      starts?: NewSessionOptionsPort;
      /** Of the store. */
      log?: Logger;
      checkpoints?: WorkspaceCheckpoints;
      unsavedFiles?: UnsavedFiles;
      /** Whether the version of Backline tells other windows nothing, as earlier ones. */
      isOlder?: boolean;
    } = {},
  ): Promise<Window> {
    const folder = options.folder ?? (await mkdtemp(path.join(tmpdir(), 'chat-')));
    const { backends = new ChatBackends('one', 'two'), editor = new FakeEditor({ '/ws/a.txt': 'one\n' }) } = options;
    const { clock = systemClock, files = new NodeFiles(), storeClock = systemClock } = options;
    const { attachments = byTitle, log = nullLogger, memento = new MemoryMemento() } = options;
    const window = new Window(
      folder,
      backends,
      editor,
      files,
      clock,
      storeClock,
      memento,
      attachments,
      options.starts ?? noStarts,
      log,
      options.checkpoints,
      options.unsavedFiles ?? noUnsavedFiles,
      options.isOlder ?? false,
    );
    if (options.checkpoints && backends instanceof ChatBackends) {
      for (const backend of backends.backends) backend.runsCommand = true;
    }
    await Promise.all([window.chats.start(), window.windows.start()]);
    return window;
  }

  get agent() {
    assert.ok(this.backends instanceof ChatBackends);
    const [first] = this.backends.backends;
    assert.ok(first);
    return first;
  }

  /** The user saves the file of an editor. */
  async save(file: string): Promise<void> {
    const waiting: Promise<void>[] = [];
    this.willSave.fire({ path: file, waitUntil: (work) => waiting.push(work) });
    await Promise.all(waiting);
    await this.editor.save(file);
    this.saved.fire(file);
    await settled();
  }

  async close(): Promise<void> {
    await this.chats.stop();
    await this.windows.stop();
    this.chats.dispose();
    this.store.dispose();
  }

  async remove(): Promise<void> {
    await this.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

/** Returns the rows that a search has found, the best first. */
export async function rowsFound(chats: Pick<Chats, 'search'>, query: string): Promise<readonly ConversationRow[]> {
  return (await chats.search(query)).found.map(({ row }) => row);
}

export const noUnsavedFiles: UnsavedFiles = {
  saveBeforePrompt: 'ask',
  listFiles: () => Promise.resolve([]),
  saveFile: () => Promise.resolve(),
  ask: () => Promise.reject(new Error('There is nothing to ask.')),
  setAlwaysSave: () => Promise.resolve(),
};

/** Where nothing is chosen, and nobody learns. */
export const noStarts: NewSessionOptionsPort = {
  of: () => ({ options: [], choose: () => undefined }),
  setPreparedSession: () => undefined,
};

export function draft(text: string) {
  return { text, attachments: [] };
}

/** The user answers an approval as a page shows it. */
export async function answer(chat: Chat, approvalId: string, option: string, reason?: Draft): Promise<void> {
  const shown = chat.view.approvals.find(({ id }) => id === approvalId)?.shown;
  await chat.answerApproval({ approvalId, option, shown }, reason);
}

/** A conversation of one turn, which has ended. */
export async function spoken(window: Window, text = 'Hello'): Promise<Chat> {
  const chat = await window.chats.create('one');
  await chat.send(draft(text));
  window.agent.last.end('Hi.');
  await until('the end', () => outline(chat).includes('end: completed'));
  return chat;
}

/** All that reads from memory has been read. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
}

export function outline(chat: Chat): string[] {
  return [...chat.transcript.entries()].map((entry) => {
    if (entry.kind === 'end') return `end: ${entry.outcome}`;
    return 'text' in entry ? `${entry.kind}: ${entry.text}` : entry.kind;
  });
}
