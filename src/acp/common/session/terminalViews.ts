export interface TerminalView {
  readonly output: string;
  readonly truncated: boolean;
  readonly exit?: { readonly code: number | null; readonly signal: string | null };
}

const maxRunningKept = 64;

const empty: TerminalView = { output: '', truncated: false };

export class TerminalViews {
  private readonly viewById = new Map<string, TerminalView>();

  /** `maxLength` limits the output of each terminal, in UTF-16 units, because every event contains the whole output. */
  constructor(private readonly maxLength: number) {}

  get(id: string): TerminalView {
    return this.viewById.get(id) ?? empty;
  }

  append(id: string, data: string): void {
    const view = this.get(id);
    this.set(id, { ...view, output: view.output + data });
  }

  setExit(id: string, code: number | null, signal: string | null): void {
    this.viewById.set(id, { ...this.get(id), exit: { code, signal } });
  }

  trim(): void {
    for (const [id, { exit }] of this.viewById) if (exit) this.viewById.delete(id);
    for (const id of this.viewById.keys()) {
      if (this.viewById.size <= maxRunningKept) return;
      this.viewById.delete(id);
    }
  }

  set(id: string, view: TerminalView): void {
    const excess = view.output.length - this.maxLength;
    if (excess <= 0) {
      this.viewById.set(id, view);
      return;
    }
    this.viewById.set(id, { ...view, output: cutStart(view.output, excess), truncated: true });
  }
}

/** Drops at least the first `count` units, without splitting a surrogate pair. */
function cutStart(text: string, count: number): string {
  const unit = text.charCodeAt(count);
  return text.slice(unit >= 0xdc00 && unit <= 0xdfff ? count + 1 : count);
}
