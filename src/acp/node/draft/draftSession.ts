import { withDeadline, type Clock } from '../../../base/common/async';
import { messageOf, TimeoutError, toError } from '../../../base/common/errors';
import type { EventLog } from '../../../session/common/eventLog';
import type { SessionEvent, ConfigOption, SlashCommand } from '../../../session/common/sessionEvents';
import {
  BackendError,
  type BackendSession,
  type PromptAttachment,
  type PromptInput,
  type SequencedEvent,
} from '../../../session/common/sessionBackend';
import { historyEvents, readFileEvents } from '../../common/draft/draftHistory';
import type { ThreadEntry } from '../../common/draft/draftSchema';
import type { Approvals } from '../../common/approvals/approvals';
import { MessageBlocks } from '../../common/v1/messageBlocks';
import type { ProposalDesk } from './proposalDesk';

interface DraftSessionOptions {
  /** The thread's id. */
  readonly id: string;
  readonly events: EventLog;
  readonly clock: Clock;
  readonly createRequestId: () => string;
  /** Gives the user's message to the agent. @throws BackendError */
  readonly send: (text: string) => Promise<void>;
  /** `result`: the answer is complete when `send` is. `message`: when the agent has sent a message. */
  readonly endsWith: 'result' | 'message';
  readonly didClose: () => void;
  /** Whom the user answers. */
  readonly approvals: Approvals;
  readonly proposals: ProposalDesk;
}

interface Turn {
  readonly requestId: string;
  /** The agent has been given this prompt, so what it says belongs to it. */
  isSent: boolean;
  text: string;
  reads: number;
  readonly abort: AbortController;
  /** Settles when what the answer proposes has been decided on. Never rejects. */
  proposing: Promise<void>;
  /** The agent has finished, whether or not anybody still listens. */
  finish(): void;
  readonly finished: Promise<void>;
}

/** How long a prompt waits for the agent to finish one that was cancelled. */
const drainTimeoutMs = 30_000;

/**
 * A thread of an agent that speaks the draft, as a session. The draft cannot cancel: a stopped turn ends here, what the
 * agent still says to it is dropped, and the next prompt waits until the agent is done with it.
 */
export class DraftSession implements BackendSession {
  readonly config: readonly ConfigOption[] = [];
  readonly commands: readonly SlashCommand[] = [];
  private readonly blocks: MessageBlocks;
  private turn: Turn | undefined;
  /** One that was stopped while the agent worked on it. */
  private lateTurn: Turn | undefined;
  private draining: Promise<void> = Promise.resolve();
  private isClosed = false;

  constructor(private readonly options: DraftSessionOptions) {
    this.blocks = new MessageBlocks(options.id);
  }

  get id(): string {
    return this.options.id;
  }

  get isBusy(): boolean {
    return this.turn !== undefined;
  }

  start(history: readonly ThreadEntry[] = []): void {
    this.emit({ event: 'session:start', data: { session_id: this.id } }, ...historyEvents(this.id, history));
  }

  events(options?: { afterSequence?: number; signal?: AbortSignal }): AsyncIterable<SequencedEvent> {
    return this.options.events.read(options);
  }

  async prompt({ text, attachments = [] }: PromptInput): Promise<{ requestId: string }> {
    if (this.isClosed) throw new BackendError('closed', 'This session is closed. Start another one.');
    if (this.turn) throw new BackendError('busy', 'The agent is still answering. Stop it, or wait for its answer.');
    const message = [text, ...attachments.map(textOfAttachment)].join('\n\n');
    const turn = newTurn(this.options.createRequestId());
    const { requestId } = turn;
    this.turn = turn;
    this.emit({ event: 'prompt:submit', data: { session_id: this.id, prompt: text, request_id: requestId } });
    void this.run(turn, message);
    return await Promise.resolve({ requestId });
  }

  async cancel(): Promise<void> {
    const { turn } = this;
    if (!turn) return;
    turn.abort.abort();
    await turn.proposing;
    this.endTurn(turn, 'cancelled');
  }

  approve(approvalId: string, option: string): Promise<void> {
    return Promise.resolve().then(() => this.options.approvals.answer(approvalId, option));
  }

  setConfig(): Promise<void> {
    return Promise.reject(new BackendError('unsupported', 'Agents of the draft protocol have no settings.'));
  }

  close(): Promise<void> {
    this.end('closed');
    return Promise.resolve();
  }

  dispose(): void {
    this.end('closed');
  }

  /** A part of the answer. Returns whether there is a turn that it belongs to. */
  receiveChunk(text: string): boolean {
    const { turn } = this;
    if (!turn?.isSent) return false;
    turn.text += text;
    this.emit(...this.blocks.text(text, undefined));
    return true;
  }

  /**
   * A whole message of the agent: the answer, the end of one that was cancelled, or something it says by itself.
   * Returns whether it is shown.
   */
  receiveMessage(text: string): boolean {
    const { turn } = this;
    if (turn?.isSent) {
      this.receiveChunk(text);
      turn.finish();
      return true;
    }
    const isStale = this.lateTurn !== undefined;
    this.lateTurn?.finish();
    if (!isStale) this.emit(...this.blocks.text(text, undefined), ...this.blocks.close());
    return !isStale;
  }

  didReadFile(path: string, content: string): void {
    const { turn } = this;
    if (!turn?.isSent) return;
    const callId = `${turn.requestId}-read-${++turn.reads}`;
    this.emit(...this.blocks.close(), ...readFileEvents(this.id, callId, path, content));
  }

  /** The agent is gone: the turn ends with the reason, and the session can only be read. */
  fail(error: BackendError): void {
    if (this.turn) this.failTurn(this.turn, error);
    this.end('agent stopped');
  }

  private async run(turn: Turn, message: string): Promise<void> {
    const { clock, endsWith, proposals, send } = this.options;
    try {
      await withDeadline(clock, 'The agent', drainTimeoutMs, () => this.draining);
      if (this.turn !== turn) return;
      turn.isSent = true;
      this.draining = turn.finished;
      await send(message);
      if (endsWith === 'result') turn.finish();
      await turn.finished;
      if (this.turn !== turn) return;
      turn.isSent = false;
      this.emit(...this.blocks.close());
      turn.proposing = proposals.offer(turn.text, turn.requestId, turn.abort.signal);
      await turn.proposing;
      if (!turn.abort.signal.aborted) this.endTurn(turn, 'end_turn');
    } catch (error) {
      this.failTurn(turn, error);
    } finally {
      if (this.lateTurn === turn) this.lateTurn = undefined;
    }
  }

  private endTurn(turn: Turn, stopReason: 'end_turn' | 'cancelled'): void {
    if (this.turn !== turn) return;
    this.turn = undefined;
    this.giveUp(turn);
    if (stopReason === 'cancelled' && turn.isSent) this.lateTurn = turn;
    this.emit(...this.blocks.close());
    this.blocks.restart();
    const about = { session_id: this.id, request_id: turn.requestId };
    this.emit({ event: 'prompt:complete', data: { ...about, response: turn.text, stop_reason: stopReason } });
  }

  private failTurn(turn: Turn, thrown: unknown): void {
    turn.finish();
    if (this.turn !== turn) return;
    this.turn = undefined;
    this.giveUp(turn);
    this.emit(...this.blocks.close());
    this.blocks.restart();
    const error = toBackendError(thrown);
    const about = { session_id: this.id, request_id: turn.requestId, error: error.message, code: error.code };
    this.emit({ event: 'error', data: error.details === undefined ? about : { ...about, details: error.details } });
  }

  /** Nobody waits for an answer any more. */
  private giveUp(turn: Turn): void {
    turn.abort.abort();
    this.options.approvals.withdrawAll();
  }

  private end(reason: string): void {
    if (this.isClosed) return;
    if (this.turn) this.endTurn(this.turn, 'cancelled');
    this.isClosed = true;
    this.options.approvals.withdrawAll();
    this.lateTurn?.finish();
    this.emit({ event: 'session:end', data: { session_id: this.id, reason } });
    this.options.events.end();
    this.options.didClose();
  }

  private emit(...events: readonly SessionEvent[]): void {
    for (const event of events) this.options.events.append(event);
  }
}

function newTurn(requestId: string): Turn {
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  return {
    requestId,
    isSent: false,
    text: '',
    reads: 0,
    abort: new AbortController(),
    proposing: Promise.resolve(),
    finished,
    finish: () => finish(),
  };
}

function titleOf({ title, uri }: Extract<PromptAttachment, { type: 'text' }>): string {
  return uri === undefined ? title : `${title} (${uri})`;
}

/** The draft knows nothing but text: a file goes along by its name, and the agent reads it. */
function textOfAttachment(attachment: PromptAttachment): string {
  switch (attachment.type) {
    case 'file': {
      const { path, lines } = attachment;
      return lines ? `File: ${path} (lines ${lines.first} to ${lines.last})` : `File: ${path}`;
    }
    case 'text':
      return `${titleOf(attachment)}:\n${attachment.text}`;
    case 'image':
      throw new BackendError('unsupported', 'This agent takes no images. Remove the image and send again.');
  }
}

function toBackendError(thrown: unknown): BackendError {
  if (thrown instanceof BackendError) return thrown;
  if (thrown instanceof TimeoutError) {
    const message = 'The agent is still busy with the prompt you stopped, and its protocol cannot cancel. Restart it.';
    return new BackendError('timeout', message, undefined, { cause: thrown });
  }
  return new BackendError('backend', messageOf(thrown), undefined, { cause: toError(thrown) });
}
