import { withDeadline, type Clock } from '../../../base/common/async';
import { messageOf, TimeoutError, toError } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { SessionEngine } from '../../../session/common/engine/sessionEngine';
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
import type { SessionTurn } from '../../../session/common/sessionTurn';
import {
  replayThreadAsEvents,
  answerMessageEvents,
  createReadFileEvents,
  textDeltaEvent,
} from '../../common/draft/draftHistory';
import type { ThreadEntry } from '../../common/draft/draftSchema';
import type { ProposalReviewer } from './proposalReviewer';

interface DraftSessionDeps {
  readonly id: string;
  readonly engine: SessionEngine;
  readonly clock: Clock;
  readonly createRequestId: () => string;
  /** Sends the user's message to the agent. @throws BackendError */
  readonly send: (text: string) => Promise<void>;
  /** What ends an answer. `result`: `send` resolves. `message`: the agent sends a message. */
  readonly answerEndsWith: 'result' | 'message';
  readonly onDidClose: () => void;
  readonly proposals: ProposalReviewer;
}

/** A prompt and what the agent answers. */
interface Answer {
  readonly requestId: string;
  text: string;
  readCount: number;
  /** Records that the agent has finished the prompt, even if its turn was stopped. */
  finish(): void;
  readonly finished: Promise<void>;
}

/** What happens in a turn. */
type Stage =
  /** The prompt waits because the agent is still working on a stopped prompt. */
  | { readonly kind: 'waiting' }
  /** The agent's output belongs to this turn. */
  | { readonly kind: 'answering'; readonly answer: Answer }
  /** The user decides about proposed changes. `decided` resolves after that and never rejects. */
  | { readonly kind: 'proposing'; readonly decided: Promise<void> };

const waiting: Stage = { kind: 'waiting' };

/** How long a prompt waits for the agent to finish a stopped prompt. */
const drainTimeoutMs = 30_000;

/**
 * A session of a draft agent. Output of a stopped turn is dropped, and the next prompt waits until the agent has
 * finished it.
 */
export class DraftSession implements BackendSession {
  readonly config: readonly ConfigOption[] = [];
  readonly commands: readonly SlashCommand[] = [];
  /** Of the open turn. */
  private stage: Stage = waiting;
  /** The answer that the agent is working on, even if its turn was stopped. */
  private agentAnswer: Answer | undefined;

  constructor(private readonly deps: DraftSessionDeps) {}

  get id(): string {
    return this.deps.id;
  }

  get turn(): SessionTurn {
    return this.deps.engine.turn;
  }

  get onDidChangeTurn(): BackendSession['onDidChangeTurn'] {
    return this.deps.engine.onDidChangeTurn;
  }

  private get answer(): Answer | undefined {
    return this.turn === 'own' && this.stage.kind === 'answering' ? this.stage.answer : undefined;
  }

  start(history: readonly ThreadEntry[]): void {
    this.deps.engine.report(replayThreadAsEvents(this.id, history));
  }

  events(options?: ReadEventsOptions): AsyncIterable<SequencedEvent> {
    return this.deps.engine.events(options);
  }

  async sendPrompt({ text, attachments = [] }: PromptInput): Promise<{ requestId: string }> {
    const { createRequestId, engine } = this.deps;
    if (engine.turns.state.isClosed) throw new BackendError('closed', 'This session is closed. Start another one.');
    if (this.turn === 'own')
      throw new BackendError('busy', 'The agent is still answering. Stop it, or wait for its answer.');
    const message = [text, ...attachments.map(textOfAttachment)].join('\n\n');
    const requestId = createRequestId();
    this.stage = waiting;
    engine.turns.apply({ type: 'prompted', requestId });
    engine.turns.startWork((signal) => this.runTurn(requestId, message, signal));
    const data = { session_id: this.id, prompt: text, request_id: requestId };
    engine.report([{ event: 'prompt:submit', data }]);
    return await Promise.resolve({ requestId });
  }

  async cancel(): Promise<void> {
    const { stage } = this;
    const { turns } = this.deps.engine;
    const { signal, turn } = turns;
    if (turn === 'agent') turns.apply({ type: 'stopped' });
    this.endUnpromptedTurn('cancelled');
    turns.abort();
    if (stage.kind === 'proposing') await stage.decided;
    this.endTurn(signal, 'cancelled');
  }

  answerApproval(approvalId: string, option: string): Promise<void> {
    return this.deps.engine.answerApproval(approvalId, option);
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
    const { answer } = this;
    if (!answer) return false;
    answer.text += text;
    this.deps.engine.report([textDeltaEvent(this.id, text)]);
    return true;
  }

  /** Handles an answer, the end of a stopped turn, or an unsolicited message. Returns whether it is shown. */
  receiveMessage(text: string): boolean {
    const { agentAnswer } = this;
    const isAnswer = this.receiveChunk(text);
    agentAnswer?.finish();
    if (isAnswer) return true;
    const isStale = agentAnswer !== undefined;
    if (!isStale) this.deps.engine.report(answerMessageEvents(this.id, text));
    return !isStale;
  }

  didReadFile(path: string, content: string): void {
    const { answer } = this;
    if (!answer) return;
    const callId = `${answer.requestId}-read-${++answer.readCount}`;
    this.deps.engine.report(createReadFileEvents(this.id, callId, path, content));
  }

  /** Ends the turn in which the agent has asked for something without a prompt, if there is one. */
  endUnpromptedTurn(stopReason: 'end_turn' | 'cancelled'): void {
    const { engine, id } = this.deps;
    if (this.turn !== 'agent') return;
    engine.turns.apply({ type: 'ended' });
    const data = { session_id: id, response: '', stop_reason: stopReason };
    engine.reportBoundary([{ event: 'prompt:complete', data }]);
  }

  /** Fails the current turn and closes the session, because the agent has ended. */
  fail(error: BackendError): void {
    this.failTurn(this.deps.engine.turns.signal, error);
    this.endSession('agent stopped');
  }

  /** Runs a turn to its end. Never rejects; failures become events. */
  private async runTurn(requestId: string, message: string, signal: AbortSignal): Promise<void> {
    const { clock, engine, proposals } = this.deps;
    const { turns } = engine;
    try {
      await withDeadline(clock, 'The agent', drainTimeoutMs, async () => this.agentAnswer?.finished);
      if (!turns.isOpen(signal)) return;
      const answer = newAnswer(requestId);
      this.stage = { kind: 'answering', answer };
      await this.sendToAgent(answer, message);
      if (!turns.isOpen(signal)) return;
      const decided = proposals.offerProposals(answer.text, requestId, signal);
      this.stage = { kind: 'proposing', decided };
      await decided;
      if (!signal.aborted) this.endTurn(signal, 'end_turn');
    } catch (error) {
      this.failTurn(signal, error);
    }
  }

  /** Resolves when the agent has finished the prompt. */
  private async sendToAgent(answer: Answer, message: string): Promise<void> {
    const { answerEndsWith, send } = this.deps;
    this.agentAnswer = answer;
    try {
      await send(message);
      if (answerEndsWith === 'result') answer.finish();
      await answer.finished;
    } finally {
      answer.finish();
      if (this.agentAnswer === answer) this.agentAnswer = undefined;
    }
  }

  private endTurn(signal: AbortSignal | undefined, stopReason: 'end_turn' | 'cancelled'): void {
    this.reportEnd(signal, (about) => ({
      event: 'prompt:complete',
      data: { ...about, response: '', stop_reason: stopReason },
    }));
  }

  private failTurn(signal: AbortSignal | undefined, thrown: unknown): void {
    const { code, details, message } = toBackendError(thrown);
    this.reportEnd(signal, (about) => ({
      event: 'error',
      data: { ...about, error: message, code, ...withoutUndefined({ details }) },
    }));
  }

  /** Ends the turn with this signal, if it is open, with the event that `end` returns. */
  private reportEnd(
    signal: AbortSignal | undefined,
    end: (about: { readonly session_id: string; readonly request_id: string }) => SessionEvent,
  ): void {
    const { engine, id } = this.deps;
    const { open } = engine.turns.state;
    if (open?.kind !== 'own' || !engine.turns.isOpen(signal)) return;
    engine.turns.abort();
    engine.turns.apply({ type: 'ended' });
    engine.reportBoundary([end({ session_id: id, request_id: open.requestId })]);
  }

  private endSession(reason: string): void {
    const { engine, onDidClose } = this.deps;
    if (engine.turns.state.isClosed) return;
    this.endTurn(engine.turns.signal, 'cancelled');
    this.endUnpromptedTurn('cancelled');
    this.agentAnswer?.finish();
    engine.end([], reason);
    onDidClose();
  }
}

function newAnswer(requestId: string): Answer {
  const { promise: finished, resolve: finish }: PromiseWithResolvers<void> = Promise.withResolvers();
  return { requestId, text: '', readCount: 0, finished, finish };
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
