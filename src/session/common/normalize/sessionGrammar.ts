import type { EventData, SessionEvent } from '../sessionEvents';
import type { SessionRule } from './sessionRules';

export interface Violation {
  readonly rule: SessionRule;
  readonly event: SessionEvent;
  /** 0-based index of the event. */
  readonly index: number;
}

/** `unasked`: started by the agent without a prompt. `unheard`: may have been open before the first event. */
type Turn = 'none' | 'unheard' | 'unasked' | 'asked';

/** Checks whether the events of one session, from the first one on, comply with the normal form. */
export class SessionGrammar {
  private taken = 0;
  private sessionId: string | undefined;
  private hasEnded = false;
  private turn: Turn = 'unheard';
  /** The state after a turn. A replayed history does not change it. */
  private between: 'none' | 'unheard' = 'unheard';
  private nextBlock = 0;
  private readonly openBlocks = new Set<number>();
  /** Text of all blocks of the turn. */
  private text = '';
  private thought: string | undefined;
  /** The previous event, if it ended a thought. */
  private toldThought: string | undefined;
  private readonly begunCalls = new Set<string>();
  private readonly openCalls = new Set<string>();
  private readonly questions = new Set<string>();

  /** Returns the violated rule, if any, and continues as if the event had been valid. */
  take(event: SessionEvent): Violation | undefined {
    const rule = this.brokenEverywhere(event) ?? this.brokenBy(event);
    const index = this.taken++;
    this.sessionId ??= event.data.session_id;
    this.follow(event);
    return rule && { rule, event, index };
  }

  private brokenEverywhere({ event, data }: SessionEvent): SessionRule | undefined {
    if (this.hasEnded) return 'nothing follows session:end';
    if (this.taken === 0 && event !== 'session:start') return 'session:start comes first';
    if (this.taken > 0 && event === 'session:start') return 'session:start comes once';
    if (this.taken > 0 && data.session_id !== this.sessionId) return 'all events are of one session';
    return undefined;
  }

  private brokenBy({ event, data }: SessionEvent): SessionRule | undefined {
    switch (event) {
      case 'session:end':
      case 'prompt:submit':
        return this.turn === 'asked' ? 'an asked turn ends before what follows it' : this.leftOpen();
      case 'prompt:complete':
        if (this.turn === 'none') return 'only a turn that is open ends';
        return this.leftOpen() ?? this.brokenByResponse(data.response);
      case 'error':
        return this.leftOpen();
      case 'content_block:start':
        if (this.thought !== undefined) return 'no block begins or goes on in a thought';
        return data.block_index === this.nextBlock ? undefined : 'blocks count from 0 in each turn';
      case 'content_block:delta':
        return data.delta === '' ? 'a delta is never empty' : this.brokenInBlock(data.block_index);
      case 'content_block:media':
        return this.brokenInBlock(data.block_index);
      case 'content_block:end':
        return this.openBlocks.has(data.block_index) ? undefined : 'only an open block goes on or ends';
      case 'thinking:delta':
        return data.delta === '' ? 'a delta is never empty' : undefined;
      case 'thinking:final':
        return this.brokenByThought(data.thinking);
      case 'tool:pre':
        if (data.call_id === undefined || data.kind === undefined) return 'a call has an id and a kind';
        return this.openCalls.has(data.call_id) ? 'a call begins once' : undefined;
      case 'tool:update':
        return this.begunCalls.has(data.call_id) ? undefined : 'only a call that has begun is updated';
      case 'tool:post':
      case 'tool:error':
        return this.openCalls.has(data.call_id ?? '') ? undefined : 'only an open call ends';
      case 'approval:required':
        return this.brokenByQuestion(data);
      case 'approval:granted':
      case 'approval:denied':
        return this.questions.has(data.approval_id) ? undefined : 'only a question that waits is answered';
      default:
        return undefined;
    }
  }

  private leftOpen(): SessionRule | undefined {
    if (this.openBlocks.size > 0) return 'no block stays open';
    if (this.thought !== undefined) return 'no thought stays open';
    if (this.openCalls.size > 0) return 'no call stays open';
    if (this.questions.size > 0) return 'no question stays open';
    return undefined;
  }

  private brokenByResponse(response: string): SessionRule | undefined {
    const isTold = shown(this.text).includes(shown(response));
    return isTold ? undefined : 'a response has no text that the blocks had not';
  }

  private brokenInBlock(index: number): SessionRule | undefined {
    if (this.thought !== undefined) return 'no block begins or goes on in a thought';
    return this.openBlocks.has(index) ? undefined : 'only an open block goes on or ends';
  }

  private brokenByThought(thinking: string): SessionRule | undefined {
    if (this.thought === undefined) return thinking === this.toldThought ? 'a thought is told once' : undefined;
    return shown(thinking) === shown(this.thought) ? undefined : 'a thought ends as it was told';
  }

  private brokenByQuestion({ approval_id, call_id }: EventData<'approval:required'>): SessionRule | undefined {
    if (this.questions.has(approval_id)) return 'a question is asked once';
    if (call_id === undefined) return this.openCalls.size === 1 ? 'a question names the only open call' : undefined;
    return this.begunCalls.has(call_id) ? undefined : 'a question is of a call that has begun';
  }

  private follow({ event, data }: SessionEvent): void {
    switch (event) {
      case 'session:end':
        this.hasEnded = true;
        break;
      case 'prompt:submit':
        if (!data.replayed) this.between = 'none';
        this.closeTurn('asked');
        break;
      case 'prompt:complete':
        if (this.turn === 'unheard') this.between = 'none';
        this.closeTurn(this.between);
        break;
      case 'error':
        this.closeTurn(this.between);
        break;
      case 'content_block:start':
        this.inTurn();
        this.nextBlock = data.block_index + 1;
        this.openBlocks.add(data.block_index);
        break;
      case 'content_block:delta':
        this.text += data.delta;
        break;
      case 'content_block:end':
        this.openBlocks.delete(data.block_index);
        break;
      case 'thinking:delta':
        this.inTurn();
        this.thought = (this.thought ?? '') + data.delta;
        break;
      case 'thinking:final':
        this.inTurn();
        this.thought = undefined;
        this.toldThought = data.thinking;
        break;
      case 'tool:pre':
        this.inTurn();
        if (data.call_id === undefined) break;
        this.openCalls.add(data.call_id);
        this.begunCalls.add(data.call_id);
        break;
      case 'tool:post':
      case 'tool:error':
        this.openCalls.delete(data.call_id ?? '');
        break;
      case 'approval:required':
        this.inTurn();
        this.questions.add(data.approval_id);
        break;
      case 'approval:granted':
      case 'approval:denied':
        this.questions.delete(data.approval_id);
        break;
      default:
    }
  }

  private inTurn(): void {
    this.toldThought = undefined;
    if (this.turn === 'none') this.turn = 'unasked';
  }

  private closeTurn(next: Turn): void {
    this.turn = next;
    this.nextBlock = 0;
    this.text = '';
    this.thought = undefined;
    this.toldThought = undefined;
    for (const open of [this.openBlocks, this.openCalls, this.questions]) open.clear();
  }
}

/** Ignores white space, which may differ in repeated text. */
function shown(text: string): string {
  return text.replace(/\s+/gu, '');
}
