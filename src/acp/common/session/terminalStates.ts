export interface TerminalState {
  readonly output: string;
  readonly truncated: boolean;
  readonly exit?: { readonly code: number | null; readonly signal: string | null };
}

const maxRunningKept = 64;

const empty: TerminalState = { output: '', truncated: false };

export class TerminalStates {
  private readonly stateById = new Map<string, TerminalState>();

  /** `maxLength` limits the output of each terminal, in UTF-16 units, because every event contains the whole output. */
  constructor(private readonly maxLength: number) {}

  get(id: string): TerminalState {
    return this.stateById.get(id) ?? empty;
  }

  append(id: string, data: string): void {
    const state = this.get(id);
    this.set(id, { ...state, output: state.output + data });
  }

  setExit(id: string, code: number | null, signal: string | null): void {
    this.stateById.set(id, { ...this.get(id), exit: { code, signal } });
  }

  dropEndedAndExcess(): void {
    for (const [id, { exit }] of this.stateById) if (exit) this.stateById.delete(id);
    for (const id of this.stateById.keys()) {
      if (this.stateById.size <= maxRunningKept) return;
      this.stateById.delete(id);
    }
  }

  set(id: string, state: TerminalState): void {
    const excess = state.output.length - this.maxLength;
    if (excess <= 0) {
      this.stateById.set(id, state);
      return;
    }
    this.stateById.set(id, { ...state, output: cutStart(state.output, excess), truncated: true });
  }
}

/** Drops at least the first `count` units, without splitting a surrogate pair. */
function cutStart(text: string, count: number): string {
  const unit = text.charCodeAt(count);
  return text.slice(unit >= 0xdc00 && unit <= 0xdfff ? count + 1 : count);
}
