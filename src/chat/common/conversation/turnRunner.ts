import type { ConfigOption } from '../../../session/common/sessionEvents';
import { applyChoices, choicesOf, keepAsking, type OptionChoice } from '../../../session/common/optionChoices';
import {
  BackendError,
  isBackendError,
  type BackendSession,
  type PromptAttachment,
} from '../../../session/common/sessionBackend';
import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { QueuedPrompt } from '../chatView';
import type { Conversation } from './conversation';
import { conversationDigest } from './conversationDigest';
import { pause, promptWhenFree, resolveAttachments, type AttachmentResolver } from './promptDelivery';
import type { Connected, SessionLink } from './sessionLink';
import type { SessionStarts } from '../conversations/sessionStarts';

interface TurnRunnerPorts {
  readonly told: Conversation;
  readonly link: SessionLink;
  readonly attachments: AttachmentResolver;
  readonly starts: Pick<SessionStarts, 'wanted' | 'notOffered'>;
  readonly clock: Clock;
  readonly log: Logger;
}

const resumeTimeoutMs = 10_000;
const resumePollMs = 100;
const resumePolls = 25;

/** One turn after the other: brings its prompt to the backend, and ends it there when the user has ended it here. */
export class TurnRunner implements Disposable {
  /** Why the last prompt was not taken. */
  failure: { readonly text: string; readonly details?: string } | undefined;
  /** Of the turn that runs; fires when the user stops it. */
  private running: AbortController | undefined;
  /** Its prompt has gone to the backend. */
  private isSent = false;
  /** The session was made, not found, and has taken no prompt yet: it knows nothing of what was said before. */
  private isBlank = false;
  private stopping: Promise<void> | undefined;
  private resuming: Promise<void> | undefined;
  private readonly life = new AbortController();

  constructor(private readonly ports: TurnRunnerPorts) {}

  /** The backend is being made to end a turn. */
  get isStopping(): boolean {
    return this.stopping !== undefined;
  }

  /** It is being found out whether a turn still runs. */
  get isResuming(): boolean {
    return this.resuming !== undefined;
  }

  /** Resolves when the backend has taken the prompt, or the user has stopped it. @throws BackendError */
  async run(prompt: QueuedPrompt): Promise<void> {
    const { told } = this.ports;
    const running = new AbortController();
    this.running = running;
    this.isSent = false;
    this.failure = undefined;
    const { attachments, id, text } = prompt;
    told.prompted({ id, text, attachments });
    try {
      await this.deliver(prompt, AbortSignal.any([running.signal, this.life.signal]));
    } catch (error) {
      if (!running.signal.aborted) throw this.notTaken(id, error);
      // What was never taken is never told as ended.
      if (told.story.isStopping) told.record({ type: 'settled' });
    }
  }

  /** The turn has ended in the transcript with this call, and in the backend when it resolves. Never rejects. */
  async stop(onEnded: () => void): Promise<void> {
    const { link, told } = this.ports;
    if (!told.story.isBusy) {
      await this.stopping;
      return;
    }
    const session = this.isSent ? link.session : undefined;
    told.record({ type: 'stopped', inBackend: session !== undefined });
    this.running?.abort();
    onEnded();
    if (session) await this.cancel(session);
  }

  /** With its options as they are shown. @throws BackendError; `optionRefused` when they are not, but the session is there */
  async connect(signal: AbortSignal = this.life.signal): Promise<Connected> {
    const { link, starts, told } = this.ports;
    const { options: shown } = told.story;
    // What is shown now counts: the session tells more, and may begin otherwise.
    const wanted = shown.length === 0 ? starts.wanted(told.head.backendId) : choicesOf(shown);
    const connected = await link.connect(told.head.remoteId, signal);
    if (connected.how !== 'open') {
      told.bind(connected.session.id);
      this.isBlank = connected.how === 'created';
      if (this.isBlank && told.story.lastEnd) told.keepTitle();
    }
    told.emitter.fire();
    if (connected.how === 'loaded') await this.keepAsking(connected.session, shown);
    if (connected.how === 'created') await this.setOptions(connected.session, wanted);
    return connected;
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

  /** A turn that ended with its window may still run in a backend that lives on. */
  resume(): void {
    const { log, told } = this.ports;
    const { remoteId } = told.head;
    if (told.story.lastEnd?.outcome !== 'interrupted' || remoteId === undefined) return;
    this.resuming = this.tryResume(remoteId)
      .catch((error: unknown) => log.info(`A turn was not taken up again: ${messageOf(error)}`))
      .finally(() => {
        this.resuming = undefined;
        told.emitter.fire();
      });
    told.emitter.fire();
  }

  /** What is on its way is given up; the transcript stays as it is. */
  dispose(): void {
    this.life.abort();
    this.running?.abort();
  }

  private async deliver({ attachments: drafts, id, text }: QueuedPrompt, signal: AbortSignal): Promise<void> {
    const { attachments: resolver, clock, told } = this.ports;
    await this.stopping;
    await this.resuming;
    // What follows, notices too, belongs to this turn.
    const before = told.document.size - 1;
    const reminder = (): PromptAttachment[] => this.digestOf(before);
    const { session } = await this.connect(signal);
    const resolved = await resolveAttachments(resolver, drafts, signal);
    if (resolved.notSent.length > 0) told.record({ type: 'notSent', id, attachments: resolved.notSent });
    for (const problem of resolved.problems) told.notice('warning', problem);
    const digest = this.isBlank ? reminder() : [];
    signal.throwIfAborted();
    this.isSent = true;
    const attachments = [...digest, ...resolved.attachments];
    await promptWhenFree(session, { text, attachments, ...(this.isBlank ? {} : { reminder }) }, clock, signal);
    this.isBlank = false;
    if (digest.length > 0) this.reminded();
    // Stopped while it was on its way.
    if (signal.aborted) await this.cancel(session);
  }

  private digestOf(entries: number): PromptAttachment[] {
    const { told } = this.ports;
    const digest = conversationDigest(told.document.slice(0, entries));
    return digest ? [digest] : [];
  }

  private reminded(): void {
    const { told } = this.ports;
    const who = told.head.backendTitle;
    told.notice('info', `${who} does not remember this conversation. A summary of it was sent along with your prompt.`);
  }

  private notTaken(promptId: string, error: unknown): BackendError {
    const { told } = this.ports;
    const failure = isBackendError(error)
      ? error
      : new BackendError('backend', messageOf(error), undefined, { cause: error });
    const { details, message } = failure;
    // A turn that has begun, or has ended meanwhile, tells of its failure by itself.
    if (!told.story.isStarting) return failure;
    this.failure = { text: message, ...(details === undefined ? {} : { details }) };
    told.record({ type: 'withdrawn', id: promptId });
    told.file.changeHead({ state: 'failed' });
    return failure;
  }

  private async cancel(session: BackendSession): Promise<void> {
    const { told } = this.ports;
    this.stopping ??= session
      .cancel()
      .catch((error: unknown) => told.notice('warning', `The agent could not be told to stop: ${messageOf(error)}`))
      .finally(() => {
        this.stopping = undefined;
        told.emitter.fire();
      });
    told.emitter.fire();
    await this.stopping;
  }

  private async tryResume(remoteId: string): Promise<void> {
    const { clock, link, told } = this.ports;
    const late = new AbortController();
    const timer = clock.setTimer(resumeTimeoutMs, () => late.abort());
    try {
      // Before: who follows a session of the backend is who writes what it tells.
      await told.file.claim();
      const session = await link.load(remoteId, false, AbortSignal.any([this.life.signal, late.signal]));
      for (let poll = 0; poll < resumePolls && !session.isBusy; poll++) await pause(clock, resumePollMs);
      if (!session.isBusy || told.story.isBusy) return;
    } finally {
      timer.dispose();
    }
    link.endHistory();
    told.record({ type: 'resumed' });
    this.isSent = true;
    told.notice(
      'info',
      'The turn went on while the window was closed. Some of what was said meanwhile may be missing.',
    );
  }
}
