import type { EventData, SessionEvent } from '../sessionEvents';

export interface GrammarViolation {
  /** The violated rule in "Sessions: the normal form" of docs/architecture.md. */
  readonly rule: string;
  readonly event: SessionEvent;
  readonly index: number;
}

/** `unprompted`: the agent started the turn without a prompt. `unheard`: one may have been open before. */
type Turn = 'none' | 'unheard' | 'unprompted' | 'prompted';

/** Checks whether the events of one session, from the first one on, comply with the normal form. */
export class SessionGrammar {
  private eventCount = 0;
  private sessionId: string | undefined;
  private hasEnded = false;
  private turnState: Turn = 'unheard';
  /** The state after a turn ends. Turns of a replayed history do not change it. */
  private stateAfterTurn: 'none' | 'unheard' = 'unheard';
  private nextBlockIndex = 0;
  private readonly openBlocks = new Set<number>();
  private turnText = '';
  private openThought: string | undefined;
  /** The text of the thought that the previous event ended, if it ended one. */
  private previousThought: string | undefined;
  private readonly startedCallIds = new Set<string>();
  private readonly openCallIds = new Set<string>();
  private readonly openApprovalIds = new Set<string>();

  /** Returns the violated rule, if any, and continues as if the event had been valid. */
  checkEvent(event: SessionEvent): GrammarViolation | undefined {
    const rule = this.findBrokenSessionRule(event) ?? this.findBrokenEventRule(event);
    const index = this.eventCount++;
    this.sessionId ??= event.data.session_id;
    this.trackEvent(event);
    return rule === undefined ? undefined : { rule, event, index };
  }

  private findBrokenSessionRule({ event, data }: SessionEvent): string | undefined {
    if (this.hasEnded) return 'nothing follows session:end';
    if (this.eventCount === 0 && event !== 'session:start') return 'session:start comes first';
    if (this.eventCount > 0 && event === 'session:start') return 'session:start comes once';
    if (this.eventCount > 0 && data.session_id !== this.sessionId) return 'all events belong to one session';
    return undefined;
  }

  private findBrokenEventRule({ event, data }: SessionEvent): string | undefined {
    switch (event) {
      case 'session:end':
      case 'prompt:submit':
        return this.turnState === 'prompted'
          ? 'a prompted turn ends before the next one'
          : this.findBrokenClosingRule();
      case 'prompt:complete':
        if (this.turnState === 'none') return 'only an open turn ends';
        return this.findBrokenClosingRule() ?? this.findBrokenResponseRule(data.response);
      case 'error':
        return this.findBrokenClosingRule();
      case 'content_block:start':
        if (this.openThought !== undefined) return 'no block starts or continues in a thought';
        return data.block_index === this.nextBlockIndex ? undefined : 'block indexes start at 0 in each turn';
      case 'content_block:delta':
        return data.delta === '' ? 'deltas are never empty' : this.findBrokenBlockRule(data.block_index);
      case 'content_block:media':
        return this.findBrokenBlockRule(data.block_index);
      case 'content_block:end':
        return this.openBlocks.has(data.block_index) ? undefined : 'only an open block continues or ends';
      case 'thinking:delta':
        return data.delta === '' ? 'deltas are never empty' : undefined;
      case 'thinking:final':
        return this.findBrokenThoughtRule(data.thinking);
      case 'tool:pre':
        if (data.call_id === undefined || data.kind === undefined) return 'a call has an id and a kind';
        return this.openCallIds.has(data.call_id) ? 'a call starts once' : undefined;
      case 'tool:update':
        return this.startedCallIds.has(data.call_id) ? undefined : 'only a call that has started is updated';
      case 'tool:post':
      case 'tool:error':
        return this.openCallIds.has(data.call_id ?? '') ? undefined : 'only an open call ends';
      case 'approval:required':
        return this.findBrokenApprovalRule(data);
      case 'approval:granted':
      case 'approval:denied':
        return this.openApprovalIds.has(data.approval_id) ? undefined : 'only a pending approval is answered';
      default:
        return undefined;
    }
  }

  private findBrokenClosingRule(): string | undefined {
    if (this.openBlocks.size > 0) return 'no block stays open';
    if (this.openThought !== undefined) return 'no thought stays open';
    if (this.openCallIds.size > 0) return 'no call stays open';
    if (this.openApprovalIds.size > 0) return 'no approval stays open';
    return undefined;
  }

  private findBrokenResponseRule(response: string): string | undefined {
    const isTold = shown(this.turnText).includes(shown(response));
    return isTold ? undefined : 'a response contains no text that is not in the blocks';
  }

  private findBrokenBlockRule(index: number): string | undefined {
    if (this.openThought !== undefined) return 'no block starts or continues in a thought';
    return this.openBlocks.has(index) ? undefined : 'only an open block continues or ends';
  }

  private findBrokenThoughtRule(thinking: string): string | undefined {
    if (this.openThought === undefined)
      return thinking === this.previousThought ? 'a thought is emitted once' : undefined;
    return shown(thinking) === shown(this.openThought) ? undefined : 'a thought ends with the emitted text';
  }

  private findBrokenApprovalRule({ approval_id, call_id }: EventData<'approval:required'>): string | undefined {
    if (this.openApprovalIds.has(approval_id)) return 'an approval is requested once';
    if (call_id === undefined) return this.openCallIds.size === 1 ? 'an approval names the only open call' : undefined;
    return this.startedCallIds.has(call_id) ? undefined : 'an approval belongs to a call that has started';
  }

  private trackEvent({ event, data }: SessionEvent): void {
    switch (event) {
      case 'session:end':
        this.hasEnded = true;
        break;
      case 'prompt:submit':
        if (!data.replayed) this.stateAfterTurn = 'none';
        this.closeTurn('prompted');
        break;
      case 'prompt:complete':
        if (this.turnState === 'unheard') this.stateAfterTurn = 'none';
        this.closeTurn(this.stateAfterTurn);
        break;
      case 'error':
        this.closeTurn(this.stateAfterTurn);
        break;
      case 'content_block:start':
        this.ensureTurnOpen();
        this.nextBlockIndex = data.block_index + 1;
        this.openBlocks.add(data.block_index);
        break;
      case 'content_block:delta':
        this.turnText += data.delta;
        break;
      case 'content_block:end':
        this.openBlocks.delete(data.block_index);
        break;
      case 'thinking:delta':
        this.ensureTurnOpen();
        this.openThought = (this.openThought ?? '') + data.delta;
        break;
      case 'thinking:final':
        this.ensureTurnOpen();
        this.openThought = undefined;
        this.previousThought = data.thinking;
        break;
      case 'tool:pre':
        this.ensureTurnOpen();
        if (data.call_id === undefined) break;
        this.openCallIds.add(data.call_id);
        this.startedCallIds.add(data.call_id);
        break;
      case 'tool:post':
      case 'tool:error':
        this.openCallIds.delete(data.call_id ?? '');
        break;
      case 'approval:required':
        this.ensureTurnOpen();
        this.openApprovalIds.add(data.approval_id);
        break;
      case 'approval:granted':
      case 'approval:denied':
        this.openApprovalIds.delete(data.approval_id);
        break;
      default:
    }
  }

  private ensureTurnOpen(): void {
    this.previousThought = undefined;
    if (this.turnState === 'none') this.turnState = 'unprompted';
  }

  private closeTurn(nextState: Turn): void {
    this.turnState = nextState;
    this.nextBlockIndex = 0;
    this.turnText = '';
    this.openThought = undefined;
    this.previousThought = undefined;
    for (const open of [this.openBlocks, this.openCallIds, this.openApprovalIds]) open.clear();
  }
}

/** Removes white space, which may differ in repeated text. */
function shown(text: string): string {
  return text.replace(/\s+/gu, '');
}
