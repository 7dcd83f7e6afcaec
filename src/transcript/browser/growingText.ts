import type { Disposable } from '../../base/common/disposable';
import { hasFocus, hasSelection } from './inUse';
import { MarkdownStream } from './markdown/markdownStream';
import { renderMarkdown } from './markdown/renderMarkdown';
import type { TranscriptActions } from './transcriptActions';

/** A markdown text in its element: it grows, is replaced, and is only its words while it is far from the screen. */
export class GrowingText implements Disposable {
  private text = '';
  private isFinished = false;
  /** What the element shows formatted. */
  private shown: string | undefined;
  private isShownFinished = false;
  private whole: Disposable | undefined;
  private stream: MarkdownStream | undefined;

  constructor(
    private readonly element: HTMLElement,
    private readonly actions: TranscriptActions,
    private isNear: boolean,
  ) {}

  show(text: string, isStreaming: boolean): void {
    this.text = text;
    this.isFinished = !isStreaming;
    this.isNear ||= isStreaming;
    if (this.isNear) this.format();
    else this.showWords(text);
  }

  /** `height` is how high the text is, in pixels: it stays as high. What the reader uses, or still comes, is left alone. */
  setNear(isNear: boolean, height: number): void {
    if (isNear === this.isNear || (!isNear && this.isNeeded)) return;
    this.isNear = isNear;
    if (isNear) {
      this.format();
      return;
    }
    // The words as they were shown, so that they are found as they will be shown again.
    this.showWords(this.element.textContent);
    this.element.style.height = `${height}px`;
    const entry = this.element.closest<HTMLElement>('.entry');
    if (entry) forgetLayout(entry);
  }

  private get isNeeded(): boolean {
    return !this.isFinished || hasFocus(this.element) || hasSelection(this.element);
  }

  dispose(): void {
    this.whole?.dispose();
    this.stream?.dispose();
  }

  private showWords(words: string): void {
    this.dispose();
    this.whole = undefined;
    this.stream = undefined;
    this.shown = undefined;
    this.element.classList.add('is-far');
    this.element.textContent = words;
  }

  private format(): void {
    const { text, element } = this;
    if (text === this.shown && this.isFinished === this.isShownFinished) return;
    if (element.classList.contains('is-far')) {
      element.classList.remove('is-far');
      element.style.height = '';
      element.replaceChildren();
    }
    if (!this.stream && this.isFinished) {
      this.whole?.dispose();
      this.whole = renderMarkdown(element, text, { actions: this.actions });
    } else {
      this.grow(text);
      if (this.isFinished) this.stream?.finish();
    }
    this.shown = text;
    this.isShownFinished = this.isFinished;
  }

  private grow(text: string): void {
    const { shown } = this;
    if (!this.stream) {
      this.whole?.dispose();
      this.stream = new MarkdownStream(this.element, { actions: this.actions });
      this.stream.set(text);
    } else if (shown !== undefined && text.startsWith(shown)) {
      this.stream.append(text.slice(shown.length));
    } else {
      this.stream.set(text);
    }
  }
}

/** What is far is not laid out again: the browser would keep its old layout, and with it all nodes that are gone. */
function forgetLayout(element: HTMLElement): void {
  element.style.display = 'none';
  // Asking makes the browser take notice.
  getComputedStyle(element).getPropertyValue('display');
  element.style.display = '';
}
