import type { ConfigOption } from '../../../session/common/sessionEvents';
import {
  applyChoices,
  requestedFromCurrentValues,
  restoreIfFewerApprovals,
  type RequestedOption,
} from '../../../session/common/optionChoices';
import {
  isBackendError,
  type BackendSession,
  type PromptAttachment,
  type PromptInput,
} from '../../../session/common/sessionBackend';
import { isPromptTurn, whenTurnEnds } from '../../../session/common/sessionTurn';
import { withDeadline, type Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import { turnOrigin } from '../authorship/turnOrigin';
import type { DraftAttachment, QueuedPrompt } from '../chatView';
import type { NewSessionOptionsPort } from '../conversations/newSessionOptionsPort';
import type { Conversation } from './conversation';
import { conversationSummary } from './conversationSummary';
import type { PromptSaves } from '../unsaved/promptSaves';
import type { BackendConnection } from './backendConnection';
import type { PreparedPrompt } from './turnPhase';

/** Resolves the attachments of a prompt when it is sent. */
export interface AttachmentResolver {
  /** Returns the content to send. Empty if there is nothing left to send. @throws EditorError */
  resolve(attachment: DraftAttachment, signal: AbortSignal, conversation: string): Promise<readonly PromptAttachment[]>;
  /** Called when the backend has accepted the prompt with these attachments, and when that was withdrawn. Never rejects. */
  noteOutcome?(
    attachments: readonly DraftAttachment[],
    conversation: string,
    outcome: 'accepted' | 'withdrawn',
  ): Promise<void>;
}

/** The attachments of a prompt as they are sent. */
export interface PreparedAttachments {
  readonly attachments: readonly PromptAttachment[];
  /** Ids of those that can't be sent. */
  readonly notSent: readonly string[];
  /** Why not, as sentences. */
  readonly problems: readonly string[];
}

interface PromptDeliveryPorts {
  readonly conversation: Conversation;
  readonly connection: BackendConnection;
  readonly attachments: AttachmentResolver;
  readonly sessionDefaults: Pick<NewSessionOptionsPort, 'of'>;
  readonly saves: Pick<PromptSaves, 'beforePrompt'>;
  readonly clock: Clock;
}

/** How long a prompt waits for the end of another client's turn. */
const busyTimeoutMs = 5000;
const saveTimeoutMs = 1000;
const instructionsTitle = 'Instructions';
/** Time after which the user is told that the prompt waits for its checkpoint. */
const silentCheckpointMs = 1000;

/** Delivers prompts with their attachments to a session of the backend. */
export class PromptDelivery {
  /** A newly created session that has received no prompt yet and does not know the earlier conversation. */
  private newSession: BackendSession | undefined;

  constructor(private readonly ports: PromptDeliveryPorts) {}

  /** Connects and sets the options that the user sees. @throws BackendError; `optionRefused` if only that failed */
  async connect(signal: AbortSignal): Promise<BackendSession> {
    const { connection, sessionDefaults, conversation } = this.ports;
    const { options: shown } = conversation.transcript.session;
    // The options are read before connecting, because a new session reports its own options.
    const wanted =
      shown.length === 0
        ? (sessionDefaults.of(conversation.head.backendId).choicesForNewSession ?? [])
        : requestedFromCurrentValues(shown);
    const { origin, session } = await connection.connect(conversation.head.remoteId, signal);
    if (origin !== 'open') {
      conversation.bindSession(session.id);
      this.newSession = origin === 'created' ? session : undefined;
      if (this.newSession && conversation.transcript.lastEnd) conversation.freezeTitle();
    }
    conversation.changeEmitter.fire();
    if (origin === 'loaded') await this.restoreApprovalOptions(session, shown);
    if (origin === 'created') await this.applyInitialChoices(session, wanted);
    return session;
  }

  /**
   * Saves files, connects, and resolves the attachments. Adds a notice for each attachment that can't be sent.
   * @throws BackendError, also on abort
   */
  async prepare(prompt: QueuedPrompt, signal: AbortSignal): Promise<PreparedPrompt> {
    const { conversation, saves } = this.ports;
    const { attachments: drafts, id, text } = prompt;
    // Excludes this prompt and everything that is added while connecting.
    const before = conversation.document.size - 1;
    const reminder = (): PromptAttachment[] => [
      ...this.instructionsToSend(),
      ...conversationSummary(conversation.document.newestFirst(before)),
    ];
    const { turnNumber } = conversation.transcript;
    // The files are saved before the checkpoint is taken, so that it contains them.
    const begun = saves.beforePrompt(prompt, signal).then(() => this.beginTurn(turnNumber, signal));
    const head = conversation.readHeadCommit();
    const [session] = await Promise.all([this.connect(signal), begun, this.savePrompt()]);
    conversation.setTurnOrigin(turnNumber, turnOrigin(session.config, this.ports.connection.state, await head));
    const resolved = await this.resolveAttachments(drafts, signal);
    this.reportNotSent(id, resolved);
    signal.throwIfAborted();
    const sent = drafts.filter((draft) => !resolved.notSent.includes(draft.id));
    return { session, input: { text, attachments: resolved.attachments, reminder }, drafts: sent };
  }

  /** Saves files and resolves the attachments of a prompt that joins the turn. @throws BackendError, also on abort */
  async prepareToJoin(prompt: QueuedPrompt, signal: AbortSignal): Promise<PreparedAttachments> {
    await this.ports.saves.beforePrompt(prompt, signal);
    const resolved = await this.resolveAttachments(prompt.attachments, signal);
    signal.throwIfAborted();
    return resolved;
  }

  /** Resolves when the prompt is on disk, as it has to be before it is sent, unless the disk is too slow or fails. Never rejects. */
  async savePrompt(): Promise<void> {
    const { clock, conversation } = this.ports;
    const saving = withDeadline(clock, 'saving the prompt', saveTimeoutMs, () => conversation.file.flush());
    await saving.catch(() => undefined);
  }

  /** Marks the attachments of the prompt `id` that can't be sent, and adds a notice for each. */
  reportNotSent(id: string, { notSent, problems }: PreparedAttachments): void {
    const { conversation } = this.ports;
    if (notSent.length > 0) conversation.addRecord({ type: 'notSent', id, attachments: [...notSent] });
    for (const problem of problems) conversation.addNotice('warning', problem);
  }

  /** Tells the sources of attachments what became of the prompt with them. */
  noteOutcome(attachments: readonly DraftAttachment[], outcome: 'accepted' | 'withdrawn'): void {
    const { attachments: resolver, conversation } = this.ports;
    void resolver.noteOutcome?.(attachments, conversation.head.id, outcome);
  }

  /** Resolves when the backend has accepted the prompt `id`. @throws BackendError, also on abort before it was sent */
  async send(id: string, prepared: PreparedPrompt, signal: AbortSignal): Promise<void> {
    const { clock, connection, conversation } = this.ports;
    let { session } = prepared;
    const trySending = async (): Promise<readonly PromptAttachment[]> => {
      // The settings may have changed since the prompt was prepared, and its session may have ended.
      if (connection.isOutdated && !isPromptTurn(session.turn)) session = await this.connect(signal);
      const { added, input } = this.inputFor(session, prepared);
      await session.sendPrompt(input);
      return added;
    };
    const added = await trySending().catch(async (error: unknown) => {
      // The prompt is queued until the turn of another client ends.
      if (!isBackendError(error) || error.code !== 'busy' || session.turn === 'other') throw error;
      // The session may be about to end a turn.
      const ended = (late: AbortSignal): Promise<void> => whenTurnEnds(session, late);
      await withDeadline(clock, 'the end of a turn', busyTimeoutMs, ended, { signal }).catch(() => undefined);
      signal.throwIfAborted();
      return await trySending();
    });
    this.newSession = undefined;
    this.noteOutcome(prepared.drafts, 'accepted');
    const { backendTitle } = conversation.head;
    const instructions = added.find((item) => item.type === 'text' && item.title === instructionsTitle);
    if (instructions?.type === 'text') conversation.addRecord({ type: 'instructed', id, text: instructions.text });
    if (added.length === (instructions ? 1 : 0)) return;
    conversation.addNotice(
      'info',
      `${backendTitle} doesn’t remember this conversation. A summary was sent with your prompt.`,
    );
  }

  /** Returns the instructions as an attachment, if the backend does not give them to its model by itself. */
  private instructionsToSend(): PromptAttachment[] {
    const text = this.ports.connection.unsentInstructions;
    return text === '' ? [] : [{ type: 'text', title: instructionsTitle, text }];
  }

  /** Adds the instructions, and a summary of the conversation, if the session does not know them. */
  private inputFor(
    session: BackendSession,
    { input }: PreparedPrompt,
  ): { readonly input: PromptInput; readonly added: readonly PromptAttachment[] } {
    if (session !== this.newSession) return { input, added: [] };
    const { attachments, reminder, text } = input;
    const added = reminder();
    return { input: { text, attachments: [...added, ...attachments] }, added };
  }

  /** Takes the checkpoint. If that lasts, the conversation says so. @throws Error when `signal` fires */
  private async beginTurn(turn: number, signal: AbortSignal): Promise<void> {
    const { clock, conversation } = this.ports;
    const show = (isSaving: boolean): void => {
      if (conversation.isSavingCheckpoint === isSaving) return;
      conversation.isSavingCheckpoint = isSaving;
      conversation.changeEmitter.fire();
    };
    const timer = clock.setTimer(silentCheckpointMs, () => show(true));
    try {
      await conversation.journal.beginTurn(turn, signal);
    } finally {
      timer.dispose();
      show(false);
    }
  }

  private async restoreApprovalOptions(session: BackendSession, before: readonly ConfigOption[]): Promise<void> {
    const { conversation } = this.ports;
    const change = await restoreIfFewerApprovals(session, before, conversation.head.backendTitle);
    if (change !== undefined) conversation.addNotice('info', change);
  }

  private async applyInitialChoices(session: BackendSession, wanted: readonly RequestedOption[]): Promise<void> {
    const { sessionDefaults, conversation } = this.ports;
    const { backendId, backendTitle } = conversation.head;
    for (const choice of await applyChoices(session, wanted, backendTitle)) {
      const notice = sessionDefaults.of(backendId).noticeForUnofferedChoice?.(choice);
      if (notice !== undefined) conversation.addNotice('warning', notice);
    }
  }

  private async resolveAttachments(
    drafts: readonly DraftAttachment[],
    signal: AbortSignal,
  ): Promise<PreparedAttachments> {
    const { attachments: resolver } = this.ports;
    const attachments: PromptAttachment[] = [];
    const notSent: string[] = [];
    const problems: string[] = [];
    for (const draft of drafts) {
      if (draft.image) {
        attachments.push({ type: 'image', ...draft.image });
        continue;
      }
      try {
        const found = await resolver.resolve(draft, signal, this.ports.conversation.head.id);
        attachments.push(...found);
        if (found.length > 0) continue;
        problems.push(`"${draft.title}" was not sent because it is now empty.`);
      } catch (error) {
        signal.throwIfAborted();
        problems.push(`"${draft.title}" was not sent: ${messageOf(error)}`);
      }
      notSent.push(draft.id);
    }
    return { attachments, notSent, problems };
  }
}
