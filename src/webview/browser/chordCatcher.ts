import { toDisposable, type Disposable } from '../../base/common/disposable';
import { ChordReader, isModifier } from '../common/keyChords';

/** VS Code drops a pending first key after 5 s and checks every 500 ms. */
const waitMs = 5_500;

/** Keys for editing text, which VS Code leaves to text fields. */
const ofFields: ReadonlySet<string> = new Set(['a', 'c', 'v', 'x', 'y', 'z']);

/**
 * VS Code sees the keys of a page only after the page itself, so the second key of a chord such as `ctrl+k b` would be
 * typed or press a button. Between the keys, this class moves the focus to an element outside all controls.
 */
export class ChordCatcher implements Disposable {
  private beginnings: ReadonlySet<string> = new Set();
  private readonly reader = new ChordReader(() => this.beginnings);
  private before: HTMLElement | undefined;
  private timer: number | undefined;
  private listening: Disposable | undefined;

  constructor(
    private readonly window: Window,
    private readonly place: HTMLElement,
  ) {}

  start(): void {
    const { place, window } = this;
    place.tabIndex = -1;
    place.className = 'visually-hidden';
    place.setAttribute('role', 'note');
    place.setAttribute('aria-label', 'Waiting for the second key of a keyboard shortcut');
    const onKeyDown = (event: KeyboardEvent): void => this.pressed(event);
    const onFocus = (): void => {
      if (!this.reader.isOpen) this.giveBack();
    };
    // Losing the window's focus also ends the chord.
    const onBlur = (): void => this.end();
    window.document.addEventListener('keydown', onKeyDown, { capture: true });
    window.addEventListener('focus', onFocus);
    window.addEventListener('blur', onBlur);
    this.listening = toDisposable(() => {
      window.document.removeEventListener('keydown', onKeyDown, { capture: true });
      window.removeEventListener('focus', onFocus);
      window.removeEventListener('blur', onBlur);
    });
  }

  know(beginnings: readonly string[]): void {
    this.beginnings = new Set(beginnings);
  }

  dispose(): void {
    this.end();
    this.listening?.dispose();
  }

  private pressed(event: KeyboardEvent): void {
    if (event.isComposing || isModifier(event)) return;
    const wasOpen = this.reader.isOpen;
    if (!wasOpen && isOfFields(event)) return;
    this.reader.press(event);
    if (wasOpen) event.preventDefault();
    this.window.clearTimeout(this.timer);
    if (this.reader.isOpen) {
      this.takeFocus();
      this.timer = this.window.setTimeout(() => this.end(), waitMs);
    } else if (wasOpen) {
      // After the browser has handled the key.
      this.timer = this.window.setTimeout(() => this.end());
    }
  }

  private takeFocus(): void {
    const { activeElement } = this.window.document;
    if (activeElement === this.place) return;
    this.before = activeElement instanceof HTMLElement ? activeElement : undefined;
    this.place.focus({ preventScroll: true });
  }

  private end(): void {
    this.window.clearTimeout(this.timer);
    this.reader.end();
    // Calling `focus` now would take the focus from another part of VS Code: wait until the page has it again.
    if (this.window.document.hasFocus()) this.giveBack();
  }

  private giveBack(): void {
    const { before, place } = this;
    this.before = undefined;
    if (this.window.document.activeElement !== place) return;
    if (before?.isConnected && before !== this.window.document.body) before.focus({ preventScroll: true });
    else place.blur();
  }
}

function isOfFields({ altKey, ctrlKey, key, metaKey }: KeyboardEvent): boolean {
  return (ctrlKey || metaKey) && !altKey && ofFields.has(key.toLowerCase());
}
