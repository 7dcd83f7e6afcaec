import { withDeadline, type Clock } from '../../../base/common/async';
import { messageOf, TimeoutError, toError } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { EventLog } from '../../../session/common/eventLog';
import type { SessionEvent, ConfigOption, SlashCommand } from '../../../session/common/sessionEvents';
import {
  BackendError,
  type BackendSession,
  type PromptAttachment,
  type PromptInput,
  type ReadEventsOptions,
  type SequencedEvent,
  isBackendError,
} from '../../../session/common/sessionBackend';
import { TurnChanges, type SessionTurn } from '../../../session/common/sessionTurn';
import {
  replayThreadAsEvents,
  answerMessageEvents,
  createReadFileEvents,
  textDeltaEvent,
} from '../../common/draft/draftHistory';
import type { ThreadEntry } from '../../common/draft/draftSchema';
import type { Approvals } from '../../common/approvals/approvals';
import type { ProposalReviewer } from './proposalReviewer';

interface DraftSessionDeps {
  readonly id: string;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createRequestId: () => string;
  /** Sends the user's message to the agent. @throws BackendError */
  readonly send: (text: string) => Promise<void>;
  /** What ends an answer. `result`: `send` resolves. `message`: the agent sends a message. */
  readonly answerEndsWith: 'result' | 'message';
  readonly onDidClose: () => void;
  readonly approvals: Approvals;
  readonly proposals: ProposalReviewer;
}

type Phase =
  | { readonly kind: 'idle' }
  /** The prompt waits because the agent is still working on a stopped prompt. */
  | { readonly kind: 'waiting'; readonly turn: Turn }
  /** The agent's output belongs to this turn. */
  | { readonly kind: 'answering'; readonly turn: Turn }
  /** The user decides about proposed changes. `decided` resolves after that and never rejects. */
  | { readonly kind: 'proposing'; readonly turn: Turn; readonly decided: Promise<void> }
  | { readonly kind: 'closed' };

interface Turn {
  readonly requestId: string;
  text: string;
  readCount: number;
  readonly controller: AbortController;
  /** Records that the agent has finished the prompt, even if the turn was stopped. */
  finish(): void;
  readonly finished: Promise<void>;
}

/** How long a prompt waits for the agent to finish a stopped prompt. */
const drainTimeoutMs = 30_000;

/**
 * A session of a draft agent. Output of a stopped turn is dropped, and the next prompt waits until the agent has
 * finished it.
 */
export class DraftSession implements BackendSession {
  readonly config: readonly ConfigOption[] = [];
  readonly commands: readonly SlashCommand[] = [];
  private sessionPhase: Phase = { kind: 'idle' };
  /** The turn that the agent is working on, even if the turn was stopped. */
  private agentTurn: Turn | undefined;
  private readonly turnChanges: TurnChanges;
  readonly onDidChangeTurn;

  constructor(private readonly deps: DraftSessionDeps) {
    this.turnChanges = new TurnChanges(() => this.turn, deps.log);
    this.onDidChangeTurn = this.turnChanges.event;
  }

  get id(): string {
    return this.deps.id;
  }

  get turn(): SessionTurn {
    return this.currentTurn ? 'own' : 'none';
  }

  private get currentTurn(): Turn | undefined {
    return 'turn' in this.sessionPhase ? this.sessionPhase.turn : undefined;
  }

  start(history: readonly ThreadEntry[] = []): void {
    this.emit({ event: 'session:start', data: { session_id: this.id } }, ...replayThreadAsEvents(this.id, history));
  }

  events(options?: ReadEventsOptions): AsyncIterable<SequencedEvent> {
    return this.deps.events.read(options);
  }

  async sendPrompt({ text, attachments = [] }: PromptInput): Promise<{ requestId: string }> {
    if (this.sessionPhase.kind === 'closed')
      throw new BackendError('closed', 'This session is closed. Start another one.');
    if (this.currentTurn)
      throw new BackendError('busy', 'The agent is still answering. Stop it, or wait for its answer.');
    const message = [text, ...attachments.map(textOfAttachment)].join('\n\n');
    const turn = newTurn(this.deps.createRequestId());
    const { requestId } = turn;
    this.sessionPhase = { kind: 'waiting', turn };
    this.emit({ event: 'prompt:submit', data: { session_id: this.id, prompt: text, request_id: requestId } });
    void this.runTurn(turn, message);
    return await Promise.resolve({ requestId });
  }

  async cancel(): Promise<void> {
    const { sessionPhase: phase, currentTurn: turn } = this;
    if (!turn) return;
    turn.controller.abort();
    if (phase.kind === 'proposing') await phase.decided;
    this.endTurn(turn, 'cancelled');
  }

  answerApproval(approvalId: string, option: string): Promise<void> {
    return Promise.resolve().then(() => this.deps.approvals.answer(approvalId, option));
  }

  setConfig(): Promise<void> {
    return Promise.reject(new BackendError('unsupported', 'Agents that use the draft protocol don’t have settings.'));
  }

  close(): Promise<void> {
    this.endSession('closed');
    return Promise.resolve();
  }

  dispose(): void {
    this.endSession('closed');
  }

  receiveChunk(text: string): boolean {
    const { sessionPhase: phase } = this;
    if (phase.kind !== 'answering') return false;
    phase.turn.text += text;
    this.emit(textDeltaEvent(this.id, text));
    return true;
  }

  /** Handles an answer, the end of a stopped turn, or an unsolicited message. Returns whether it is shown. */
  receiveMessage(text: string): boolean {
    const { agentTurn } = this;
    const isAnswer = this.receiveChunk(text);
    agentTurn?.finish();
    if (isAnswer) return true;
    const isStale = agentTurn !== undefined;
    if (!isStale) this.emit(...answerMessageEvents(this.id, text));
    return !isStale;
  }

  didReadFile(path: string, content: string): void {
    const { sessionPhase: phase } = this;
    if (phase.kind !== 'answering') return;
    const callId = `${phase.turn.requestId}-read-${++phase.turn.readCount}`;
    this.emit(...createReadFileEvents(this.id, callId, path, content));
  }

  /** Fails the current turn and closes the session, because the agent has ended. */
  fail(error: BackendError): void {
    if (this.currentTurn) this.failTurn(this.currentTurn, error);
    this.endSession('agent stopped');
  }

  private async runTurn(turn: Turn, message: string): Promise<void> {
    const { clock, proposals } = this.deps;
    try {
      await withDeadline(clock, 'The agent', drainTimeoutMs, async () => this.agentTurn?.finished);
      if (this.currentTurn !== turn) return;
      this.sessionPhase = { kind: 'answering', turn };
      await this.sendToAgent(turn, message);
      if (this.currentTurn !== turn) return;
      const decided = proposals.offerProposals(turn.text, turn.requestId, turn.controller.signal);
      this.sessionPhase = { kind: 'proposing', turn, decided };
      await decided;
      if (!turn.controller.signal.aborted) this.endTurn(turn, 'end_turn');
    } catch (error) {
      this.failTurn(turn, error);
    }
  }

  /** Resolves when the agent has finished the prompt. */
  private async sendToAgent(turn: Turn, message: string): Promise<void> {
    const { answerEndsWith, send } = this.deps;
    this.agentTurn = turn;
    try {
      await send(message);
      if (answerEndsWith === 'result') turn.finish();
      await turn.finished;
    } finally {
      turn.finish();
      if (this.agentTurn === turn) this.agentTurn = undefined;
    }
  }

  private endTurn(turn: Turn, stopReason: 'end_turn' | 'cancelled'): void {
    if (this.currentTurn !== turn) return;
    this.abandonTurn(turn);
    const about = { session_id: this.id, request_id: turn.requestId };
    this.emit({ event: 'prompt:complete', data: { ...about, response: '', stop_reason: stopReason } });
  }

  private failTurn(turn: Turn, thrown: unknown): void {
    if (this.currentTurn !== turn) return;
    this.abandonTurn(turn);
    const error = toBackendError(thrown);
    const about = { session_id: this.id, request_id: turn.requestId, error: error.message, code: error.code };
    this.emit({ event: 'error', data: error.details === undefined ? about : { ...about, details: error.details } });
  }

  private abandonTurn(turn: Turn): void {
    this.sessionPhase = { kind: 'idle' };
    turn.controller.abort();
    this.deps.approvals.withdrawAll();
  }

  private endSession(reason: string): void {
    if (this.sessionPhase.kind === 'closed') return;
    if (this.currentTurn) this.endTurn(this.currentTurn, 'cancelled');
    this.sessionPhase = { kind: 'closed' };
    this.deps.approvals.withdrawAll();
    this.agentTurn?.finish();
    this.emit({ event: 'session:end', data: { session_id: this.id, reason } });
    this.deps.events.end();
    this.deps.onDidClose();
  }

  private emit(...events: readonly SessionEvent[]): void {
    for (const event of events) this.deps.events.append(event);
    this.turnChanges.check();
  }
}

function newTurn(requestId: string): Turn {
  const { promise: finished, resolve: finish }: PromiseWithResolvers<void> = Promise.withResolvers();
  return { requestId, text: '', readCount: 0, controller: new AbortController(), finished, finish };
}

function titleOfText({ title, uri }: Extract<PromptAttachment, { type: 'text' }>): string {
  return uri === undefined ? title : `${title} (${uri})`;
}

/** Returns text that names the file, because the protocol supports only text. The agent reads the file itself. */
function textOfAttachment(attachment: PromptAttachment): string {
  switch (attachment.type) {
    case 'file': {
      const { path, lines } = attachment;
      return lines ? `File: ${path} (lines ${lines.first} to ${lines.last})` : `File: ${path}`;
    }
    case 'text':
      return `${titleOfText(attachment)}:\n${attachment.text}`;
    case 'image':
      throw new BackendError('unsupported', 'This agent doesn’t support images. Remove the image and try again.');
  }
}

function toBackendError(thrown: unknown): BackendError {
  if (isBackendError(thrown)) return thrown;
  if (thrown instanceof TimeoutError) {
    const message =
      'The agent is still working on the prompt that you stopped. Its protocol cannot cancel prompts. Restart the agent.';
    return new BackendError('timeout', message, undefined, { cause: thrown });
  }
  return new BackendError('backend', messageOf(thrown), undefined, { cause: toError(thrown) });
}
