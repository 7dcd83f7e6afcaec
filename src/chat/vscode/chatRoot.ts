import { randomUUID } from 'node:crypto';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { BackendRegistry } from '../../amplifier/common/backendRegistry';
import type { Clock } from '../../base/common/async';
import type { Feature, RunningFeature, StatusBoard } from '../../base/common/feature';
import type { Logger } from '../../base/common/log';
import type { EditorPort } from '../../editor/common/editorPort';
import type { Writer, WriteWitness } from '../../editor/common/writeWitness';
import { commandIds } from '../../manifest';
import type { Commands } from '../../platform/vscode/commands';
import type { Settings } from '../../platform/vscode/settings';
import type { MentionSource } from '../common/chatPorts';
import { ChatSessions } from '../common/chatSessions';
import type { Draft } from '../common/chatView';
import { AttachedTexts } from '../common/mentions/attachedTexts';
import { Mentions } from '../common/mentions/mentions';
import type { ChoiceMemento } from '../common/page/backendChoice';
import { NewOptions } from '../common/page/newOptions';
import { PageChips, type ChipSource } from '../common/page/pageChips';
import { conversationsFolder, gatherConversations, type OpenWorkspace } from '../node/conversationsFolder';
import { DiskFiles } from '../node/filePort';
import { SessionStore } from '../node/sessionStore';
import { ChatFeature } from './chatFeature';
import { deleteFile } from './deleteFile';
import { modalDialogs } from './dialogs';
import { WindowMentions } from './windowMentions';

export interface ChatRootOptions {
  readonly backends: BackendRegistry;
  readonly editor: EditorPort;
  /** What other features let users mention. */
  readonly mentionSources: readonly MentionSource[];
  /** What goes along with prompts by itself. */
  readonly chipSources: readonly ChipSource[];
  readonly log: Logger;
  readonly status: StatusBoard;
  readonly commands: Commands;
  readonly settings: Settings;
  readonly clock: Clock;
  /** Absolute: where conversations of all workspaces are kept. */
  readonly storageFolder: string;
  /** Absolute: where those of this workspace may have been kept before. */
  readonly olderFolder: string;
  readonly workspaceState: ChoiceMemento;
  readonly globalState: ChoiceMemento;
  readonly extensionUri: vscode.Uri;
}

/** The chat with everything that is its own, put together. A bundle of its own: it is loaded when the window has started. */
export class ChatRoot implements Feature, WriteWitness {
  readonly id = 'chat';
  readonly title = 'Chat';
  private readonly feature: ChatFeature;
  private readonly conversations: ChatSessions;
  private readonly texts = new AttachedTexts();

  private constructor(options: ChatRootOptions, folder: string) {
    const { backends, chipSources, clock, editor, extensionUri, globalState, log, mentionSources } = options;
    const onError = (error: unknown): void => log.error('something went wrong in the chat', error);
    const windowMentions = new WindowMentions({ editor, clock, log });
    const mentions = new Mentions([...windowMentions.sources, ...mentionSources, this.texts], clock, log);
    const newOptions = new NewOptions({ backends, memento: globalState, onError });
    this.conversations = new ChatSessions({
      backends,
      store: new SessionStore({
        folder,
        files: new DiskFiles(),
        clock,
        log,
      }),
      files: { editor, deleteFile: (file) => deleteFile(editor, file) },
      attachments: mentions,
      clock,
      log,
      newId: randomUUID,
      choices: (backendId) => newOptions.choices(backendId),
    });
    this.feature = new ChatFeature({
      chats: this.conversations,
      mentions,
      windowMentions,
      newOptions,
      chips: new PageChips(chipSources, onError),
      editor,
      dialogs: modalDialogs,
      log,
      status: options.status,
      commands: options.commands,
      settings: options.settings,
      clock,
      workspaceState: options.workspaceState,
      globalState,
      pagesFolder: vscode.Uri.joinPath(extensionUri, 'dist', 'pages'),
    });
  }

  /** Finds the folder of this workspace's conversations first. */
  static async open(options: ChatRootOptions): Promise<ChatRoot> {
    const { clock, log, olderFolder, storageFolder } = options;
    const folder = await conversationsFolder(path.join(storageFolder, 'conversations'), openWorkspace());
    await gatherConversations({ from: olderFolder, to: folder, files: new DiskFiles(), clock, log });
    return new ChatRoot(options, folder);
  }

  async start(): Promise<RunningFeature> {
    return await this.feature.start();
  }

  /** Shows a new conversation with the text attached; the user writes the prompt. */
  async beginWith({ title, text }: { readonly title: string; readonly text: string }): Promise<void> {
    const draft: Draft = { text: '', attachments: [this.texts.add(title, text)] };
    await vscode.commands.executeCommand(commandIds.chatNew, draft);
  }

  async beforeWrite(writer: Writer, file: string): Promise<void> {
    await this.conversations.beforeWrite(writer, file);
  }

  async afterWrite(writer: Writer, file: string): Promise<void> {
    await this.conversations.afterWrite(writer, file);
  }
}

function openWorkspace(): OpenWorkspace {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  return {
    // One that was never saved is another one each time.
    file: workspaceFile === undefined || workspaceFile.scheme === 'untitled' ? undefined : workspaceFile.fsPath,
    folders: workspaceFolders.map(({ uri }) => uri.fsPath),
  };
}
