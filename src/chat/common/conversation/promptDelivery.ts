import type { ConfigOption } from '../../../session/common/sessionEvents';
import { applyChoices, choicesOf, keepAsking, type OptionChoice } from '../../../session/common/optionChoices';
import { isBackendError, type BackendSession, type PromptAttachment } from '../../../session/common/sessionBackend';
import type { Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { DraftAttachment, QueuedPrompt } from '../chatView';
import type { SessionStarts } from '../conversations/sessionStarts';
import type { Conversation } from './conversation';
import { conversationDigest } from './conversationDigest';
import type { BackendConnection } from './backendConnection';
import type { Delivery } from './turnPhase';

/** Finds what an attachment stands for when its prompt is sent. */
export interface AttachmentResolver {
  /** Empty when there is nothing any more. @throws EditorError */
  resolve(attachment: DraftAttachment, signal: AbortSignal): Promise<readonly PromptAttachment[]>;
}

interface PromptDeliveryPorts {
  readonly told: Conversation;
  readonly connection: BackendConnection;
  readonly attachments: AttachmentResolver;
  readonly starts: Pick<SessionStarts, 'wanted' | 'notOffered'>;
  readonly clock: Clock;
}

const retryMs = 50;
const maxTries = 40;

/** Brings a prompt with all that goes along to a session of the backend. */
export class PromptDelivery {
  /** It was made, not found, and has taken no prompt yet: it knows nothing of what was said before. */
  private blank: BackendSession | undefined;

  constructor(private readonly ports: PromptDeliveryPorts) {}

  /** With its options as they are shown. @throws BackendError; `optionRefused` when they are not, but the session is there */
  async connect(signal: AbortSignal): Promise<BackendSession> {
    const { connection, starts, told } = this.ports;
    const { options: shown } = told.story;
    // What is shown now counts: the session tells more, and may begin otherwise.
    const wanted = shown.length === 0 ? starts.wanted(told.head.backendId) : choicesOf(shown);
    const { how, session } = await connection.connect(told.head.remoteId, signal);
    if (how !== 'open') {
      told.bind(session.id);
      this.blank = how === 'created' ? session : undefined;
      if (this.blank && told.story.lastEnd) told.keepTitle();
    }
    told.emitter.fire();
    if (how === 'loaded') await this.keepAsking(session, shown);
    if (how === 'created') await this.setOptions(session, wanted);
    return session;
  }

  /** What cannot be sent along is told. @throws BackendError, and when `signal` fires */
  async prepare({ attachments: drafts, id, text }: QueuedPrompt, signal: AbortSignal): Promise<Delivery> {
    const { told } = this.ports;
    // What follows, notices too, belongs to this turn.
    const before = told.document.size - 1;
    const reminder = (): PromptAttachment[] => conversationDigest(told.document.slice(0, before));
    const begun = told.journal.beginTurn(told.story.turnNumber, signal);
    const [session] = await Promise.all([this.connect(signal), begun]);
    const resolved = await this.resolved(id, drafts, signal);
    signal.throwIfAborted();
    if (session !== this.blank) return { session, input: { text, attachments: resolved, reminder }, hasDigest: false };
    const digest = reminder();
    return { session, input: { text, attachments: [...digest, ...resolved] }, hasDigest: digest.length > 0 };
  }

  /** Resolves when the backend has taken it. @throws BackendError, and when `signal` fires before it is on its way */
  async send({ hasDigest, input, session }: Delivery, signal: AbortSignal): Promise<void> {
    // A session tells the end of its turn a moment before it takes the next prompt.
    for (let tries = 1; ; tries++) {
      try {
        await session.prompt(input);
        break;
      } catch (error) {
        if (!isBackendError(error) || error.code !== 'busy' || tries === maxTries) throw error;
        await pause(this.ports.clock, retryMs);
        signal.throwIfAborted();
      }
    }
    this.blank = undefined;
    if (!hasDigest) return;
    const { told } = this.ports;
    const who = told.head.backendTitle;
    told.notice('info', `${who} doesn’t remember this conversation. A summary was sent with your prompt.`);
  }

  private async keepAsking(session: BackendSession, before: readonly ConfigOption[]): Promise<void> {
    const { told } = this.ports;
    const change = await keepAsking(session, before, told.head.backendTitle);
    if (change !== undefined) told.notice('info', change);
  }

  private async setOptions(session: BackendSession, wanted: readonly OptionChoice[]): Promise<void> {
    const { starts, told } = this.ports;
    const { backendId, backendTitle } = told.head;
    for (const choice of await applyChoices(session, wanted, backendTitle)) {
      const notice = starts.notOffered(backendId, choice);
      if (notice !== undefined) told.notice('warning', notice);
    }
  }

  private async resolved(id: string, drafts: readonly DraftAttachment[], signal: AbortSignal) {
    const { attachments: resolver, told } = this.ports;
    const attachments: PromptAttachment[] = [];
    const notSent: string[] = [];
    const problems: string[] = [];
    for (const draft of drafts) {
      if (draft.image) {
        attachments.push({ type: 'image', ...draft.image });
        continue;
      }
      try {
        const found = await resolver.resolve(draft, signal);
        attachments.push(...found);
        if (found.length > 0) continue;
        problems.push(`"${draft.title}" was not sent because it is empty now.`);
      } catch (error) {
        signal.throwIfAborted();
        problems.push(`"${draft.title}" was not sent: ${messageOf(error)}`);
      }
      notSent.push(draft.id);
    }
    if (notSent.length > 0) told.record({ type: 'notSent', id, attachments: notSent });
    for (const problem of problems) told.notice('warning', problem);
    return attachments;
  }
}

export function pause(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.setTimer(delayMs, resolve);
  });
}
