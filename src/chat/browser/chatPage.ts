import type * as z from 'zod/mini';
import { messageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import { TranscriptModel } from '../../transcript/browser/list/transcriptModel';
import type { ChordFocusGuard } from '../../webview/browser/chordCatcher';
import type { Ask, HostConnection, VsCodeApi } from '../../webview/browser/hostConnection';
import { PageError, type RequestType } from '../../webview/common/protocol';
import { chatRequests, didAsk, didInsert, didUpdate, type ChatUpdate } from '../common/page/chatApi';
import type { Draft } from '../common/chatView';
import { DraftKeeper } from './composer/draftKeeper';
import { PageMemory } from './pageMemory';
import { PageStore } from './pageStore';

/** Commands from the host or another part of the page. */
export type PageCommand =
  'focusComposer' | 'showSessions' | 'focusApproval' | 'allow' | 'deny' | 'find' | 'rename' | 'showLatest';

const aliveEveryMs = 5_000;

/** The state of the chat page, independent of its components. Applies updates from the host and sends the user's requests. */
export class ChatPage {
  readonly store = new PageStore();
  readonly transcript = new TranscriptModel();
  readonly memory: PageMemory;
  readonly drafts: DraftKeeper;
  /** Sends a request. Failures are shown to the user. */
  readonly ask: Ask;
  private readonly commands = new Emitter<PageCommand>(reportError);
  readonly onDidRunCommand = this.commands.event;
  /** Id of the backend that was prepared for the next conversation. */
  private preparedFor: string | undefined;
  /** Number of pending requests of this page that add a prompt to the transcript. */
  private promptsOnTheirWay = 0;

  constructor(
    private readonly connection: HostConnection,
    api: Pick<VsCodeApi, 'getState' | 'setState'>,
    private readonly chords: Pick<ChordFocusGuard, 'setPrefixes'>,
  ) {
    this.ask = connection.asker((error) =>
      this.store.addProblem(messageOf(error), error instanceof PageError ? error.details : undefined),
    );
    this.memory = new PageMemory(api);
    this.drafts = new DraftKeeper(this.memory, (sessionId, draft) => {
      void this.ask(chatRequests.saveDraft, { sessionId, ...draft });
    });
  }

  get sessionId(): string | undefined {
    return this.store.state.session?.id;
  }

  start(window: Window): void {
    this.connection.on(didUpdate, (update) => this.update(update));
    this.connection.on(didInsert, (draft) => this.insert(draft));
    this.connection.on(didAsk, ({ what }) => this.runCommand(what));
    this.transcript.onDidChange(({ added }) => {
      const isOwn = this.promptsOnTheirWay > 0 && added.some(({ kind }) => kind === 'prompt');
      if (isOwn) this.runCommand('showLatest');
    });
    this.connection.start(window);
    this.drafts.start(window);
    void this.ask(chatRequests.ready, {});
    window.addEventListener('focus', () => void this.ask(chatRequests.focused, {}), true);
    if (window.document.hasFocus()) void this.ask(chatRequests.focused, {});
    window.setInterval(() => {
      if (window.document.visibilityState === 'visible') void this.ask(chatRequests.alive, {});
    }, aliveEveryMs);
  }

  /** Loads the agent's options before the first prompt of a conversation, once per agent. */
  prepare(): void {
    const { chosenBackend, session } = this.store.state;
    if (session || chosenBackend === undefined || chosenBackend === this.preparedFor) return;
    this.preparedFor = chosenBackend;
    void this.ask(chatRequests.prepare, {});
  }

  runCommand(command: PageCommand): void {
    if (command === 'showSessions') this.store.showList(true);
    this.commands.fire(command);
  }

  /** Sends a request about the shown conversation. Does nothing when there is none. */
  async askHere<Params extends z.ZodMiniType, Result extends z.ZodMiniType>(
    type: RequestType<Params, Result>,
    paramsOf: (sessionId: string) => z.infer<Params>,
  ): Promise<z.infer<Result> | undefined> {
    const { sessionId } = this;
    return sessionId === undefined ? undefined : await this.ask(type, paramsOf(sessionId));
  }

  /** Sends the composer's content. The host returns it if it cannot be sent. */
  async send(): Promise<void> {
    const { sessionId } = this;
    this.store.clearProblems();
    const draft = this.drafts.take();
    this.store.setBeginning(sessionId === undefined);
    await this.showingOwnPrompt(() => this.ask(chatRequests.send, { sessionId, ...draft }));
  }

  async sendQueued(): Promise<void> {
    await this.showingOwnPrompt(() => this.askHere(chatRequests.sendQueued, (sessionId) => ({ sessionId })));
  }

  /** Continues an interrupted turn. The composer keeps its draft. */
  async continueTurn(): Promise<void> {
    await this.showingOwnPrompt(() => this.askHere(chatRequests.continueTurn, (sessionId) => ({ sessionId })));
  }

  /** Removes a prompt from the queue, and inserts it into the composer if `isEdited`. */
  async unqueue(id: string, isEdited: boolean): Promise<void> {
    const draft = await this.askHere(chatRequests.unqueue, (sessionId) => ({ sessionId, id, isEdited }));
    if (draft && isEdited) this.insert(draft);
  }

  async editPrompt(entryId: string): Promise<void> {
    if (!this.canWrite()) return;
    const draft = await this.askHere(chatRequests.promptToEdit, (sessionId) => ({ sessionId, entryId }));
    if (draft) this.insert(draft);
  }

  insert(draft: Draft): void {
    if (!this.canWrite()) return;
    this.drafts.add(draft);
    this.runCommand('focusComposer');
  }

  /** Appends `@` to the prompt, which opens the list of mentions. */
  startMention(): void {
    const { text } = this.drafts.draft;
    this.drafts.setText(text === '' || /\s$/.test(text) ? `${text}@` : `${text} @`);
    this.runCommand('focusComposer');
  }

  async copy(text: string): Promise<void> {
    await this.ask(chatRequests.copy, { text });
  }

  /** Scrolls to the prompt that `send` adds to the transcript, wherever the user has scrolled to. */
  private async showingOwnPrompt<Result>(send: () => Promise<Result>): Promise<Result> {
    this.promptsOnTheirWay++;
    try {
      return await send();
    } finally {
      this.promptsOnTheirWay--;
      if (this.promptsOnTheirWay === 0) this.store.setBeginning(false);
    }
  }

  /** Tells the user when the conversation is read-only. */
  private canWrite(): boolean {
    const isReadonly = this.store.state.session?.status === 'readonly';
    if (isReadonly) this.store.addProblem('This conversation is read-only. Start a new conversation first.');
    return !isReadonly;
  }

  private update(update: ChatUpdate): void {
    const before = this.sessionId;
    this.store.apply(update);
    const isOther = this.sessionId !== before;
    if (this.sessionId !== undefined) this.preparedFor = undefined;
    // The agent was changed after the user began to write.
    else if (this.preparedFor !== undefined && !this.drafts.isEmpty) this.prepare();
    if (update.keyChords) this.chords.setPrefixes(update.keyChords);
    if (update.sent) this.drafts.wasSent(update.sent);
    if (isOther || update.draft) this.drafts.show(this.sessionId, update.draft, update.keepsComposer);
    if (update.refused) this.drafts.wasRefused(update.refused);
    if (update.transcript) this.transcript.apply(update.transcript);
    else if (isOther) this.transcript.apply({ reset: true, before: 0 });
  }
}
