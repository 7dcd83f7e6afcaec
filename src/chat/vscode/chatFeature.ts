import * as vscode from 'vscode';
import { Coalescer } from '../../base/common/async';
import { DisposableStore } from '../../base/common/disposable';
import type { Feature } from '../../base/common/feature';
import type { Memento } from '../../base/common/memento';
import type { EditorPort } from '../../editor/common/editorPort';
import { contextKeys, settingIds, textSchemes } from '../../manifest';
import type { NoticeContext } from '../../platform/vscode/featureContext';
import { HtmlViews } from '../../platform/vscode/htmlViews';
import { Messages } from '../../platform/vscode/messages';
import type { KeyChordPrefixes } from '../../webview/vscode/keyChordPrefixes';
import type { Chats } from '../common/chatPorts';
import type { Draft } from '../common/chatView';
import type { ConversationSource } from '../common/conversationSource';
import type { Mentions } from '../common/mentions/mentions';
import { ApprovalWatch } from '../common/marks/approvalWatch';
import { BackendChoice, type BackendPreference } from '../common/page/backendChoice';
import { workspaceStarters } from '../common/page/starters';
import { PageNotices } from '../common/marks/pageNotices';
import { ChatNotices } from '../common/marks/chatNotices';
import { MarkedChats } from '../common/marks/markedChats';
import { chatStatus, chatStatusActions } from '../common/marks/chatStatus';
import { createOptionsRequester } from '../common/page/optionsRequester';
import { restoreNewDraft } from '../common/page/newDraft';
import type { NewSessionOptions } from '../common/page/newSessionOptions';
import { listInstructionFiles } from '../common/prompts/instructionFiles';
import type { Presets } from '../common/prompts/presets';
import type { PromptFiles } from '../common/prompts/promptFiles';
import type { PageChips } from '../common/page/pageChips';
import { ShownChats } from '../common/marks/shownChats';
import { BackendPicker } from './backendPicker';
import { ChatCommands } from './chatCommands';
import { ChatPages } from './pages/chatPages';
import type { DraftComments } from '../common/page/feed/pageFeed';
import { enterDuringTurnOf, windowActions } from './pages/windowActions';
import { RestoredChats } from './pages/restoredChats';
import type { ChatPageServices } from './pages/chatPageServices';
import { CodeProposals } from './review/codeProposals';
import type { Dialogs } from './dialogs';
import type { FolderMove } from '../common/conversations/conversationPlace';
import { PlaceActions, type PlaceActionsDeps } from './placeActions';
import { AllConversations } from './list/allConversations';
import { Deletions } from './list/deletions';
import { followPresetSettings } from './prompts/followPresetSettings';
import { PresetActions } from './prompts/presetActions';
import type { RunningChatFeature } from './runningChatFeature';
import { DiffViews } from './review/diffViews';
import { Asides } from './asides/asides';
import { AnswerTextActions } from './answerTextActions';
import { LineAuthorViews, type LineAuthorPorts } from './authorship/lineAuthorViews';
import { FileRestorePreparer } from './review/fileRestorePreparer';
import { createAgentReviews, type AgentReviewPorts } from './review/createAgentReviews';
import { KeepActions } from './review/keepActions';
import { InterruptedRestores } from './review/interruptedRestores';
import { RestoreActions } from './review/restoreActions';
import { FileRestorer } from '../common/restore/fileRestorer';
import type { ReviewProgress } from '../../changes/common/review/reviewedMarks';
import type { WorkspaceCheckpoints } from '../../changes/common/workspaceCheckpoints';
import { InstallTerminals } from './installTerminals';
import { OpenChatsReview } from './review/openChatsReview';
import { ConversationActions } from './review/conversationActions';
import { TurnReviews } from './review/turnReviews';
import { UndoActions } from './review/undoActions';
import { VirtualDocuments } from './review/virtualDocuments';
import { ActiveAgents } from '../common/unsaved/activeAgents';
import { AgentFollower } from './follow/agentFollower';
import { UnsavedConflicts } from './unsaved/unsavedConflicts';
import type { WindowMentions } from './windowMentions';
import { collectWorkspaceFacts } from './workspaceFacts';

interface ChatFeatureDeps extends NoticeContext, AgentReviewPorts, LineAuthorPorts {
  /** The conversations. The feature starts, stops and disposes them. */
  readonly chats: Chats & { start(): Promise<void> };
  readonly mentions: Mentions;
  /** Mentions from this window. The feature starts and disposes them. */
  readonly windowMentions: WindowMentions;
  /** Returns the absolute path of the working folder for the draft's attachments, if they have one. */
  readonly folderOf: (draft: Draft) => string | undefined;
  /** See `ChatPageServices`. */
  readonly attachedTextOf: ChatPageServices['attachedTextOf'];
  readonly editor: EditorPort;
  /** Options of new conversations. The feature disposes them and the chips. */
  readonly newOptions: NewSessionOptions;
  readonly chips: PageChips;
  readonly promptFiles: PromptFiles;
  /** The feature disposes them. */
  readonly presets: Presets;
  /** Keyboard shortcuts with several keys. The feature starts and disposes them. */
  readonly keyChords: KeyChordPrefixes;
  readonly dialogs: Dialogs;
  /** Stores the displayed conversation. */
  readonly workspaceState: Memento;
  /** Stores the draft of the next conversation, also with images. */
  readonly draftMemento: Memento;
  /** Gives `use` the drafts of the next conversation that were typed in a folder that has moved to here. Never rejects. */
  readonly takeMovedDrafts: (move: FolderMove, use: (draft: Draft) => void) => Promise<void>;
  /** Stores the last used backend. */
  readonly globalState: Memento;
  readonly extensionUri: vscode.Uri;
  /** Other conversations than those that Backline stores. */
  readonly sources: readonly ConversationSource[];
  /** Undefined if checkpoints are turned off or there is no workspace. */
  readonly checkpoints: WorkspaceCheckpoints | undefined;
  /** How many comments were not sent. */
  readonly draftComments: DraftComments;
  /** What the user has marked as reviewed. */
  readonly reviewed: ReviewProgress;
  readonly openWorkspace: PlaceActionsDeps['openWorkspace'];
  /** Shows a notification of the operating system, if the window runs on the computer of the user. */
  readonly notifySystem: (text: string) => void;
  /** Returns a globally unique id. */
  readonly newId: () => string;
}

const statusDelayMs = 200;

/**
 * The chat: a view and editor tabs for conversations with any backend. A backend starts only when the user needs it.
 */
export class ChatFeature implements Feature<RunningChatFeature> {
  readonly id = 'chat';
  readonly title = 'Chat';

  private pages: ChatPages | undefined;

  constructor(private readonly deps: ChatFeatureDeps) {}

  /** Focuses the composer of the page that had the focus last. */
  focusComposer(): void {
    this.pages?.revealActive().then(
      (page) => page.runCommand('focusComposer'),
      (error: unknown) => this.deps.log.error('cannot show the chat', error),
    );
  }

  async start(): Promise<RunningChatFeature> {
    const { chats, clock, commands, dialogs, editor, globalState, log, settings, status } = this.deps;
    const { checkpoints, chips, draftMemento, keyChords, newId, newOptions, notices: noticeBoard } = this.deps;
    const { presets, windowMentions, workspaceState } = this.deps;
    const store = new DisposableStore();
    const onError = (error: unknown): void => log.error('an error in the chat', error);
    const messages = new Messages(log);
    const pageNotices = store.add(new PageNotices(onError));

    for (const part of [chats, windowMentions, newOptions, chips, keyChords, presets]) store.add(part);
    const preferred = (): BackendPreference => settings.chatBackend();
    const backends = store.add(new BackendChoice({ chats, preferred, memento: globalState, onError }));
    const documents = new VirtualDocuments(textSchemes.chat);
    const answerTextActions = store.add(new AnswerTextActions(editor, dialogs));
    const proposed = new VirtualDocuments(textSchemes.proposedCode);
    const code = store.add(new CodeProposals(proposed, editor, answerTextActions, dialogs, messages));
    const installs = store.add(new InstallTerminals(messages, () => backends.refresh()));
    const views = store.add(new HtmlViews());
    const picker = new BackendPicker(backends, chats, messages, installs);
    const shown = new ShownChats();
    const noteFocus = ({ focused }: vscode.WindowState): void => void (shown.isWindowFocused = focused);
    noteFocus(vscode.window.state);
    const pages: ChatPages = store.add(
      new ChatPages({
        getServices: () => services,
        files: { folder: vscode.Uri.joinPath(this.deps.extensionUri, 'dist', 'pages'), name: 'chat' },
        memento: workspaceState,
        messages,
        restored: new RestoredChats({
          chats,
          memento: workspaceState,
          messages: noticeBoard,
          log,
          deleteChat: (id) => deletions.delete([id]),
        }),
      }),
    );
    this.pages = pages;
    store.add(noticeBoard.setPlace({ show: (notice) => pages.hasFocus && pageNotices.add(notice) }));
    const deletions = store.add(new Deletions({ ...this.deps, pages, messages }));
    const diffViews = new DiffViews(documents, editor);
    const asides = store.add(new Asides({ chats, pages, clock, log }));
    const review = new ConversationActions(chats, diffViews, documents, dialogs, messages);
    const follower = store.add(new AgentFollower({ clock, commands, log, chats, editor, memento: workspaceState }));
    const restorer = new FileRestorer({ chats, checkpoints, newId });
    const undoRestore = (sessionId: string, restoreId: string): Promise<void> =>
      restore.undoIn(sessionId, restoreId, (next) => void pages.revealView().then((page) => page.show(next), onError));
    const isShown = (id: string): boolean => shown.has(id);
    const undo = new UndoActions({ diffViews, editorPort: editor, dialogs, messages, isShown, undoRestore });
    const keep = new KeepActions({ ...windowActions, reviewed: this.deps.reviewed, dialogs });
    const source = new OpenChatsReview(chats, undo, keep, asides);
    const agentReviews = createAgentReviews({ ...this.deps, source, pages, picker, messages });
    const turnReviews = store.add(new TurnReviews(chats, documents, messages, undo));
    const interrupted = new InterruptedRestores({ ...this.deps, restorer, undoRestore, messages });
    const restore = new RestoreActions({
      chats,
      checkpoints,
      restorer,
      files: new FileRestorePreparer({ editor, checkpoints, dialogs }),
      interrupted,
      diffViews,
      dialogs,
      messages,
      clock,
    });
    const lineAuthors = store.add(new LineAuthorViews({ ...this.deps, pages, restore, messages }));
    const factsAbort = new AbortController();
    store.add({ dispose: () => factsAbort.abort() });
    const newDraft = store.add(restoreNewDraft(draftMemento, onError));
    const places = new PlaceActions({ ...this.deps, messages, closeChat: (id) => pages.stopShowingChat(id), newDraft });
    const services: ChatPageServices = {
      ...this.deps,
      ...windowActions,
      notices: pageNotices,
      asides,
      places,
      restore,
      backends,
      attached: windowMentions.attachedFiles,
      offered: windowMentions.offered,
      rowsForDrop: (uris) => windowMentions.rowsForDrop(uris),
      newDraft,
      shown,
      editor: answerTextActions,
      code,
      review,
      deletions,
      turnReviews,
      undo,
      keep,
      agentReviews,
      presetActions: new PresetActions({ presets, backends, newOptions, settings, messages }),
      pickOtherAgent: (exceptId) => picker.pickOtherAgent(exceptId),
      repairBackend: (id, how) => picker.repairBackend(id, how),
      starters: async () => workspaceStarters(await collectWorkspaceFacts(services, factsAbort.signal)),
      instructionFiles: (id) => listInstructionFiles(id, chats, editor, log),
      folders: () => editor.folders.map((folder) => folder.path),
      openView: views.open,
      openInTab: (id) => pages.openInTab(id),
      enterDuringTurn: enterDuringTurnOf(settings),
    };
    const writers = store.add(new ActiveAgents(chats, clock));
    const conflicts = store.add(
      new UnsavedConflicts({
        clock,
        log,
        documents,
        messages,
        notices: noticeBoard,
        onDidWriteFiles: (listener) => chats.onDidChangeFiles(listener),
        writerOf: (path) => writers.likelyWriterOf(path),
      }),
    );
    const marked = new MarkedChats({
      chats,
      reveal: async (chat) => (await pages.reveal(chat)).runCommand('focusApproval'),
      goToWindow: (id) => places.goToWindow(id),
      focusedChat: () => (pages.hasFocus ? pages.activePage?.chat?.id : undefined),
      messages,
      onDidChange: () => changed(),
    });
    const approvals = store.add(new ApprovalWatch(chats, onError));
    const notices = store.add(
      new ChatNotices({
        clock,
        approvals,
        chats,
        settings,
        shownChats: shown,
        setWaiting: (isWaiting) =>
          void vscode.commands.executeCommand('setContext', contextKeys.chatQuestionWaits, isWaiting),
        notices: noticeBoard,
        show: (id) => marked.show(id),
        notifySystem: this.deps.notifySystem,
        playSound: () => pages.playSound(),
      }),
    );
    store.add(
      vscode.window.onDidChangeWindowState((state) => {
        noteFocus(state);
        viewChanged();
      }),
    );
    const chatCommands = store.add(
      new ChatCommands({
        commands,
        pages,
        services,
        picker,
        approvals,
        getSelection: () => windowMentions.selectionRow(),
        messages,
      }),
    );
    const all = store.add(
      new AllConversations({
        ...this.deps,
        ...services,
        pages,
        showNextMarked: () => marked.showNext(),
        onDidChangeView: () => changed(),
      }),
    );
    const showStatus = (): void => {
      const { marks } = marked;
      // Only one has the badge: the list of all conversations, once it was opened, because it leads to all that are counted.
      pages.setMarks(all.pages.hasView ? { ...marks, badge: undefined } : marks);
      all.pages.setBadge(marks.badge);
      notices.update();
      pageNotices.update(pages.visiblePages.length > 0, (notice) => noticeBoard.show(notice));
      const situation = {
        isTrusted: vscode.workspace.isTrusted,
        chosen: backends.chosenBackend,
        isPreferredMissing: backends.backendViews.length > 0 && backends.isPreferredBackendMissing,
        marks,
      };
      status.set({ id: this.id, title: this.title, ...chatStatus(situation, chatStatusActions) });
    };
    const askOptions = createOptionsRequester(backends, newOptions);
    const statusLater = store.add(new Coalescer(clock, statusDelayMs, showStatus));
    const changed = (): void => statusLater.schedule();
    // What the user sees is noted at once, because it may be hidden again before the status is updated.
    const viewChanged = (): void => {
      approvals.update();
      notices.update();
      changed();
    };

    store.add(chats.onDidRequestShow((id) => void marked.show(id)));
    store.add(chats.onDidChange(changed));
    store.add(backends.onDidChange(changed));
    store.add(backends.onDidChange(() => askOptions()));
    store.add(backends.onDidChange(() => chats.closePreparedExcept(backends.chosenBackend?.id)));
    store.add(approvals.onDidChange(changed));
    store.add(pages.onDidChange(viewChanged));
    store.add(pages.onDidChange(() => chats.setPromptExpected(pages.hasEmptyPage)));
    store.add(followPresetSettings(presets, settings, noticeBoard));
    store.add(settings.onDidChangeOf([settingIds.chatBackend], () => void backends.refresh()));
    store.add(
      settings.onDidChangeOf([settingIds.amplifierProfile], () => {
        if (backends.chosenBackend) void newOptions.of(backends.chosenBackend.id).refresh?.();
      }),
    );
    store.add(
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        pages.onTrustChange();
        void backends.refresh();
      }),
    );
    // This must come first, because pages restore conversations from disk.
    await chats.start();
    await services.newDraft.dropIfSent((id) => chats.isStartedBy(id));
    for (const part of [
      windowMentions,
      chips,
      keyChords,
      backends,
      answerTextActions,
      code,
      installs,
      views,
      follower,
      writers,
      conflicts,
      approvals,
      notices,
      chatCommands,
      all,
      deletions,
      asides,
      turnReviews,
      lineAuthors,
    ]) {
      part.start();
    }
    showStatus();
    return {
      showIn: (view) => pages.fillView(view),
      restore: (panel, state) => pages.restoreTab(panel, state),
      readDocument: (scheme, query) => (scheme === proposed.scheme ? proposed : documents).textOf(query),
      conversations: all.pages,
      showConversation: (id) => marked.show(id),
      startWith: (draft, sends) => chatCommands.startWith(draft, sends),
      chosenAgent: async () => (await backends.waitForChosenBackend(clock))?.id,
      pickAgent: async () => (await picker.pickBackend()) !== undefined,
      send: async (attachment, id) => (await chats.open(id)).send({ text: '', attachments: [attachment] }),
      attach: (attachment, paths) => chatCommands.attach(attachment, paths),
      refresh: () => backends.refresh(),
      confirmContinueHere: (id) => places.confirmContinueHere(id),
      review: source,
      takeAnswer: (answer) => agentReviews.takeAnswer(answer),
      follower,
      lineAuthors,
      notifyOfInterruptedRestore: () => interrupted.notify(),
      stop: () => chats.stop(),
      dispose: () => store.dispose(),
    };
  }
}
