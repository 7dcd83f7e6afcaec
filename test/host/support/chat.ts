import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
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
import { CodeProposals } from '../../../src/chat/vscode/review/codeProposals';
import type { ChoiceQuestion, Dialogs, ConfirmationQuestion } from '../../../src/chat/vscode/dialogs';
import { DiffViews } from '../../../src/chat/vscode/review/diffViews';
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
import { WindowMentions } from '../../../src/chat/vscode/windowMentions';
import { Messages } from '../../../src/platform/vscode/messages';
import { provideReadOnlyTexts } from '../../../src/platform/vscode/readOnlyTexts';
import { KeyChordPrefixes } from '../../../src/webview/vscode/keyChordPrefixes';
import { FakeChats } from '../../fake/fakeChats';
import { AdapterUnderTest } from './editorAdapter';
import { eventually } from '../../support/eventually';

/** Does as the test says, and tells it all that it hears. */
const pageScript = `
const api = acquireVsCodeApi();
addEventListener('message', ({ data }) => {
  if (data.ask) api.postMessage(data.ask);
  else api.postMessage({ heard: data });
});
api.postMessage({ heard: { loaded: true } });
`;

const noBackends: BackendRegistry = {
  onDidChange: () => toDisposable(() => undefined),
  list: () => Promise.resolve([]),
  open: () => Promise.reject(new Error('There is none.')),
};

const Heard = z.object({ heard: z.record(z.string(), z.unknown()) });
const Answer = z.object({
  id: z.number(),
  result: z.record(z.string(), z.unknown()).optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** The parts of the chat as the feature joins them, over fake conversations, in the real VS Code. Dispose it. */
export class ChatUnderTest {
  readonly chats = new FakeChats();
  readonly editor = new AdapterUnderTest();
  readonly state = new Map<string, unknown>();
  readonly questions: ConfirmationQuestion[] = [];
  readonly choices: ChoiceQuestion[] = [];
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
    const deleteChat = (id: string): Promise<boolean> => this.window.review.deleteChat(id);
    const restored = new RestoredChats({ chats: this.chats, memento, messages, log: nullLogger, deleteChat });
    this.pages = new ChatPages({ getServices: () => this.window, files, memento, messages, restored });
    this.window = {
      chats: this.chats,
      backends: this.backends,
      mentions: new Mentions(this.mentions.sources, systemClock, nullLogger),
      attached: this.mentions.attachedFiles,
      offered: this.mentions.offered,
      rowsForDrop: (uris) => this.mentions.rowsForDrop(uris),
      newDraft: restoreNewDraft(memento, throwIt),
      shown: new ShownChats(),
      notices: new PageNotices(throwIt),
      editor: this.actions,
      code: this.code,
      review: new ConversationActions(this.chats, diffViews, this.documents, dialogs, messages),
      places: new PlaceActions({
        chats: this.chats,
        dialogs,
        messages,
        openFolder: () => Promise.resolve(),
        closeChat: () => undefined,
        newDraft: { restoreWithdrawn: () => undefined },
        takeMovedDrafts: () => Promise.resolve(),
      }),
      turnReviews: new TurnReviews(this.chats, this.documents, messages, undo),
      undo,
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
      showAgents: () => Promise.resolve(),
      showLog: () => Promise.resolve(),
      manageTrust: () => Promise.resolve(),
      openFolder: () => Promise.resolve(),
      chips: new PageChips([this.chipSource], throwIt),
      keyChords: new KeyChordPrefixes(uri, nullLogger),
      newOptions: new NewSessionOptions({ backends: noBackends, memento, onError: throwIt }),
      folders: () => adapter.folders.map((workspaceFolder) => workspaceFolder.path),
      folderOf: () => undefined,
      openView: () => Promise.resolve(),
      openInTab: (id) => this.pages.openInTab(id),
      closeChat: (id) => this.pages.stopShowingChat(id),
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
    await writeFile(path.join(folder, 'chat.js'), pageScript);
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
    this.pages.dispose();
    for (const part of [this.code, this.actions, ...this.texts, this.backends, this.mentions, this.recent]) {
      part.dispose();
    }
    this.editor.dispose();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A real webview with a page that does as the test says. */
export class PageUnderTest {
  readonly panel: vscode.WebviewPanel;
  readonly updates: ChatUpdate[] = [];
  readonly told: { method: string; params: unknown }[] = [];
  /** How often it was loaded. */
  loads = 0;
  badge: vscode.ViewBadge | undefined;
  private lastId = 0;
  private readonly answers = new Map<number, z.infer<typeof Answer>>();

  /** In a column of its own the page stays visible, and the focus where it is. */
  constructor(column?: vscode.ViewColumn) {
    const place = { viewColumn: column ?? vscode.ViewColumn.Active, preserveFocus: column !== undefined };
    this.panel = vscode.window.createWebviewPanel('backline.test', 'Test', place);
    this.panel.webview.onDidReceiveMessage((message: unknown) => {
      const heard = Heard.safeParse(message).data?.heard;
      if (heard) this.hear(heard);
    });
  }

  get asView(): vscode.WebviewView {
    const { panel } = this;
    const setBadge = (badge: vscode.ViewBadge | undefined): void => {
      this.badge = badge;
    };
    return {
      viewType: 'backline.chat',
      webview: panel.webview,
      get visible() {
        return panel.visible;
      },
      onDidChangeVisibility: (listener) => panel.onDidChangeViewState(() => void listener(undefined)),
      onDidDispose: panel.onDidDispose,
      show: () => panel.reveal(),
      set badge(badge: vscode.ViewBadge | undefined) {
        setBadge(badge);
      },
    };
  }

  /** The page is there, and has been told everything. */
  async come(): Promise<void> {
    await eventually('the page', () => assert.ok(this.loads > 0));
    await this.ask('ready');
    await eventually('the first update', () => assert.ok(this.updates.length > 0));
  }

  /** The answer to a request of the page. Rejects with the message that the user reads. */
  async ask(name: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = await this.post(name, params);
    const answer = await eventually(`an answer to ${name}`, () => {
      const found = this.answers.get(id);
      assert.ok(found);
      return found;
    });
    if (answer.error) throw new Error(answer.error.message);
    return answer.result ?? {};
  }

  /** What the page knows of a part now. */
  latest<Part extends keyof ChatUpdate>(part: Part): ChatUpdate[Part] {
    return this.updates.findLast((update) => update[part] !== undefined)?.[part];
  }

  private async post(name: string, params: object): Promise<number> {
    const id = ++this.lastId;
    await this.panel.webview.postMessage({ ask: { id, method: `chat/${name}`, params } });
    return id;
  }

  private hear(message: Record<string, unknown>): void {
    if (message['loaded'] === true) {
      this.loads++;
      return;
    }
    const answer = Answer.safeParse(message).data;
    if (answer) {
      this.answers.set(answer.id, answer);
      return;
    }
    const { method, params } = z.object({ method: z.string(), params: z.unknown() }).parse(message);
    if (method === 'chat/didUpdate') {
      this.updates.push(ChatUpdate.parse(params));
      void this.post('shown', {});
    } else this.told.push({ method, params });
  }
}
