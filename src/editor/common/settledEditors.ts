import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';

/** How long a transient state is ignored. While tabs are switched, VS Code has no visible editor. */
const settleMs = 250;
/** How long an editor can take to open, and its file to be checked, before the list is without it. */
const maxOpeningMs = 2_000;

export interface VisibleEditor<Editor> {
  readonly editor: Editor;
  /** Whether peers can access the file; undefined until that is checked. */
  readonly isAllowed: boolean | undefined;
}

/**
 * The visible editors that peers can access, without transient states: an empty list, or a list with unchecked files,
 * takes effect only after a delay.
 */
export class SettledEditors<Editor> implements Disposable {
  private settledEditors: readonly Editor[] = [];
  private latestEditors: readonly VisibleEditor<Editor>[] = [];
  /** Whether no editor is visible, and none is opening. */
  private isEmptied = false;
  private timer: Disposable | undefined;
  /** When `latestEditors` became transient, in milliseconds of the monotonic clock. */
  private transientSinceMs: number | undefined;
  private emptySinceMs: number | undefined;

  constructor(
    private readonly clock: Clock,
    private readonly onDidChange: () => void,
  ) {}

  get editors(): readonly Editor[] {
    return this.settledEditors;
  }

  /** @param isOpening whether a tab is shown whose editor is not there yet */
  update(editors: readonly VisibleEditor<Editor>[], isOpening: boolean): void {
    this.latestEditors = editors;
    this.isEmptied = editors.length === 0 && !isOpening;
    const isBetween = editors.length === 0 || editors.some(({ isAllowed }) => isAllowed === undefined);
    if (isBetween && this.settledEditors.length > 0) this.scheduleSettle();
    else this.acceptLatestEditors();
  }

  /** Removes all editors immediately. */
  clear(): void {
    this.latestEditors = [];
    this.acceptLatestEditors();
  }

  dispose(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.settledEditors = [];
  }

  private scheduleSettle(): void {
    const now = this.clock.monotonicNow();
    this.transientSinceMs ??= now;
    this.emptySinceMs = this.isEmptied ? (this.emptySinceMs ?? now) : undefined;
    const lastMs = this.transientSinceMs + (this.allowedEditors.length > 0 ? settleMs : maxOpeningMs);
    const dueMs = this.emptySinceMs === undefined ? lastMs : Math.min(this.emptySinceMs + settleMs, lastMs);
    this.timer?.dispose();
    this.timer = this.clock.setTimer(Math.max(0, dueMs - now), () => this.acceptLatestEditors());
  }

  private acceptLatestEditors(): void {
    this.timer?.dispose();
    this.timer = undefined;
    this.transientSinceMs = undefined;
    this.emptySinceMs = undefined;
    this.settledEditors = this.allowedEditors;
    this.onDidChange();
  }

  private get allowedEditors(): readonly Editor[] {
    return this.latestEditors.flatMap(({ editor, isAllowed }) => (isAllowed === true ? [editor] : []));
  }
}
