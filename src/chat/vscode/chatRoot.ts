import { randomUUID } from 'node:crypto';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { BackendRegistry } from '../../session/common/backendRegistry';
import type { WorkspaceCheckpoints } from '../../changes/common/workspaceCheckpoints';
import type { Memento } from '../../base/common/memento';
import type { EditorPort } from '../../editor/common/editorPort';
import type { WriteObserver } from '../../editor/common/writeObserver';
import { commandIds } from '../../manifest';
import type { FeatureContext } from '../../platform/vscode/featureContext';
import { KeyChords } from '../../webview/vscode/keyChords';
import type { MentionSource } from '../common/chatPorts';
import { ChatSessions } from '../common/conversations/chatSessions';
import type { Draft } from '../common/chatView';
import { AttachedTexts } from '../common/mentions/attachedTexts';
import { Mentions } from '../common/mentions/mentions';
import { NewOptions } from '../common/page/newOptions';
import { PageChips, type ChipSource } from '../common/page/pageChips';
import { conversationsFolder, gatherConversations, type OpenWorkspace } from '../node/conversationsFolder';
import { DiskFiles } from '../node/filePort';
import { SessionStore } from '../node/sessionStore';
import { ChatFeature, type ShownChat } from './chatFeature';
import { deleteFile } from './review/deleteFile';
import { modalDialogs } from './dialogs';
import type { RecentFiles } from './recentFiles';
import { WindowMentions } from './windowMentions';

interface ChatRootOptions extends FeatureContext {
  readonly backends: BackendRegistry;
  readonly editor: EditorPort;
  /** Undefined where nothing is kept. */
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  /** What other features let users mention. */
  readonly mentionSources: readonly MentionSource[];
  /** What goes along with prompts by itself. */
  readonly chipSources: readonly ChipSource[];
  /** The caller starts and disposes it. */
  readonly recent: RecentFiles;
  /** Absolute: where conversations of all workspaces are kept. */
  readonly storageFolder: string;
  /** Absolute: where those of this workspace may have been kept before. */
  readonly olderFolder: string;
  readonly workspaceState: Memento;
  readonly globalState: Memento;
  readonly extensionUri: vscode.Uri;
}

/** What the window asks of the chat. */
export interface RunningChat extends ShownChat, WriteObserver {
  /** Shows a new conversation with the text attached, which works in `folder` (absolute); the user writes the prompt. */
  beginWith(digest: { readonly title: string; readonly text: string }, folder: string | undefined): Promise<void>;
}

/** The chat with everything that is its own, put together. A bundle of its own, loaded when somebody needs the chat. */
export class ChatRoot {
  private readonly feature: ChatFeature;
  private readonly conversations: ChatSessions;
  private readonly texts: AttachedTexts;

  private constructor(options: ChatRootOptions, folder: string) {
    const { backends, chipSources, clock, editor, extensionUri, globalState, log, mentionSources, recent } = options;
    const onError = (error: unknown): void => log.error('something went wrong in the chat', error);
    this.texts = new AttachedTexts({ newId: randomUUID, memento: options.workspaceState, onError });
    const windowMentions = new WindowMentions({ editor, recent, clock, log });
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
      files: {
        editor,
        deleteFile: (file, deletion) => deleteFile(editor, file, deletion),
        checkpoints: options.checkpoints,
        onDidSave: (listener) =>
          vscode.workspace.onDidSaveTextDocument(({ uri }) => {
            if (uri.scheme === 'file') listener(uri.fsPath);
          }),
      },
      attachments: mentions,
      clock,
      log,
      memento: globalState,
      newId: randomUUID,
      starts: newOptions,
    });
    this.feature = new ChatFeature({
      ...options,
      chats: this.conversations,
      mentions,
      windowMentions,
      folderOf: (draft) => this.texts.folderOf(draft),
      newOptions,
      chips: new PageChips(chipSources, onError),
      keyChords: new KeyChords(vscode.Uri.file(options.storageFolder), log),
      dialogs: modalDialogs,
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

  async start(): Promise<RunningChat> {
    const { conversations } = this;
    return {
      ...(await this.feature.start()),
      beginWith: (digest, folder) => this.beginWith(digest, folder),
      beforeWrite: (writer, file) => conversations.beforeWrite(writer, file),
      afterWrite: (writer, file) => conversations.afterWrite(writer, file),
    };
  }

  private async beginWith({ title, text }: { title: string; text: string }, folder: string | undefined): Promise<void> {
    const draft: Draft = { text: '', attachments: [this.texts.add(title, text, folder)] };
    await vscode.commands.executeCommand(commandIds.chatNew, draft);
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
