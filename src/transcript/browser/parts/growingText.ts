import type { Disposable } from '../../../base/common/disposable';
import { MarkdownStream } from '../markdown/markdownStream';
import { renderMarkdown } from '../markdown/renderMarkdown';
import type { TranscriptActions } from '../transcriptActions';

/** Shows Markdown in an element, complete or streaming. */
export class GrowingText implements Disposable {
  private shown: string | undefined;
  private isFinished = false;
  private whole: Disposable | undefined;
  private stream: MarkdownStream | undefined;

  constructor(
    private readonly element: HTMLElement,
    private readonly actions: TranscriptActions,
  ) {}

  show(text: string, isStreaming: boolean): void {
    if (text === this.shown && isStreaming !== this.isFinished) return;
    this.isFinished = !isStreaming;
    if (!this.stream && this.isFinished) {
      this.whole?.dispose();
      this.whole = renderMarkdown(this.element, text, { actions: this.actions });
    } else {
      this.grow(text);
      if (this.isFinished) this.stream?.finish();
    }
    this.shown = text;
  }

  dispose(): void {
    this.whole?.dispose();
    this.stream?.dispose();
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
