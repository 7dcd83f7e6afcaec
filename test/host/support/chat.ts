import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { BackendRegistry } from '../../../src/session/common/backendRegistry';
import { toDisposable } from '../../../src/base/common/disposable';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { ChatUpdate } from '../../../src/chat/common/page/chatApi';
import { Mentions } from '../../../src/chat/common/mentions/mentions';
import { BackendChoice } from '../../../src/chat/common/page/backendChoice';
import { restoreNewDraft } from '../../../src/chat/common/page/newDraft';
import { NewSessionOptions } from '../../../src/chat/common/page/newSessionOptions';
import { PageChips, type ChipSource } from '../../../src/chat/common/page/pageChips';
import { PageNotices } from '../../../src/chat/common/marks/pageNotices';
import { ShownChats } from '../../../src/chat/common/marks/shownChats';
import { ChatPages } from '../../../src/chat/vscode/pages/chatPages';
import { RestoredChats } from '../../../src/chat/vscode/pages/restoredChats';
import type { ChatPageServices } from '../../../src/chat/vscode/pages/chatPageServices';
import { Deletions } from '../../../src/chat/vscode/list/deletions';
import { CodeProposals } from '../../../src/chat/vscode/review/codeProposals';
import type { ChoiceQuestion, Dialogs, ConfirmationQuestion } from '../../../src/chat/vscode/dialogs';
import { DiffViews } from '../../../src/chat/vscode/review/diffViews';
import type { ReviewProgress } from '../../../src/changes/common/review/reviewedMarks';
import { KeepActions } from '../../../src/chat/vscode/review/keepActions';
import { Asides } from '../../../src/chat/vscode/asides/asides';
import { AnswerTextActions } from '../../../src/chat/vscode/answerTextActions';
import { RecentFiles } from '../../../src/chat/vscode/recentFiles';
import { FileRestorer } from '../../../src/chat/common/restore/fileRestorer';
import { FileRestorePreparer } from '../../../src/chat/vscode/review/fileRestorePreparer';
import { InterruptedRestores } from '../../../src/chat/vscode/review/interruptedRestores';
import { RestoreActions } from '../../../src/chat/vscode/review/restoreActions';
import { PlaceActions } from '../../../src/chat/vscode/placeActions';
import { ConversationActions } from '../../../src/chat/vscode/review/conversationActions';
import { TurnReviews } from '../../../src/chat/vscode/review/turnReviews';
import { UndoActions } from '../../../src/chat/vscode/review/undoActions';
import { VirtualDocuments } from '../../../src/chat/vscode/review/virtualDocuments';
import { Presets } from '../../../src/chat/common/prompts/presets';
import { PresetActions } from '../../../src/chat/vscode/prompts/presetActions';
import { createPromptFiles } from '../../../src/chat/vscode/prompts/promptFilesOfWindow';
import { WindowMentions } from '../../../src/chat/vscode/windowMentions';
import { Messages } from '../../../src/platform/vscode/messages';
import { provideReadOnlyTexts } from '../../../src/platform/vscode/readOnlyTexts';
import { KeyChordPrefixes } from '../../../src/webview/vscode/keyChordPrefixes';
import { FakeChats } from '../../fake/fakeChats';
import { AdapterUnderTest } from './editorAdapter';
import { obedientPage, WebviewUnderTest } from './webview';

const noBackends: BackendRegistry = {
  onDidChange: () => toDisposable(() => undefined),
  list: () => Promise.resolve([]),
  open: () => Promise.reject(new Error('There is none.')),
};

/** The parts of the chat as the feature joins them, over fake conversations, in the real VS Code. Dispose it. */
export class ChatUnderTest {
  readonly chats = new FakeChats();
  readonly editor = new AdapterUnderTest();
  readonly state = new Map<string, unknown>();
  readonly questions: ConfirmationQuestion[] = [];
  readonly choices: ChoiceQuestion[] = [];
  /** Messages with a button, and what answers the last one: whether the button was pressed. */
  readonly offers: string[] = [];
  answerOffer: (isPressed: boolean) => void = () => undefined;
  readonly errors: string[] = [];
  readonly deletions: Deletions;
  readonly asides: Asides;
  readonly contexts: string[] = [];
  private readonly chipSource: ChipSource = {
    onDidChange: () => toDisposable(() => undefined),
    chipsFor: () => Promise.resolve([{ kind: 'git', label: 'Git: main', isOn: true }]),
    set: (kind, isOn) => void this.contexts.push(`${kind} ${isOn}`),
  };
  /** What the user answers, and where files are saved. */
  isConfirmed = true;
  /** Which action of a choice; another one closes the dialog. */
  chosenIndex = 0;
  saveAs: vscode.Uri | undefined;
  readonly window: ChatPageServices;
  readonly pages: ChatPages;
  readonly mentions: WindowMentions;
  private readonly documents = new VirtualDocuments('backline-chat-test');
  private readonly proposed = new VirtualDocuments('backline-apply-test');
  private readonly recent = new RecentFiles();
  private readonly texts = [this.documents, this.proposed].map((documents) =>
    provideReadOnlyTexts(documents.scheme, (query) => documents.textOf(query)),
  );
  private readonly actions: AnswerTextActions;
  private readonly code: CodeProposals;
  private readonly backends: BackendChoice;

  private constructor(readonly folder: string) {
    const messages = new Messages(nullLogger);
    const { adapter } = this.editor;
    const memento = {
      get: (name: string) => this.state.get(name),
      update: (name: string, value: unknown) => Promise.resolve(void this.state.set(name, value)),
    };
    const throwIt = (error: unknown): never => {
      throw error;
    };
    const dialogs: Dialogs = {
      confirm: (question) => {
        this.questions.push(question);
        return Promise.resolve(this.isConfirmed);
      },
      choose: (question) => {
        this.choices.push(question);
        return Promise.resolve(question.actions[this.chosenIndex]);
      },
      chooseFolder: () => Promise.resolve(undefined),
      chooseFile: () => Promise.resolve(this.saveAs),
    };
    const reviewed: ReviewProgress = {
      onDidChange: () => toDisposable(() => undefined),
      countsOf: () => undefined,
      count: () => Promise.resolve({ reviewed: 0, total: 0 }),
      forget: () => Promise.resolve(),
    };
    const diffViews = new DiffViews(this.documents, adapter);
    const undoRestore = (): Promise<void> => Promise.resolve();
    const undo = new UndoActions({
      diffViews,
      editorPort: adapter,
      dialogs,
      messages,
      isShown: () => false,
      undoRestore,
    });
    const restorer = new FileRestorer({ chats: this.chats, checkpoints: undefined, newId: () => 'new' });
    this.actions = new AnswerTextActions(adapter, dialogs);
    this.code = new CodeProposals(this.proposed, adapter, this.actions, dialogs, messages);
    const preferred = () => ({ ofUser: '', ofWorkspace: '' });
    this.backends = new BackendChoice({ chats: this.chats, preferred, memento, onError: throwIt });
    this.mentions = new WindowMentions({ editor: adapter, recent: this.recent, clock: systemClock, log: nullLogger });
    const uri = vscode.Uri.file(folder);
    const files = { folder: uri, name: 'chat' } as const;
    const deleteChat = (id: string): Promise<boolean> => this.deletions.delete([id]);
    const restored = new RestoredChats({ chats: this.chats, memento, messages, log: nullLogger, deleteChat });
    this.pages = new ChatPages({ getServices: () => this.window, files, memento, messages, restored });
    this.deletions = new Deletions({
      ...{ chats: this.chats, clock: systemClock, dialogs, log: nullLogger, pages: this.pages },
      messages: {
        error: (text) => void this.errors.push(text),
        offer: (text) => {
          this.offers.push(text);
          return new Promise((resolve) => (this.answerOffer = resolve));
        },
      },
    });
    this.deletions.start();
    const newOptions = new NewSessionOptions({ backends: noBackends, memento, onError: throwIt });
    const presets = new Presets({
      readPresets: () => ({ user: undefined, workspace: undefined }),
      readInstructions: () => ({ ofUser: '', ofWorkspace: '' }),
      onError: throwIt,
    });
    this.asides = new Asides({ chats: this.chats, clock: systemClock, log: nullLogger, pages: this.pages });
    this.asides.start();
    this.window = {
      chats: this.chats,
      backends: this.backends,
      mentions: new Mentions(this.mentions.sources, systemClock, nullLogger),
      attached: this.mentions.attachedFiles,
      offered: this.mentions.offered,
      rowsForDrop: (uris) => this.mentions.rowsForDrop(uris),
      presets,
      presetActions: new PresetActions({
        presets,
        backends: this.backends,
        newOptions,
        settings: {
          chatPresets: () => ({ user: undefined, workspace: undefined }),
          setChatPresets: () => Promise.resolve(),
        },
        messages,
      }),
      promptFiles: createPromptFiles({
        editor: adapter,
        globalStorage: folder,
        rowsForDrop: (paths) => this.mentions.rowsForDrop(paths),
        settings: { promptFileLocations: () => ({ ofUser: undefined, ofWorkspace: undefined }) },
        notify: () => undefined,
        log: nullLogger,
      }),
      newDraft: restoreNewDraft(memento, throwIt),
      shown: new ShownChats(),
      notices: new PageNotices(throwIt),
      asides: this.asides,
      editor: this.actions,
      code: this.code,
      review: new ConversationActions(this.chats, diffViews, this.documents, dialogs, messages),
      deletions: this.deletions,
      places: new PlaceActions({
        chats: this.chats,
        dialogs,
        messages,
        openWorkspace: () => Promise.resolve(),
        closeChat: () => undefined,
        newDraft: { restoreWithdrawn: () => undefined },
        takeMovedDrafts: () => Promise.resolve(),
      }),
      turnReviews: new TurnReviews(this.chats, this.documents, messages, undo),
      undo,
      reviewed,
      draftComments: { value: 0, onDidChange: () => toDisposable(() => undefined) },
      sendComments: () => Promise.resolve(),
      agentReviews: { start: () => Promise.resolve() },
      keep: new KeepActions({
        ...{ reviewed, dialogs },
        wait: (_title, work) => work,
        showNextUnreviewed: () => Promise.resolve(),
      }),
      restore: new RestoreActions({
        chats: this.chats,
        checkpoints: undefined,
        restorer,
        files: new FileRestorePreparer({ editor: adapter, checkpoints: undefined, dialogs }),
        interrupted: new InterruptedRestores({
          checkpoints: undefined,
          restorer,
          undoRestore,
          dialogs,
          messages,
          notices: messages,
          log: nullLogger,
        }),
        diffViews: new DiffViews(this.documents, adapter),
        dialogs,
        messages,
        clock: systemClock,
      }),
      pickOtherAgent: () => Promise.resolve(undefined),
      repairBackend: () => Promise.resolve(),
      starters: () => Promise.resolve([]),
      instructionFiles: () => Promise.resolve([]),
      showAgents: () => Promise.resolve(),
      showLog: () => Promise.resolve(),
      manageTrust: () => Promise.resolve(),
      openFolder: () => Promise.resolve(),
      chips: new PageChips([this.chipSource], throwIt),
      enterDuringTurn: { value: 'steer', onDidChange: () => toDisposable(() => undefined) },
      keyChords: new KeyChordPrefixes(uri, nullLogger),
      newOptions,
      folders: () => adapter.folders.map((workspaceFolder) => workspaceFolder.path),
      folderOf: () => undefined,
      attachedTextOf: ({ title }) => `The text of ${title}`,
      openView: () => Promise.resolve(),
      openInTab: (id) => this.pages.openInTab(id),
      isTrusted: () => true,
      clock: systemClock,
      log: nullLogger,
    };
    for (const part of [this.recent, this.actions, this.code, this.backends, this.mentions]) {
      part.start();
    }
  }

  static async start(): Promise<ChatUnderTest> {
    const folder = await mkdtemp(path.join(tmpdir(), 'backline-page-'));
    await writeFile(path.join(folder, 'chat.js'), obedientPage);
    await writeFile(path.join(folder, 'chat.css'), '');
    return new ChatUnderTest(folder);
  }

  /** A tab of a window that was loaded again, which showed that conversation. */
  async tab(sessionId: string, column?: vscode.ViewColumn): Promise<PageUnderTest> {
    const page = new PageUnderTest(column);
    this.pages.restoreTab(page.panel, { sessionId });
    await page.come();
    return page;
  }

  /** The view, in a panel's clothes: VS Code makes views only where package.json has them. */
  async view(): Promise<PageUnderTest> {
    const page = new PageUnderTest();
    this.pages.fillView(page.asView);
    await page.come();
    return page;
  }

  async dispose(): Promise<void> {
    this.deletions.dispose();
    this.asides.dispose();
    this.pages.dispose();
    for (const part of [this.code, this.actions, ...this.texts, this.backends, this.mentions, this.recent]) {
      part.dispose();
    }
    this.editor.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A page of the chat. */
export class PageUnderTest extends WebviewUnderTest<ChatUpdate> {
  constructor(column?: vscode.ViewColumn) {
    super({ prefix: 'chat', parse: (params) => ChatUpdate.parse(params) }, column);
  }
}
