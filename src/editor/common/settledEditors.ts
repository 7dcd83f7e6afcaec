import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';

/** While a tab changes, VS Code has no editor for some time that a user does not notice. */
const settleMs = 250;

export interface VisibleEditor<Editor> {
  readonly editor: Editor;
  /** Undefined while it is being found out whether peers may know of it. */
  readonly isAllowed: boolean | undefined;
}

/**
 * The visible editors that peers may know of, without the states in between that no user sees: a list that is empty, or
 * lacks a file whose check has not ended, is taken over only when it lasts.
 */
export class SettledEditors<Editor> implements Disposable {
  private settled: readonly Editor[] = [];
  private latest: readonly VisibleEditor<Editor>[] = [];
  private timer: Disposable | undefined;

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
    if (isBetween && this.settled.length > 0) this.timer ??= this.clock.setTimer(settleMs, () => this.settle());
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

  private settle(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.settled = this.latest.flatMap(({ editor, isAllowed }) => (isAllowed === true ? [editor] : []));
    this.onDidChange();
  }
}
