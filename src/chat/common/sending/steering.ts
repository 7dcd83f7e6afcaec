import type { Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { isBackendError, isDoubtful, type BackendSession } from '../../../session/common/sessionBackend';
import type { EntryOf } from '../../../transcript/common/entries';
import type { Draft, QueuedPrompt } from '../chatView';
import type { Conversation } from '../conversation/conversation';
import { isCommandText } from '../approvals/reasonText';
import { emptyDraft, joinDrafts } from '../conversation/drafts';
import type { PreparedAttachments, PromptDelivery } from '../conversation/promptDelivery';
import type { RecordOf } from '../conversation/logRecord';
import type { SharedDraft } from '../conversation/sharedDraft';
import type { TurnRunner } from '../conversation/turnRunner';
import { JoiningCheckpoint } from './joiningCheckpoint';
import {
  nextSteerState,
  nothingJoins,
  type SteerEffect,
  type SteerInput,
  type SteerOutcome,
  type SteerState,
} from './steerState';

interface SteeringPorts {
  readonly conversation: Conversation;
  readonly turnRunner: Pick<TurnRunner, 'phase'>;
  readonly delivery: Pick<PromptDelivery, 'noteOutcome' | 'prepareToJoin' | 'reportNotSent' | 'savePrompt'>;
  readonly sharedDraft: Pick<SharedDraft, 'restoreWithdrawn'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Sends what is due in the queue. */
  readonly sendQueue: () => void;
}

type TurnOutcome = EntryOf<'end'>['outcome'];

/** A prompt that is being prepared or that the agent was asked to take. */
interface Attempt {
  readonly abort: AbortController;
  prepared?: PreparedAttachments;
  checkpoint?: JoiningCheckpoint;
}

/** How long after the end of a turn the agent may say whether a prompt has joined it. */
const answerGraceMs = 3_000;

/** Lets queued prompts join the turn that runs: performs the effects of `nextSteerState`, and records what becomes of each. */
export class Steering {
  private state: SteerState = nothingJoins;
  /** What went back to the composer since the last end of a turn. */
  private givenBack: Draft = emptyDraft;
  private readonly attempts = new Map<string, Attempt>();

  constructor(private readonly ports: SteeringPorts) {}

  /** Whether the turn that runs was begun here, and its agent takes further prompts into it. */
  get canSteer(): boolean {
    return this.steer !== undefined;
  }

  /**
   * A queued prompt joins the turn if the agent takes it. Otherwise it stays in the queue, as a command does: in a turn, an agent
   * would read it as mere text.
   */
  join(id: string): void {
    const { conversation } = this.ports;
    const { queue, transcript } = conversation;
    const prompt = queue.get(id);
    if (!this.canSteer || !prompt || queue.joiningStateOf(id) !== undefined) return;
    const commandNames = transcript.session.commands.map(({ name }) => name);
    if (isCommandText(prompt.text, commandNames)) return;
    this.record(id, 'wanted');
    this.dispatch({ type: 'wanted', id });
  }

  /** Call before a prompt leaves the queue in another way. Returns false if it must stay, because the agent may have it by now. */
  mayTake(id: string): boolean {
    if (this.ports.conversation.queue.joiningStateOf(id) === 'asked') return false;
    this.dispatch({ type: 'taken', id });
    this.attempts.delete(id);
    return true;
  }

  /** Call when the agent has read a prompt. */
  handleRead(id: string): void {
    this.dispatch({ type: 'read', id });
  }

  /** Call at the end of each turn, when the transcript has it. */
  handleTurnEnd(): void {
    const { conversation } = this.ports;
    const { outcome } = conversation.transcript.lastEnd ?? {};
    this.givenBack = emptyDraft;
    this.handleUnanswered(outcome);
    this.dispatch({ type: 'turnEnded', end: outcome === 'cancelled' ? 'broken' : 'over' });
  }

  private get steer(): BackendSession['steer'] {
    const { phase } = this.ports.turnRunner;
    return phase.kind === 'sent' && phase.prompt === undefined ? phase.session.steer : undefined;
  }

  /** Handles the prompts that have joined the turn and that the agent has not read, or not answered. */
  private handleUnanswered(outcome: TurnOutcome | undefined): void {
    const { conversation } = this.ports;
    const { isSilentSinceJoined, perhapsUnread } = conversation.transcript.promptEntries;
    if (outcome !== 'cancelled') {
      if (!isSilentSinceJoined) return;
      // The agent itself has ended neither a turn that has failed nor one whose connection was lost.
      const isEndedByAgent = outcome !== 'failed' && outcome !== 'interrupted';
      const { backendTitle } = conversation.head;
      const text = `${backendTitle} ended the turn without an answer to that.`;
      conversation.addNotice('info', isEndedByAgent ? text : 'No answer to that was received.');
      return;
    }
    if (perhapsUnread.length === 0) return;
    for (const { draft, id } of perhapsUnread.toReversed()) {
      conversation.addRecord({ type: 'withdrawn', id });
      this.ports.delivery.noteOutcome(draft.attachments, 'withdrawn');
    }
    this.giveBack(perhapsUnread.map(({ draft }) => draft).reduce(joinDrafts));
  }

  /** Puts a prompt back into the composer, behind those of the same turn that are there already. */
  private giveBack(draft: Draft): void {
    this.ports.sharedDraft.restoreWithdrawn(draft, this.givenBack.text);
    this.givenBack = joinDrafts(this.givenBack, draft);
  }

  private dispatch(input: SteerInput): void {
    const { effects, state } = nextSteerState(this.state, input);
    this.state = state;
    for (const effect of effects) this.perform(effect);
  }

  private perform(effect: SteerEffect): void {
    if (effect.type === 'sendQueue') {
      this.ports.sendQueue();
      return;
    }
    const { id } = effect;
    const { clock, conversation } = this.ports;
    const prompt = conversation.queue.get(id);
    switch (effect.type) {
      case 'prepare':
        void this.prepare(id, prompt);
        return;
      case 'abort':
        this.attempts.get(id)?.abort.abort();
        this.attempts.delete(id);
        return;
      case 'ask':
        void this.ask(id, prompt);
        return;
      case 'join':
        if (prompt) this.addToTranscript(prompt, effect.isRead);
        return;
      case 'release':
        if (prompt) this.record(id, 'released');
        if (prompt && effect.reason !== undefined) this.reportRefusal(effect.reason);
        return;
      case 'hold':
        if (!prompt) return;
        this.record(id, 'unknown');
        conversation.reportDoubtful(prompt, effect.reason);
        return;
      case 'giveBack':
        if (!prompt) return;
        conversation.addRecord({ type: 'unqueued', id });
        this.giveBack({ text: prompt.text, attachments: prompt.attachments });
        return;
      case 'startWaiting':
        clock.setTimer(answerGraceMs, () => this.dispatch({ type: 'late', id }));
    }
  }

  private async prepare(id: string, prompt: QueuedPrompt | undefined): Promise<void> {
    const attempt: Attempt = { abort: new AbortController() };
    this.attempts.set(id, attempt);
    try {
      if (!prompt) throw new Error('The prompt is no longer in the queue.');
      attempt.prepared = await this.ports.delivery.prepareToJoin(prompt, attempt.abort.signal);
      this.dispatch({ type: 'prepared', id });
    } catch (error) {
      const isDismissed = isBackendError(error) && error.code === 'cancelled';
      // An aborted one is already settled.
      if (this.attempts.get(id) !== attempt) return;
      this.decide(id, isDismissed ? { kind: 'dismissed' } : { kind: 'refused', reason: messageOf(error) });
    }
  }

  private async ask(id: string, prompt: QueuedPrompt | undefined): Promise<void> {
    this.decide(id, await this.outcomeOf(id, prompt));
  }

  private async outcomeOf(id: string, prompt: QueuedPrompt | undefined): Promise<SteerOutcome> {
    const { conversation, delivery } = this.ports;
    const attempt = this.attempts.get(id);
    if (!prompt || !attempt?.prepared) return { kind: 'noTurn' };
    // Until it is known to have arrived, it is not sent again, also by another window after a crash.
    this.record(id, 'asked');
    await delivery.savePrompt();
    const { steer } = this;
    if (!steer) return { kind: 'noTurn' };
    attempt.checkpoint = new JoiningCheckpoint(conversation, id);
    try {
      return { kind: await steer({ text: prompt.text, attachments: attempt.prepared.attachments }, id) };
    } catch (error) {
      const kind = !isBackendError(error) || isDoubtful(error) ? 'unknown' : 'refused';
      return { kind, reason: messageOf(error) };
    }
  }

  private decide(id: string, outcome: SteerOutcome): void {
    this.dispatch({ type: 'decided', id, outcome });
    // Until the agent reads it, its checkpoint is not recorded.
    if (outcome.kind !== 'accepted' || !this.ports.conversation.queue.get(id)) this.attempts.delete(id);
  }

  /** The agent has the prompt. Its checkpoint, which was begun when it was sent, follows. */
  private addToTranscript({ attachments, id, text }: QueuedPrompt, isRead: boolean): void {
    const { conversation, delivery, log } = this.ports;
    const { checkpoint, prepared } = this.attempts.get(id) ?? {};
    conversation.addRecord({ type: 'steered', id, text, attachments, ...(isRead && { isRead }) });
    if (prepared) delivery.reportNotSent(id, prepared);
    this.attempts.delete(id);
    const sent = attachments.filter((attachment) => prepared?.notSent.includes(attachment.id) !== true);
    delivery.noteOutcome(sent, 'accepted');
    checkpoint?.record().catch((error: unknown) => log.info(`No checkpoint in a turn: ${messageOf(error)}`));
  }

  private reportRefusal(reason: string): void {
    const { conversation } = this.ports;
    conversation.addNotice('info', 'Your prompt did not join the turn. It is back in the queue.', reason);
  }

  private record(id: string, state: RecordOf<'steering'>['state']): void {
    this.ports.conversation.addRecord({ type: 'steering', id, state });
  }
}
