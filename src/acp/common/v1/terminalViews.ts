/** What is to be seen of a command: its newest output and how it ended. */
export interface TerminalView {
  readonly output: string;
  /** The beginning of the output was cut. */
  readonly truncated: boolean;
  readonly exit?: { readonly code: number | null; readonly signal: string | null };
}

/** Of commands that may still run. */
const maxKept = 64;

const empty: TerminalView = { output: '', truncated: false };

/** Terminals by id, both those that Backline runs for the agent and those that the agent runs and tells about. */
export class TerminalViews {
  private readonly views = new Map<string, TerminalView>();

  /** `maxLength`, in UTF-16 units, bounds each view: every event carries the whole of it. */
  constructor(private readonly maxLength: number) {}

  get(id: string): TerminalView {
    return this.views.get(id) ?? empty;
  }

  append(id: string, data: string): void {
    const view = this.get(id);
    this.set(id, { ...view, output: view.output + data });
  }

  end(id: string, code: number | null, signal: string | null): void {
    this.views.set(id, { ...this.get(id), exit: { code, signal } });
  }

  /** Forgets what has ended, and of the rest all but the newest. */
  trim(): void {
    for (const [id, { exit }] of this.views) if (exit) this.views.delete(id);
    for (const id of this.views.keys()) {
      if (this.views.size <= maxKept) return;
      this.views.delete(id);
    }
  }

  set(id: string, view: TerminalView): void {
    const excess = view.output.length - this.maxLength;
    if (excess <= 0) {
      this.views.set(id, view);
      return;
    }
    this.views.set(id, { ...view, output: cutStart(view.output, excess), truncated: true });
  }
}

/** Without at least the first `count` units, never starting in the middle of a surrogate pair. */
function cutStart(text: string, count: number): string {
  const unit = text.charCodeAt(count);
  return text.slice(unit >= 0xdc00 && unit <= 0xdfff ? count + 1 : count);
}
