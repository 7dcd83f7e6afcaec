import type { Disposable } from '../../../base/common/disposable';
import { onDidLoadGrammars } from '../markdown/code/highlight';
import { MarkdownStream } from '../markdown/markdownStream';
import { renderMarkdown } from '../markdown/renderMarkdown';
import type { TranscriptActions } from '../transcriptActions';

export class MarkdownElement implements Disposable {
  private shownText: string | undefined;
  private isFinished = false;
  private actionListener: Disposable | undefined;
  private stream: MarkdownStream | undefined;

  private readonly grammarListener = onDidLoadGrammars(() => this.drawAgain());

  constructor(
    private readonly element: HTMLElement,
    private readonly actions: TranscriptActions,
  ) {}

  showText(text: string, isStreaming: boolean): void {
    if (text === this.shownText && isStreaming !== this.isFinished) return;
    this.isFinished = !isStreaming;
    if (!this.stream && this.isFinished) {
      this.renderFinished(text);
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

  private renderFinished(text: string): void {
    this.actionListener?.dispose();
    this.actionListener = renderMarkdown(this.element, text, { actions: this.actions });
  }

  private drawAgain(): void {
    if (this.shownText === undefined || !this.element.querySelector('.hljs')) return;
    this.stream?.drawAgain();
    if (!this.stream) this.renderFinished(this.shownText);
    else if (this.isFinished) this.stream.finish();
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
