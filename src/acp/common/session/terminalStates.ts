import { endOfText } from '../../../base/common/text/endOfText';

export interface TerminalState {
  readonly output: string;
  readonly truncated: boolean;
  readonly exit?: { readonly code: number | null; readonly signal: string | null };
}

const maxRunningKept = 64;

const empty: TerminalState = { output: '', truncated: false };

export class TerminalStates {
  private readonly stateById = new Map<string, TerminalState>();
  /**
   * Terminals that Backline runs or has run. What the agent says about them is ignored, as long as the session exists: the
   * agent can name them again after they have ended.
   */
  private readonly ownIds = new Set<string>();

  /** `maxLength` limits the output of each terminal, in UTF-16 units, because every event contains the whole output. */
  constructor(private readonly maxLength: number) {}

  get(id: string): TerminalState {
    return this.stateById.get(id) ?? empty;
  }

  /** Whether Backline runs, or has run, the terminal. */
  isOwn(id: string): boolean {
    return this.ownIds.has(id);
  }

  append(id: string, data: string): void {
    const state = this.get(id);
    this.set(id, { ...state, output: state.output + data }, false);
  }

  setExit(id: string, code: number | null, signal: string | null): void {
    this.set(id, { ...this.get(id), exit: { code, signal } }, false);
  }

  /** Those that Backline runs are limited where they are started. */
  dropEndedAndExcess(): void {
    for (const [id, { exit }] of this.stateById) if (exit) this.stateById.delete(id);
    for (const id of this.stateById.keys()) {
      if (this.stateById.size <= maxRunningKept) return;
      if (!this.ownIds.has(id)) this.stateById.delete(id);
    }
  }

  set(id: string, state: TerminalState, isOwn: boolean): void {
    if (isOwn) this.ownIds.add(id);
    else if (this.ownIds.has(id)) return;
    const output = endOfText(state.output, this.maxLength);
    this.stateById.set(id, output === state.output ? state : { ...state, output, truncated: true });
  }
}
