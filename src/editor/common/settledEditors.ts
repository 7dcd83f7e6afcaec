import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';

/** While a tab changes, VS Code has no editor for some time that a user does not notice. */
const settleMs = 250;
/** A busy machine takes longer to check a file: until then the list is not emptied for it. */
const checkMs = 2_000;

export interface VisibleEditor<Editor> {
  readonly editor: Editor;
  /** Undefined while it is being found out whether peers may know of it. */
  readonly isAllowed: boolean | undefined;
}

/**
 * The visible editors that peers may know of, without the states in between that no user sees: a list that is empty, or
 * lacks a file whose check has not ended, is taken over only when it lasts. Between two tabs both come in turns: a list is
 * empty for long only when it was empty all the time.
 */
export class SettledEditors<Editor> implements Disposable {
  private settled: readonly Editor[] = [];
  private latest: readonly VisibleEditor<Editor>[] = [];
  private timer: Disposable | undefined;
  /** On the monotonic clock: since when `latest` is not what `settled` was made of, and since when it is empty. */
  private betweenSince: number | undefined;
  private emptySince: number | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onDidChange: () => void,
  ) {}

  get all(): readonly Editor[] {
    return this.settled;
  }

  update(editors: readonly VisibleEditor<Editor>[]): void {
    this.latest = editors;
    const isBetween = editors.length === 0 || editors.some(({ isAllowed }) => isAllowed === undefined);
    if (isBetween && this.settled.length > 0) this.settleLater();
    else this.settle();
  }

  /** Nothing of what was allowed counts any more, from now on. */
  clear(): void {
    this.latest = [];
    this.settle();
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.settled = [];
  }

  private settleLater(): void {
    const now = this.clock.monotonicNow();
    this.betweenSince ??= now;
    this.emptySince = this.latest.length === 0 ? (this.emptySince ?? now) : undefined;
    const lastMs = this.betweenSince + (this.allowed.length > 0 ? settleMs : checkMs);
    const dueMs = this.emptySince === undefined ? lastMs : Math.min(this.emptySince + settleMs, lastMs);
    this.timer?.dispose();
    this.timer = this.clock.setTimer(Math.max(0, dueMs - now), () => this.settle());
  }

  private settle(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.betweenSince = undefined;
    this.emptySince = undefined;
    this.settled = this.allowed;
    this.onDidChange();
  }

  private get allowed(): readonly Editor[] {
    return this.latest.flatMap(({ editor, isAllowed }) => (isAllowed === true ? [editor] : []));
  }
}
