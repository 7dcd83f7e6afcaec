import { endsWithText, isSameText, textAfter } from '../../../base/common/spacing';
import { ToolKind, type EventData, type EventOf, type SessionEvent } from '../sessionEvents';
import { ContentBlocks } from './contentBlocks';
import { OpenApprovals } from './openApprovals';
import { SessionCalls } from './sessionCalls';
import { Thoughts } from './thoughts';

interface Turn {
  /** Undefined for a turn without a prompt of this client. */
  readonly prompt: EventData<'prompt:submit'> | undefined;
  readonly blocks: ContentBlocks;
}

export interface NormalizerOptions {
  /** Text already received of a turn that is open when the session is resumed; its end repeats it. */
  readonly heard?: string;
  /** Warn about denied calls that succeeded. Not for agents, which report a denial as success. */
  readonly warnsOfDeniedRuns?: boolean;
  /** Prefix of generated call ids; default `call`. Must be unique for each resumed session, to not match earlier ids. */
  readonly callIdPrefix?: string;
}

/**
 * Converts the events of one session to the normal form of docs/architecture.md: complete turns in which everything
 * starts and ends exactly once. Passes on normal events unchanged.
 */
export class SessionNormalizer {
  private readonly calls: SessionCalls;
  private readonly questions: OpenApprovals;
  /** Kept after the turn, for late events. */
  private thoughts: Thoughts;
  /** Wire indexes of open blocks that are thoughts. */
  private readonly thinkingBlocks = new Set<number>();
  private turn: Turn | undefined;
  private hasBegun = false;
  private hasEnded = false;
  /** Whether a turn may have been running when the session was resumed: no prompt and no end has arrived since. */
  private mayBeInTurn = true;
  /** Text of the open turn from before the session was resumed. */
  private heardBefore: string;
  /** The last warning about a denied call, to drop the identical one of a chained server. */
  private warning: string | undefined;

  constructor(
    private readonly emit: (event: SessionEvent) => void,
    private readonly options: NormalizerOptions = {},
  ) {
    this.heardBefore = options.heard ?? '';
    this.calls = new SessionCalls(emit, options.callIdPrefix ?? 'call');
    this.questions = new OpenApprovals(emit);
    this.thoughts = new Thoughts(emit);
  }

  /** Text of the open turn so far. */
  get heard(): string {
    return [this.heardBefore, this.turn?.blocks.text ?? ''].filter((text) => text !== '').join('\n\n');
  }

  normalize(event: SessionEvent): void {
    if (this.hasEnded) return;
    if (!this.hasBegun) this.begin(event);
    switch (event.event) {
      case 'content_block:delta':
      case 'content_block:start':
      case 'content_block:media':
      case 'content_block:end':
        this.block(event);
        break;
      case 'thinking:delta':
        if (event.data.delta !== '') this.think(event);
        break;
      case 'thinking:final':
        if (this.thoughts.isNews(event)) this.think(event);
        break;
      case 'tool:pre':
      case 'tool:update':
      case 'tool:post':
      case 'tool:error':
        this.tool(event);
        break;
      case 'approval:required':
        this.asked(event);
        break;
      case 'approval:granted':
      case 'approval:denied':
        this.answered(event);
        break;
      case 'prompt:submit':
        this.submitted(event);
        break;
      case 'prompt:complete':
        this.completed(event.data);
        break;
      case 'error':
        this.closeParts(event.data.session_id, 'The turn failed.');
        this.emit(event);
        break;
      case 'session:start':
        break;
      case 'session:end':
        this.endTurn(event.data.session_id);
        this.hasEnded = true;
        this.emit(event);
        break;
      case 'notice':
        if (event.data.message !== this.warning) this.emit(event);
        else this.warning = undefined;
        break;
      default:
        this.emit(event);
    }
  }

  private begin(event: SessionEvent): void {
    this.hasBegun = true;
    const data = { session_id: event.data.session_id };
    this.emit(event.event === 'session:start' ? event : { event: 'session:start', data });
  }

  private submitted(event: EventOf<'prompt:submit'>): void {
    const { data } = event;
    this.endTurn(data.session_id);
    if (!data.replayed) this.mayBeInTurn = false;
    this.thoughts = new Thoughts(this.emit);
    this.turn = this.createTurn(data.session_id, data);
    this.emit(event);
  }

  private block(event: EventOf<`content_block:${'delta' | 'start' | 'media' | 'end'}`>): void {
    const { block_index: index, session_id } = event.data;
    switch (event.event) {
      case 'content_block:delta':
        if (event.data.delta === '') return;
        if (this.thinkingBlocks.has(index)) {
          this.think({ event: 'thinking:delta', data: { session_id, delta: event.data.delta } });
          return;
        }
        this.thoughts.end(session_id);
        this.turnOf(event).blocks.delta(event);
        return;
      case 'content_block:media':
        this.thoughts.end(session_id);
        this.turnOf(event).blocks.media(event);
        return;
      case 'content_block:start':
        this.endBlock(event.data);
        if (isThought(event.data.block_type)) {
          this.thinkingBlocks.add(index);
          return;
        }
        this.thoughts.end(session_id);
        this.turnOf(event).blocks.start(event);
        return;
      case 'content_block:end':
        this.endBlock(event.data);
    }
  }

  private endBlock({ block_index: index, session_id }: EventData<'content_block:end'>): void {
    if (this.thinkingBlocks.delete(index)) this.thoughts.end(session_id);
    else this.turn?.blocks.end(index);
  }

  private think(event: EventOf<'thinking:delta' | 'thinking:final'>): void {
    const { blocks } = this.turnOf(event);
    if (!this.thoughts.isOpen) blocks.endStep();
    if (event.event === 'thinking:delta') this.thoughts.delta(event);
    else this.thoughts.final(event);
  }

  private tool(event: EventOf<'tool:pre' | 'tool:update' | 'tool:post' | 'tool:error'>): void {
    const { calls } = this;
    const isUpdate = event.event === 'tool:update' && calls.isOpen(event.data.call_id);
    const isLate = event.event !== 'tool:pre' && calls.isEnded(event.data.call_id);
    if (!isUpdate && !isLate) this.pause(event);
    if (event.event === 'tool:pre') calls.pre(event);
    else if (event.event === 'tool:update') calls.update(event);
    else if (event.event === 'tool:error') calls.error(event);
    else this.warnOf(event, calls.post(event));
  }

  private warnOf({ data }: EventOf<'tool:post'>, denied: { readonly operation: string } | undefined): void {
    if (!denied || !data.result.success || !this.options.warnsOfDeniedRuns) return;
    const message = `The server ran ${denied.operation} although it was denied. Check what it did and stop the server.`;
    this.warning = message;
    this.emit({ event: 'notice', data: { session_id: data.session_id, level: 'error', message } });
  }

  private asked(event: EventOf<'approval:required'>): void {
    const { approval_id, call_id: call, context, session_id } = event.data;
    if (this.questions.has(approval_id)) return;
    this.pause(event);
    if (call !== undefined) this.calls.expect(session_id, call, ToolKind.safeParse(context?.['kind']).data);
    this.questions.ask(event, this.calls.onlyOpenId);
  }

  private answered(event: EventOf<'approval:granted' | 'approval:denied'>): void {
    const call = this.questions.answer(event);
    if (call !== undefined) this.calls.decide(call, event.event === 'approval:denied');
  }

  private completed(data: EventData<'prompt:complete'>): void {
    if (!this.turn && !this.mayBeInTurn) return;
    const wasUnheard = this.mayBeInTurn && !this.turn?.prompt;
    if (wasUnheard) this.mayBeInTurn = false;
    const { blocks } = this.turnOf({ data });
    this.thoughts.end(data.session_id);
    const told = textAfter(this.heardBefore, data.response) ?? data.response;
    // The response includes text from before a client joined in the middle of the turn.
    const isHead = wasUnheard && blocks.text.trim() !== '' && endsWithText(told, blocks.text);
    if (!isHead) blocks.complete(told);
    this.closeParts(
      data.session_id,
      data.stop_reason === 'cancelled' ? 'Canceled.' : 'The turn ended before this call.',
    );
    const response = isSameText(blocks.text, told) ? told : blocks.text;
    this.emit({ event: 'prompt:complete', data: response === data.response ? data : { ...data, response } });
  }

  /** Ends the open thought and step before a tool call or approval. */
  private pause(event: { readonly data: { readonly session_id: string } }): void {
    const { blocks } = this.turnOf(event);
    this.thoughts.end(event.data.session_id);
    blocks.endStep();
  }

  /** Returns the open turn. Creates one if the agent acts without a prompt. */
  private turnOf({ data }: { readonly data: { readonly session_id: string } }): Turn {
    return (this.turn ??= this.createTurn(data.session_id, undefined));
  }

  private createTurn(sessionId: string, prompt: Turn['prompt']): Turn {
    return { prompt, blocks: new ContentBlocks(sessionId, this.emit) };
  }

  /** Ends the open turn before an event between turns. In a replayed history, the reason is unknown. */
  private endTurn(sessionId: string): void {
    const { turn } = this;
    const prompt = turn?.prompt;
    this.closeParts(sessionId, 'The turn ended before this call.');
    if (!turn || !prompt) return;
    const about = prompt.request_id === undefined ? {} : { request_id: prompt.request_id };
    const stop = prompt.replayed ? {} : { stop_reason: 'interrupted' as const };
    const data = { session_id: sessionId, ...about, response: turn.blocks.text, ...stop };
    this.emit({ event: 'prompt:complete', data });
  }

  /** Closes everything that is still open in the turn. */
  private closeParts(sessionId: string, reason: string): void {
    const { turn } = this;
    this.turn = undefined;
    this.heardBefore = '';
    this.thinkingBlocks.clear();
    this.thoughts.end(sessionId);
    turn?.blocks.endAll();
    this.questions.endAll(sessionId);
    this.calls.endAll(sessionId, reason);
  }
}

function isThought(blockType: string): boolean {
  return /think|reason/i.test(blockType);
}
