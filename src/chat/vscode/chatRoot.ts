import { randomUUID } from 'node:crypto';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { BackendRegistry } from '../../session/common/backendRegistry';
import type { BackendSession } from '../../session/common/sessionBackend';
import type { ReviewProgress } from '../../changes/common/review/reviewedMarks';
import type { WorkspaceCheckpoints } from '../../changes/common/workspaceCheckpoints';
import type { Memento } from '../../base/common/memento';
import type { EditorPort } from '../../editor/common/editorPort';
import type { WriteObserver } from '../../editor/common/writeObserver';
import type { NoticeContext } from '../../platform/vscode/featureContext';
import { KeyChordPrefixes } from '../../webview/vscode/keyChordPrefixes';
import { BackgroundQuestions, type BackgroundQuestion } from '../common/asides/backgroundQuestions';
import type { ConversationSource } from '../common/conversationSource';
import type { MentionSource } from '../common/mentions/mentionSource';
import type { SpokenTurn } from '../common/sending/spokenTurn';
import type { AgentReviewsDeps } from '../common/findings/agentReviews';
import { ChatSessions } from '../common/conversations/chatSessions';
import { AttachedTexts, attachedTextsName } from '../common/mentions/attachedTexts';
import { Mentions } from '../common/mentions/mentions';
import { newDraftName, readStoredDraft } from '../common/page/newDraft';
import { NewSessionOptions } from '../common/page/newSessionOptions';
import { Presets } from '../common/prompts/presets';
import type { DraftComments } from '../common/page/feed/pageFeed';
import { PageChips, type ChipSource } from '../common/page/pageChips';
import { findConversationsFolder, moveOldConversations, type OpenWorkspace } from '../node/conversationsFolder';
import { NodeFiles } from '../../base/node/filePort';
import { AgentWritesFolder } from '../node/writes/agentWritesFolder';
import { StoredAuthors } from '../node/authorship/storedAuthors';
import { ConversationStore, type SessionStoreDeps } from '../node/conversationStore';
import { FileSpool } from '../node/fileSpool';
import { removeOldDrafts } from '../node/places/oldDrafts';
import { WindowDrafts } from '../node/places/windowDrafts';
import { branchOf, headCommitOf } from '../node/repositoryIdentity';
import { OlderWorkspaces } from '../node/olderWorkspaces';
import { WorkerTextSearch } from '../node/search/workerTextSearch';
import { WindowPlaces } from '../node/windowPlaces';
import { windowsFolderIn } from '../node/windows/watchRunningWindows';
import { WindowRegistry } from '../node/windows/windowRegistry';
import { ConversationToShow } from '../node/windows/conversationToShow';
import { ChatFeature } from './chatFeature';
import type { RunningChatFeature } from './runningChatFeature';
import { deleteFile } from './review/deleteFile';
import { modalDialogs } from './dialogs';
import { showSystemNotification } from '../node/systemNotification';
import { openInNewWindow } from './placeActions';
import type { RecentFiles } from './recentFiles';
import { readUsableDiskText } from './unsaved/textVersions';
import { windowSaveEvents } from './unsaved/windowSaveEvents';
import { WindowUnsavedFiles } from './unsaved/windowUnsavedFiles';
import { WindowMentions } from './windowMentions';
import { createPromptFiles } from './prompts/promptFilesOfWindow';

interface ChatRootDeps extends NoticeContext {
  readonly backends: BackendRegistry;
  readonly editor: EditorPort;
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  /** How many comments were not sent. */
  readonly draftComments: DraftComments;
  /** What the user has marked as reviewed. */
  readonly reviewed: ReviewProgress;
  /** Mention sources of other features. */
  readonly mentionSources: readonly MentionSource[];
  readonly chipSources: readonly ChipSource[];
  /** Called when an agent has said something in a turn that has ended. */
  readonly onDidSpeak: (turn: SpokenTurn) => void;
  /** Shows findings of an agent that reviews changes at their lines. */
  readonly showFindings: AgentReviewsDeps['showFindings'];
  /** Recently opened files. The caller starts and disposes them. */
  readonly recentFiles: RecentFiles;
  /** Absolute path of the folder for the conversations of all workspaces. */
  readonly storageFolder: string;
  /** Absolute path of the folder in which older versions stored this workspace's conversations. */
  readonly olderFolder: string;
  readonly workspaceState: Memento;
  readonly globalState: Memento;
  readonly extensionUri: vscode.Uri;
  /** Other conversations than those that Backline stores. */
  readonly sources: readonly ConversationSource[];
}

export interface RunningChatRoot extends RunningChatFeature, WriteObserver {
  /** Opens the files that the session's agent reads and edits. Only while Follow is on. */
  followSession(session: BackendSession): void;
  /** Shows a new conversation with a prompt that the user can edit and send. */
  startConversationWith(start: ConversationStart): Promise<void>;
  /**
   * Asks the agent of new conversations in a session that no conversation shows. Resolves to undefined if the user is to choose an
   * agent (`picksAgent`) and chooses none. @throws Error, BackendError
   */
  askInBackground(question: BackgroundQuestion & { readonly picksAgent: boolean }): Promise<string | undefined>;
}

interface ConversationStart {
  readonly prompt?: string;
  readonly texts: readonly { readonly title: string; readonly text: string }[];
  /** Absolute path of the folder in which the agent will work. */
  readonly folder?: string | undefined;
  /** Asks for the agent first. Nothing is shown if the user chooses none. */
  readonly picksAgent?: boolean;
  /** Sends the prompt, unless the user has typed something for the next conversation. */
  readonly sends?: boolean;
}

/** Assembles the chat. Its code is a separate bundle, which is loaded when the chat is first used. */
export class ChatRoot {
  private readonly chatFeature: ChatFeature;
  private readonly chatSessions: ChatSessions;
  private readonly attachedTexts: AttachedTexts;
  private readonly store: ConversationStore;
  private readonly windows: WindowRegistry;
  private readonly questions: BackgroundQuestions;
  /** The running feature, once it has started. */
  private feature: RunningChatFeature | undefined;

  private constructor(
    deps: ChatRootDeps,
    private readonly drafts: WindowDrafts,
  ) {
    const { backends, chipSources, clock, editor, globalState, log, mentionSources, recentFiles: recent } = deps;
    const onError = (error: unknown): void => log.error('an error in the chat', error);
    this.store = createStore(deps, {
      confirmContinueHere: async (id) => (await this.feature?.confirmContinueHere(id)) ?? true,
      askToRelease: (id) => this.windows.askToRelease(id),
    });
    const windowId = randomUUID();
    this.windows = new WindowRegistry({
      folder: windowsFolderIn(deps.storageFolder),
      id: windowId,
      files: new NodeFiles(),
      clock,
      log,
    });
    this.attachedTexts = new AttachedTexts({ newId: randomUUID, memento: drafts, onError });
    const windowMentions = new WindowMentions({ editor, recent, clock, log });
    const mentions = new Mentions([...windowMentions.sources, ...mentionSources, this.attachedTexts], clock, log);
    const presets = new Presets({
      readPresets: () => deps.settings.chatPresets(),
      readInstructions: () => deps.settings.chatInstructions(),
      onError,
    });
    const newOptions = new NewSessionOptions({ backends, memento: globalState, presets, onError });
    this.questions = new BackgroundQuestions({ backends, editor, sessionDefaults: newOptions });
    this.chatSessions = new ChatSessions({
      backends,
      store: this.store,
      files: {
        editor,
        deleteFile: (file, deletion) => deleteFile(editor, file, deletion),
        checkpoints: deps.checkpoints,
        readDiskText: readUsableDiskText,
        branchOf,
        headCommitOf,
        ...windowSaveEvents,
      },
      agentWrites: new AgentWritesFolder({
        folder: path.join(deps.storageFolder, 'agentWrites'),
        windowId,
        clock,
        log,
      }),
      attachments: mentions,
      clock,
      log,
      memento: globalState,
      newId: randomUUID,
      onDidSpeak: (turn) => {
        deps.onDidSpeak(turn);
        this.feature?.takeAnswer(turn).catch(onError);
      },
      createSpool: () => new FileSpool(path.join(deps.storageFolder, 'spool')),
      sessionDefaults: newOptions,
      windows: this.windows,
      unsavedFiles: new WindowUnsavedFiles({
        editor,
        settings: deps.settings,
        onDismiss: () => this.chatFeature.focusComposer(),
      }),
    });
    this.chatFeature = new ChatFeature({
      ...deps,
      chats: this.chatSessions,
      draftMemento: drafts,
      takeMovedDrafts: (move, use) =>
        drafts.takeMoved(move, async (left) => {
          await this.attachedTexts.takeOver(left[attachedTextsName]);
          const draft = readStoredDraft(left[newDraftName]);
          if (draft) use(draft);
        }),
      newId: randomUUID,
      lineAuthors: new StoredAuthors({ store: this.store, files: new NodeFiles(), log }),
      mentions,
      windowMentions,
      folderOf: (draft) => this.attachedTexts.workingFolderOf(draft),
      attachText: (title, text) => this.attachedTexts.add(title, text),
      attachedTextOf: (attachment) => this.attachedTexts.textOf(attachment),
      newOptions,
      chips: new PageChips(chipSources, onError),
      presets,
      promptFiles: createPromptFiles({
        editor,
        globalStorage: deps.storageFolder,
        rowsForDrop: (paths) => windowMentions.rowsForDrop(paths),
        settings: deps.settings,
        notify: (text) => deps.notices.show({ level: 'info', text, actions: [] }),
        log,
      }),
      keyChords: new KeyChordPrefixes(vscode.Uri.file(deps.storageFolder), log),
      dialogs: modalDialogs,
      notifySystem: (text) => {
        const isLocal = vscode.env.remoteName === undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
        if (isLocal) showSystemNotification(text, log);
      },
      openWorkspace: async (workspace, sessionId) => {
        const { folder, workspaceFile = folder } = workspace;
        if (sessionId !== undefined)
          await new ConversationToShow(deps.storageFolder, () => clock.now()).leave([folder, workspaceFile], sessionId);
        await openInNewWindow(workspace);
      },
    });
  }

  /** Creates the chat. First moves the conversations of the oldest versions from VS Code's storage of the workspace. */
  static async create(deps: ChatRootDeps): Promise<ChatRoot> {
    const { clock, log, olderFolder } = deps;
    const to = await findConversationsFolder(conversationsIn(deps.storageFolder), openWorkspace());
    await moveOldConversations({ from: olderFolder, to, files: new NodeFiles(), clock, log });
    const draftFiles = { folder: path.join(deps.storageFolder, 'drafts'), files: new NodeFiles(), clock, log };
    const drafts = await WindowDrafts.load({
      ...draftFiles,
      workspace: openWorkspace(),
      workspaceState: deps.workspaceState,
      newId: randomUUID,
    });
    void removeOldDrafts(draftFiles);
    return new ChatRoot(deps, drafts);
  }

  async start(): Promise<RunningChatRoot> {
    const { chatSessions } = this;
    // A window with several folders keeps running when one is added or removed.
    const followFolders = vscode.workspace.onDidChangeWorkspaceFolders(() => {
      void this.store.moveWindow();
      void this.drafts.moveWindow(openWorkspace());
    });
    // VS Code may have read the folders of a workspace file since the drafts were read.
    await Promise.all([this.drafts.readAgain(openWorkspace()), this.windows.start()]);
    const ui = await this.chatFeature.start().catch((error: unknown) => {
      followFolders.dispose();
      void this.windows.stop();
      throw error;
    });
    this.feature = ui;
    return {
      ...ui,
      stop: async () => {
        followFolders.dispose();
        await ui.stop?.();
        await this.windows.stop();
        await this.drafts.close();
      },
      followSession: (session) => ui.follower.followSession(session),
      startConversationWith: (start) => this.startConversationWith(start),
      askInBackground: async ({ picksAgent, ...question }) => {
        if (picksAgent && !(await ui.pickAgent())) return undefined;
        const agent = await ui.chosenAgent();
        if (agent === undefined) throw new Error('No agent is available. Run “Backline: Agents” to install one.');
        return await this.questions.ask(agent, question);
      },
      beforeWrite: async (writer, file) => {
        await chatSessions.beforeWrite(writer, file);
        ui.follower.beforeWrite(file);
      },
      afterWrite: async (writer, file, replaced) => {
        ui.follower.afterWrite(file);
        await chatSessions.afterWrite(writer, file, replaced);
      },
      afterFailedWrite: (writer, file) => chatSessions.afterFailedWrite(writer, file),
      beginCommand: (writer) => chatSessions.beginCommand(writer),
    };
  }

  private async startConversationWith(start: ConversationStart): Promise<void> {
    const { prompt = '', texts, folder, picksAgent = false, sends = false } = start;
    if (picksAgent && !(await this.feature?.pickAgent())) return;
    const attachments = texts.map(({ title, text }) => this.attachedTexts.add(title, text, folder));
    await this.feature?.startWith({ text: prompt, attachments }, sends);
  }
}

/** Creates the store of the user's conversations, which all windows share. */
function createStore(
  { clock, extensionUri, log, storageFolder }: ChatRootDeps,
  questions: Required<Pick<SessionStoreDeps, 'askToRelease' | 'confirmContinueHere'>>,
): ConversationStore {
  const folder = conversationsIn(storageFolder);
  const files = new NodeFiles();
  // VS Code has the folders of all workspaces next to the one for all of them.
  const workspaceStorage = path.join(storageFolder, '..', '..', 'workspaceStorage');
  const moves = path.join(folder, 'moves');
  return new ConversationStore({
    folder,
    files,
    clock,
    log,
    ...questions,
    places: new WindowPlaces({ folder: moves, files, clock, log, workspace: openWorkspace }),
    texts: new WorkerTextSearch({
      ...{ root: folder, folder: path.join(folder, 'index', 'texts'), files, clock, log },
      workerFile: vscode.Uri.joinPath(extensionUri, 'dist', 'conversation-texts-worker.js').fsPath,
    }),
    older: new OlderWorkspaces({ root: folder, workspaceStorage, files, log }),
  });
}

function conversationsIn(storageFolder: string): string {
  return path.join(storageFolder, 'conversations');
}

function openWorkspace(): OpenWorkspace {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  return {
    // An unsaved workspace file has a different path each time, so it is ignored.
    file: workspaceFile === undefined || workspaceFile.scheme === 'untitled' ? undefined : workspaceFile.fsPath,
    folders: workspaceFolders.map(({ uri }) => uri.fsPath),
  };
}
