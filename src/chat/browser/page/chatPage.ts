import type * as z from 'zod/mini';
import { messageOf } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { Emitter } from '../../../base/common/event';
import type { FindEntries } from '../../../transcript/browser/find/useFoundEntries';
import { TranscriptModel } from '../../../transcript/browser/list/transcriptModel';
import type { ChordFocusGuard } from '../../../webview/browser/chordFocusGuard';
import {
  startHeartbeats,
  type Requester,
  type HostConnection,
  type VsCodeApi,
} from '../../../webview/browser/hostConnection';
import { HostRequestError, type RequestType } from '../../../webview/common/protocol';
import {
  chatRequests,
  didInvokeCommand,
  didInsertDraft,
  didRequestEntry,
  didUpdate,
  type ChatUpdate,
} from '../../common/page/chatApi';
import type { Draft } from '../../common/chatView';
import { ComposerDraft } from '../composer/composerDraft';
import { playTone } from './playTone';
import { SavedPageState } from './savedPageState';
import { ChatPageStore } from './chatPageStore';

export type PageCommand =
  | 'focusComposer'
  | 'showSessions'
  | 'focusApproval'
  | 'allow'
  | 'deny'
  | 'denyWithReason'
  | 'find'
  | 'showLatest'
  | 'playSound';

/** The state of the chat page, independent of its components. Applies updates from the host and sends the user's requests. */
export class ChatPage {
  readonly store = new ChatPageStore();
  readonly transcript = new TranscriptModel();
  /** Searches the whole conversation, including messages that are not loaded. */
  readonly find: FindEntries = async (query) =>
    (await this.requestForSession(chatRequests.find, (sessionId) => ({ sessionId, query })))?.found ?? [];
  readonly savedState: SavedPageState;
  readonly composerDraft: ComposerDraft;
  readonly request: Requester;
  private readonly commandEmitter = new Emitter<PageCommand>(reportError);
  readonly onDidRunCommand = this.commandEmitter.event;
  private readonly entryEmitter = new Emitter<string>(reportError);
  /** Fires with the id of an entry of the displayed conversation that the user wants to see. */
  readonly onDidRequestEntry = this.entryEmitter.event;
  /** When the displayed conversation last heard from its backend, by the host's clock. */
  heardAt: number | undefined;
  private preparedBackendId: string | undefined;
  /** Number of pending requests from this page that will add a prompt to the transcript. */
  private pendingPromptRequestCount = 0;

  constructor(
    private readonly hostConnection: HostConnection,
    api: Pick<VsCodeApi, 'getState' | 'setState'>,
    private readonly chordGuard: Pick<ChordFocusGuard, 'setPrefixes'>,
  ) {
    this.request = hostConnection.createRequester((error) =>
      this.store.addProblem(messageOf(error), error instanceof HostRequestError ? error.details : undefined),
    );
    this.savedState = new SavedPageState(api);
    this.composerDraft = new ComposerDraft(this.savedState, async (sessionId, draft) => {
      await this.request(chatRequests.saveDraft, { sessionId, ...draft });
    });
  }

  get sessionId(): string | undefined {
    return this.store.state.session?.id;
  }

  start(window: Window): void {
    const confirmShown = (): void => void this.request(chatRequests.shown, {});
    const applyUpdate = (update: ChatUpdate): void => {
      // After the next frame, so that keys which came meanwhile are drawn before the host sends more.
      requestAnimationFrame(() => setTimeout(confirmShown));
      this.applyUpdate(update);
    };
    this.hostConnection.setNotificationListener(didUpdate, applyUpdate, confirmShown);
    this.hostConnection.setNotificationListener(didInsertDraft, ({ sends, ...draft }) => {
      const maySend = sends === true && this.composerDraft.isEmpty;
      if (this.insertDraft(draft) && maySend) void this.send();
    });
    this.hostConnection.setNotificationListener(didInvokeCommand, ({ what }) => this.runCommand(what));
    this.hostConnection.setNotificationListener(didRequestEntry, ({ entryId, sessionId }) => {
      if (this.sessionId === sessionId) this.entryEmitter.fire(entryId);
    });
    this.transcript.onDidChange(({ addedEntries, addedElsewhere }) => {
      const isPromptAdded = [...addedEntries, ...addedElsewhere].some(({ kind }) => kind === 'prompt');
      if (isPromptAdded && this.pendingPromptRequestCount > 0) this.runCommand('showLatest');
    });
    this.hostConnection.start(window);
    this.composerDraft.restoreAndSaveOnHide(window);
    const { unconfirmed } = this.composerDraft;
    void this.request(chatRequests.ready, { unconfirmed }).then(() => this.composerDraft.confirmSent(unconfirmed));
    window.addEventListener('focus', () => void this.request(chatRequests.focused, {}), true);
    window.addEventListener('blur', ({ target }) => {
      if (target === window) void this.request(chatRequests.blurred, {});
    });
    if (window.document.hasFocus()) void this.request(chatRequests.focused, {});
    startHeartbeats(window, () => void this.request(chatRequests.alive, {}));
  }

  /** Loads the agent's options before the first prompt of a conversation, once per agent. */
  prepareOptions(): void {
    const { chosenBackend, session } = this.store.state;
    if (session || chosenBackend === undefined || chosenBackend === this.preparedBackendId) return;
    this.preparedBackendId = chosenBackend;
    void this.request(chatRequests.prepare, {});
  }

  runCommand(command: PageCommand): void {
    if (command === 'showSessions') this.store.update({ isSessionListShown: !this.store.state.isSessionListShown });
    if (command === 'playSound') playTone();
    this.commandEmitter.fire(command);
  }

  async requestForSession<Params extends z.ZodMiniType, Result extends z.ZodMiniType>(
    type: RequestType<Params, Result>,
    paramsOf: (sessionId: string) => z.infer<Params>,
  ): Promise<z.infer<Result> | undefined> {
    const { sessionId } = this;
    return sessionId === undefined ? undefined : await this.request(type, paramsOf(sessionId));
  }

  /**
   * Sends the composer's content, or queues it while a turn runs. With `steer`, it joins the turn if the agent takes it. With `stop`,
   * the turn is ended for it. The host returns the content if it cannot be sent.
   */
  async send(how?: 'steer' | 'stop'): Promise<void> {
    const { sessionId } = this;
    const stopsTurn = how === 'stop' ? this.store.state.session?.turn : undefined;
    const duringTurn = how === 'steer' ? how : undefined;
    this.store.clearProblems();
    const draft = this.composerDraft.takeForSending();
    const { attachments, id, text } = draft;
    if (duringTurn) this.store.addJoining({ id, text, attachments, isJoining: true });
    this.store.update({ isStartingConversation: sessionId === undefined });
    await this.sendAndScrollToPrompt(() =>
      this.request(chatRequests.send, { sessionId, ...draft, ...withoutUndefined({ duringTurn, stopsTurn }) }),
    );
    this.store.removeJoining(id);
    // If it was refused, the host has it in its draft.
    this.composerDraft.confirmSent([{ draft }]);
  }

  /** Asks the agent to take a queued prompt into the turn. */
  async steerQueued(id: string): Promise<void> {
    await this.sendAndScrollToPrompt(() =>
      this.requestForSession(chatRequests.steerQueued, (sessionId) => ({ sessionId, id })),
    );
  }

  /** Ends the turn, and sends a queued prompt before the others. */
  async stopAndSendQueued(id: string): Promise<void> {
    const { turn } = this.store.state.session ?? {};
    await this.sendAndScrollToPrompt(() =>
      this.requestForSession(chatRequests.stopAndSend, (sessionId) => ({
        sessionId,
        id,
        ...withoutUndefined({ turn }),
      })),
    );
  }

  async sendQueued(): Promise<void> {
    await this.sendAndScrollToPrompt(() =>
      this.requestForSession(chatRequests.sendQueued, (sessionId) => ({ sessionId })),
    );
  }

  /** Continues an interrupted turn. The draft in the composer stays unchanged. */
  async continueTurn(): Promise<void> {
    await this.sendAndScrollToPrompt(() =>
      this.requestForSession(chatRequests.continueTurn, (sessionId) => ({ sessionId })),
    );
  }

  /** Sends the prompt of a failed turn again. */
  async retry(entryId: string): Promise<void> {
    await this.sendAndScrollToPrompt(() =>
      this.requestForSession(chatRequests.retry, (sessionId) => ({ sessionId, entryId })),
    );
  }

  async unqueue(id: string, isForEditing: boolean): Promise<void> {
    const draft = await this.requestForSession(chatRequests.unqueue, (sessionId) => ({
      sessionId,
      id,
      isEdited: isForEditing,
    }));
    if (draft && isForEditing) this.insertDraft(draft);
  }

  async editAndResend(entryId: string): Promise<void> {
    if (this.reportIfReadonly()) return;
    await this.requestForSession(chatRequests.editAndResend, (sessionId) => ({ sessionId, entryId }));
  }

  /** Appends to the composer. Returns false if the conversation is read-only. */
  insertDraft(draft: Draft): boolean {
    if (this.reportIfReadonly()) return false;
    this.composerDraft.appendDraft(draft);
    this.runCommand('focusComposer');
    return true;
  }

  async copy(text: string): Promise<void> {
    await this.request(chatRequests.copy, { text });
  }

  /** Scrolls to the prompt that `send` adds to the transcript, even if the user has scrolled to another place. */
  private async sendAndScrollToPrompt<Result>(send: () => Promise<Result>): Promise<Result> {
    this.pendingPromptRequestCount++;
    this.store.update({ isSending: true });
    try {
      return await send();
    } finally {
      this.pendingPromptRequestCount--;
      if (this.pendingPromptRequestCount === 0) this.store.update({ isStartingConversation: false, isSending: false });
    }
  }

  /** Returns whether the conversation can be changed. If it is read-only, reports a problem. */
  private reportIfReadonly(): boolean {
    const isReadonly = this.store.state.session?.status === 'readonly';
    if (isReadonly) this.store.addProblem('This conversation is read-only. Start a new conversation first.');
    return isReadonly;
  }

  private applyUpdate(update: ChatUpdate): void {
    const before = this.sessionId;
    this.store.apply(update);
    const isOther = this.sessionId !== before;
    if (isOther || update.heardAt !== undefined) this.heardAt = update.heardAt;
    if (this.sessionId !== undefined) this.preparedBackendId = undefined;
    else if (this.preparedBackendId !== undefined && !this.composerDraft.isEmpty) this.prepareOptions();
    if (update.keyChords) this.chordGuard.setPrefixes(update.keyChords);
    if (update.sent) this.composerDraft.clearSent(update.sent);
    if (isOther || update.draft) this.composerDraft.switchSession(this.sessionId, update.draft, update.keepsComposer);
    if (update.refused) this.composerDraft.restoreRefused(update.refused);
    if (update.transcript) this.transcript.apply(update.transcript);
    else if (isOther) this.transcript.apply({ reset: true, before: 0 });
  }
}
