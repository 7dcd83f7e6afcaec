import type { SessionTurn } from '../sessionTurn';
import { nextTurn, noTurn, turnOf, type TurnInput, type TurnState } from './turnState';

interface PromptRun {
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

/** The turns of one session: their state, and the work for the prompt of its own turn. */
export class SessionTurns {
  private currentState: TurnState = noTurn;
  private run: PromptRun | undefined;

  /** `onOwnTurnEnd` is called when the session accepts the next prompt, before the end of the turn is reported. */
  constructor(private readonly onOwnTurnEnd: () => void = () => undefined) {}

  get state(): TurnState {
    return this.currentState;
  }

  get turn(): SessionTurn {
    return turnOf(this.currentState);
  }

  /** Fires when the own turn is to be stopped, which it identifies. Undefined without an own turn. */
  get signal(): AbortSignal | undefined {
    return this.run?.controller.signal;
  }

  /** Resolves when the work for the own prompt is done, which may last longer than its turn. Undefined without an own turn. */
  get done(): Promise<void> | undefined {
    return this.run?.done;
  }

  apply(input: TurnInput): void {
    this.currentState = nextTurn(this.currentState, input);
    if (!this.run || this.currentState.open?.kind === 'own') return;
    this.run = undefined;
    this.onOwnTurnEnd();
  }

  /** Begins `work` for the open own turn, in a later microtask. It must not reject. */
  startWork(work: (signal: AbortSignal) => Promise<void>): void {
    const controller = new AbortController();
    this.run = { controller, done: Promise.resolve().then(() => work(controller.signal)) };
  }

  /** Asks for the end of the own turn. */
  abort(): void {
    this.run?.controller.abort();
  }

  /** Whether the own turn with this signal is open. False after its end, and if the session no longer waits for it. */
  isOpen(signal: AbortSignal | undefined): boolean {
    return this.run !== undefined && this.signal === signal;
  }
}
