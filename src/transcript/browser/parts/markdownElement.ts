import type { Disposable } from '../../../base/common/disposable';
import { onDidLoadGrammars } from '../markdown/code/highlight';
import { MarkdownStream } from '../markdown/markdownStream';
import { highlightShownCode, renderMarkdown } from '../markdown/renderMarkdown';
import type { TranscriptActions } from '../transcriptActions';

export class MarkdownElement implements Disposable {
  private shownText: string | undefined;
  private isFinished = false;
  private actionListener: Disposable | undefined;
  private stream: MarkdownStream | undefined;

  private readonly grammarListener = onDidLoadGrammars(() => this.highlight());

  constructor(
    private readonly element: HTMLElement,
    private readonly actions: TranscriptActions,
  ) {}

  showText(text: string, isStreaming: boolean): void {
    if (text === this.shownText && isStreaming !== this.isFinished) return;
    this.isFinished = !isStreaming;
    if (!this.stream && this.isFinished) {
      this.actionListener?.dispose();
      this.actionListener = renderMarkdown(this.element, text, { actions: this.actions });
    } else {
      this.streamText(text);
      if (this.isFinished) this.stream?.finish();
    }
    this.shownText = text;
  }

  dispose(): void {
    this.grammarListener.dispose();
    this.actionListener?.dispose();
    this.stream?.dispose();
  }

  private highlight(): void {
    if (this.shownText === undefined || !this.element.querySelector('.hljs')) return;
    if (this.isFinished) highlightShownCode(this.element, this.shownText, { actions: this.actions });
    else this.stream?.highlightShownCode();
  }

  private streamText(text: string): void {
    const { shownText } = this;
    if (!this.stream) {
      this.actionListener?.dispose();
      this.stream = new MarkdownStream(this.element, { actions: this.actions });
      this.stream.setText(text);
    } else if (shownText !== undefined && text.startsWith(shownText)) {
      this.stream.append(text.slice(shownText.length));
    } else {
      this.stream.setText(text);
    }
  }
}
