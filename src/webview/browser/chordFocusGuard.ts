import type { Disposable } from '../../base/common/disposable';
import { ChordTracker, isModifierKey } from '../common/keyChords';

/**
 * How long to wait for the second key of a chord, in milliseconds. VS Code drops a pending first key after 5 s, and
 * checks this every 500 ms.
 */
const chordTimeoutMs = 5_500;

/** Keys of shortcuts for editing text, which VS Code leaves to text fields. */
const textEditingKeys: ReadonlySet<string> = new Set(['a', 'c', 'v', 'x', 'y', 'z']);

/**
 * VS Code receives the keys of a page only after the page itself. Therefore, the second key of a chord such as `ctrl+k
 * b` would be inserted as text or press a button. Between the keys, this class moves the focus to an element outside
 * all controls.
 */
export class ChordFocusGuard implements Disposable {
  private prefixes: ReadonlySet<string> = new Set();
  private readonly chordTracker = new ChordTracker(() => this.prefixes);
  private previousFocus: HTMLElement | undefined;
  private chordEndTimer: number | undefined;
  private readonly listenersAbortController = new AbortController();

  constructor(
    private readonly window: Window,
    private readonly focusHolder: HTMLElement,
  ) {}

  start(): void {
    const { focusHolder, window } = this;
    const { signal } = this.listenersAbortController;
    focusHolder.tabIndex = -1;
    focusHolder.className = 'visually-hidden';
    focusHolder.setAttribute('role', 'note');
    focusHolder.setAttribute('aria-label', 'Waiting for the second key of a keyboard shortcut');
    window.document.addEventListener('keydown', (event) => this.handleKey(event), { capture: true, signal });
    const onFocus = (): void => {
      if (!this.chordTracker.isPending) this.restoreFocus();
    };
    window.addEventListener('focus', onFocus, { signal });
    // The chord also ends when the window loses the focus.
    window.addEventListener('blur', () => this.endChord(), { signal });
  }

  setPrefixes(prefixes: readonly string[]): void {
    this.prefixes = new Set(prefixes);
  }

  dispose(): void {
    this.endChord();
    this.listenersAbortController.abort();
  }

  private handleKey(event: KeyboardEvent): void {
    if (event.isComposing || isModifierKey(event)) return;
    const wasPending = this.chordTracker.isPending;
    if (!wasPending && isTextEditingKey(event)) return;
    this.chordTracker.handleKey(event);
    if (wasPending) event.preventDefault();
    this.window.clearTimeout(this.chordEndTimer);
    if (this.chordTracker.isPending) {
      this.holdFocus();
      this.chordEndTimer = this.window.setTimeout(() => this.endChord(), chordTimeoutMs);
    } else if (wasPending) {
      this.chordEndTimer = this.window.setTimeout(() => this.endChord());
    }
  }

  private holdFocus(): void {
    const { activeElement } = this.window.document;
    if (activeElement === this.focusHolder) return;
    this.previousFocus = activeElement instanceof HTMLElement ? activeElement : undefined;
    this.focusHolder.focus({ preventScroll: true });
  }

  private endChord(): void {
    this.window.clearTimeout(this.chordEndTimer);
    this.chordTracker.reset();
    // Calling `focus` now would take the focus from another part of VS Code, so the focus is restored when the page has
    // it again.
    if (this.window.document.hasFocus()) this.restoreFocus();
  }

  private restoreFocus(): void {
    const { previousFocus, focusHolder } = this;
    this.previousFocus = undefined;
    if (this.window.document.activeElement !== focusHolder) return;
    if (previousFocus?.isConnected && previousFocus !== this.window.document.body)
      previousFocus.focus({ preventScroll: true });
    else focusHolder.blur();
  }
}

function isTextEditingKey({ altKey, ctrlKey, key, metaKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && textEditingKeys.has(key.toLowerCase());
}
