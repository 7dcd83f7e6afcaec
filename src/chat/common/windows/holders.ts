import { toDisposable, type Disposable } from '../../../base/common/disposable';

/** Who keeps a conversation open: a page, which shows it also while another window writes, or work that changes it. */
export type HolderKind = 'page' | 'work';

/** Counts who keeps a conversation open. */
export class Holders {
  private readonly held = new Set<{ readonly kind: HolderKind }>();
  private onNone: (() => void) | undefined;

  /** The holder ends when the result is disposed. */
  add(kind: HolderKind): Disposable {
    const holder = { kind };
    this.held.add(holder);
    return toDisposable(() => {
      this.held.delete(holder);
      if (this.held.size === 0) this.onNone?.();
    });
  }

  /** Whether there is one, of this kind if it is set. */
  has(kind?: HolderKind): boolean {
    return [...this.held].some((holder) => kind === undefined || holder.kind === kind);
  }

  /** Calls `then` at once if there is none, and whenever the last one ends. */
  whenNone(then: () => void): void {
    this.onNone = then;
    if (this.held.size === 0) then();
  }
}
