import {
  endsWithIgnoringSpace,
  isEqualIgnoringSpace,
  textAfterPrefixIgnoringSpace,
} from '../../../base/common/text/ignoringSpace';
import { ToolKind, type EventData, type EventOf, type SessionEvent } from '../sessionEvents';
import { ContentBlockNormalizer } from './contentBlockNormalizer';
import { OpenApprovals } from './openApprovals';
import { SessionToolCalls } from './sessionToolCalls';
import { ThoughtNormalizer } from './thoughtNormalizer';

interface Turn {
  /** The prompt that started the turn; undefined if this client did not send one. */
  readonly prompt: EventData<'prompt:submit'> | undefined;
  readonly blocks: ContentBlockNormalizer;
}

export interface NormalizerOptions {
  /** The text that the open turn had before the session was resumed. The event that ends the turn contains it again. */
  readonly textBeforeResume?: string;
  /** Whether to warn about denied calls that succeeded. False for agents, because they report a denial as success. */
  readonly warnsAboutDeniedRuns?: boolean;
  /** Prefix of generated call ids; default `call`. Must be a new one each time a session is resumed. */
  readonly callIdPrefix?: string;
}

/** Converts events to the normal form of docs/architecture.md: in each turn, everything starts and ends once. */
export class SessionNormalizer {
  private readonly toolCalls: SessionToolCalls;
  private readonly openApprovals: OpenApprovals;
  /** The thoughts of the last turn, kept for late events. */
  private thoughts: ThoughtNormalizer;
  /** Wire indexes of open blocks that are thoughts. */
  private readonly thoughtBlockIndexes = new Set<number>();
  private openTurn: Turn | undefined;
  private hasEmittedStart = false;
  private hasEnded = false;
  /** Whether a turn from before the resume may still be running: no prompt and no end has arrived since. */
  private mayBeInResumedTurn = true;
  /** The text of the open turn that was received before the session was resumed. */
  private textBeforeResume: string;
  /** The last warning about a denied call. Used to drop an identical warning from a server that relays this one. */
  private lastDeniedRunWarning: string | undefined;

  constructor(
    private readonly emit: (event: SessionEvent) => void,
    private readonly options: NormalizerOptions = {},
  ) {
    this.textBeforeResume = options.textBeforeResume ?? '';
    this.toolCalls = new SessionToolCalls(emit, options.callIdPrefix ?? 'call');
    this.openApprovals = new OpenApprovals(emit);
    this.thoughts = new ThoughtNormalizer(emit);
  }

  get emittedTurnText(): string {
    return [this.textBeforeResume, this.openTurn?.blocks.text ?? ''].filter((text) => text !== '').join('\n\n');
  }

  normalize(event: SessionEvent): void {
    if (this.hasEnded) return;
    if (!this.hasEmittedStart) this.emitStart(event);
    switch (event.event) {
      case 'content_block:delta':
      case 'content_block:start':
      case 'content_block:media':
      case 'content_block:end':
        this.handleBlock(event);
        break;
      case 'thinking:delta':
        if (event.data.delta !== '') this.handleThought(event);
        break;
      case 'thinking:final':
        if (this.thoughts.hasUnsentText(event)) this.handleThought(event);
        break;
      case 'tool:pre':
      case 'tool:update':
      case 'tool:post':
      case 'tool:error':
        this.handleToolCall(event);
        break;
      case 'approval:required':
        this.handleApprovalRequired(event);
        break;
      case 'approval:granted':
      case 'approval:denied':
        this.handleApprovalResolved(event);
        break;
      case 'prompt:submit':
        this.startPromptedTurn(event);
        break;
      case 'prompt:complete':
        this.handlePromptComplete(event.data);
        break;
      case 'error':
        this.closeOpenParts(event.data.session_id, 'The turn failed.');
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
        if (event.data.message !== this.lastDeniedRunWarning) this.emit(event);
        else this.lastDeniedRunWarning = undefined;
        break;
      default:
        this.emit(event);
    }
  }

  private emitStart(event: SessionEvent): void {
    this.hasEmittedStart = true;
    const data = { session_id: event.data.session_id };
    this.emit(event.event === 'session:start' ? event : { event: 'session:start', data });
  }

  private startPromptedTurn(event: EventOf<'prompt:submit'>): void {
    const { data } = event;
    this.endTurn(data.session_id);
    if (!data.replayed) this.mayBeInResumedTurn = false;
    this.thoughts = new ThoughtNormalizer(this.emit);
    this.openTurn = this.createTurn(data.session_id, data);
    this.emit(event);
  }

  private handleBlock(event: EventOf<`content_block:${'delta' | 'start' | 'media' | 'end'}`>): void {
    const { block_index: index, session_id } = event.data;
    switch (event.event) {
      case 'content_block:delta':
        if (event.data.delta === '') return;
        if (this.thoughtBlockIndexes.has(index)) {
          this.handleThought({ event: 'thinking:delta', data: { session_id, delta: event.data.delta } });
          return;
        }
        this.thoughts.endOpenThought(session_id);
        this.ensureTurn(event).blocks.addDelta(event);
        return;
      case 'content_block:media':
        this.thoughts.endOpenThought(session_id);
        this.ensureTurn(event).blocks.addMedia(event);
        return;
      case 'content_block:start':
        this.endBlock(event.data);
        if (isThought(event.data.block_type)) {
          this.thoughtBlockIndexes.add(index);
          return;
        }
        this.thoughts.endOpenThought(session_id);
        this.ensureTurn(event).blocks.startBlock(event);
        return;
      case 'content_block:end':
        this.endBlock(event.data);
    }
  }

  private endBlock({ block_index: index, session_id }: EventData<'content_block:end'>): void {
    if (this.thoughtBlockIndexes.delete(index)) this.thoughts.endOpenThought(session_id);
    else this.openTurn?.blocks.endBlock(index);
  }

  private handleThought(event: EventOf<'thinking:delta' | 'thinking:final'>): void {
    const { blocks } = this.ensureTurn(event);
    if (!this.thoughts.isOpen) blocks.endStep();
    if (event.event === 'thinking:delta') this.thoughts.addDelta(event);
    else this.thoughts.addFinal(event);
  }

  private handleToolCall(event: EventOf<'tool:pre' | 'tool:update' | 'tool:post' | 'tool:error'>): void {
    const { toolCalls } = this;
    const isUpdate = event.event === 'tool:update' && toolCalls.isOpen(event.data.call_id);
    const isLate = event.event !== 'tool:pre' && toolCalls.isEnded(event.data.call_id);
    if (!isUpdate && !isLate) this.endStep(event);
    if (event.event === 'tool:pre') toolCalls.startCall(event);
    else if (event.event === 'tool:update') toolCalls.updateCall(event);
    else if (event.event === 'tool:error') toolCalls.failCall(event);
    else this.warnIfDeniedCallRan(event, toolCalls.completeCall(event));
  }

  private warnIfDeniedCallRan(
    { data }: EventOf<'tool:post'>,
    deniedCall: { readonly operation: string } | undefined,
  ): void {
    if (!deniedCall || !data.result.success || !this.options.warnsAboutDeniedRuns) return;
    const message = `The server ran ${deniedCall.operation} although it was denied. Check what it did and stop the server.`;
    this.lastDeniedRunWarning = message;
    this.emit({ event: 'notice', data: { session_id: data.session_id, level: 'error', message } });
  }

  private handleApprovalRequired(event: EventOf<'approval:required'>): void {
    const { approval_id, call_id: call, context, session_id } = event.data;
    if (this.openApprovals.has(approval_id)) return;
    this.endStep(event);
    if (call !== undefined) this.toolCalls.ensureStarted(session_id, call, ToolKind.safeParse(context?.['kind']).data);
    this.openApprovals.addApproval(event, this.toolCalls.onlyOpenId);
  }

  private handleApprovalResolved(event: EventOf<'approval:granted' | 'approval:denied'>): void {
    const call = this.openApprovals.closeApproval(event);
    if (call !== undefined) this.toolCalls.setDenied(call, event.event === 'approval:denied');
  }

  private handlePromptComplete(data: EventData<'prompt:complete'>): void {
    if (!this.openTurn && !this.mayBeInResumedTurn) return;
    const wasUnheard = this.mayBeInResumedTurn && !this.openTurn?.prompt;
    if (wasUnheard) this.mayBeInResumedTurn = false;
    const { blocks } = this.ensureTurn({ data });
    this.thoughts.endOpenThought(data.session_id);
    const reportedText = textAfterPrefixIgnoringSpace(this.textBeforeResume, data.response) ?? data.response;
    // The response includes text that was sent before this client joined the turn.
    const isHead = wasUnheard && blocks.text.trim() !== '' && endsWithIgnoringSpace(reportedText, blocks.text);
    if (!isHead) blocks.addMissingTextAndEndBlocks(reportedText);
    this.closeOpenParts(
      data.session_id,
      data.stop_reason === 'cancelled' ? 'Canceled.' : 'The turn ended before this call finished.',
    );
    const response = isEqualIgnoringSpace(blocks.text, reportedText) ? reportedText : blocks.text;
    this.emit({ event: 'prompt:complete', data: response === data.response ? data : { ...data, response } });
  }

  /** Ends the open thought and step before a tool call or approval. */
  private endStep(event: { readonly data: { readonly session_id: string } }): void {
    const { blocks } = this.ensureTurn(event);
    this.thoughts.endOpenThought(event.data.session_id);
    blocks.endStep();
  }

  /** Returns the open turn. Creates one if the agent acts without a prompt. */
  private ensureTurn({ data }: { readonly data: { readonly session_id: string } }): Turn {
    return (this.openTurn ??= this.createTurn(data.session_id, undefined));
  }

  private createTurn(sessionId: string, prompt: Turn['prompt']): Turn {
    return { prompt, blocks: new ContentBlockNormalizer(sessionId, this.emit) };
  }

  /** Ends the open turn before an event between turns. In a replayed history, the reason is unknown. */
  private endTurn(sessionId: string): void {
    const { openTurn: turn } = this;
    const prompt = turn?.prompt;
    this.closeOpenParts(sessionId, 'The turn ended before this call finished.');
    if (!turn || !prompt) return;
    const about = prompt.request_id === undefined ? {} : { request_id: prompt.request_id };
    const stop = prompt.replayed ? {} : { stop_reason: 'interrupted' as const };
    const data = { session_id: sessionId, ...about, response: turn.blocks.text, ...stop };
    this.emit({ event: 'prompt:complete', data });
  }

  private closeOpenParts(sessionId: string, reason: string): void {
    const { openTurn: turn } = this;
    this.openTurn = undefined;
    this.textBeforeResume = '';
    this.thoughtBlockIndexes.clear();
    this.thoughts.endOpenThought(sessionId);
    turn?.blocks.endAllBlocks();
    this.openApprovals.denyAll(sessionId);
    this.toolCalls.endAllCalls(sessionId, reason);
  }
}

function isThought(blockType: string): boolean {
  return /think|reason/i.test(blockType);
}
