// The page of the tests of markdown: what they call in it, by the name `markdownPage`.
// Code is highlighted and formulas are drawn from the first text on.
import '../../../../src/transcript/browser/markdown/code/codeMain';
import '../../../../src/transcript/browser/markdown/math/mathMain';
import { renderAnsi } from '../../../../src/transcript/browser/parts/ansiView';
import { completeMarkdown } from '../../../../src/transcript/browser/markdown/parser/completeMarkdown';
import type { LinkAndCodeActions } from '../../../../src/transcript/browser/markdown/linkAndCodeActions';
import { MarkdownStream } from '../../../../src/transcript/browser/markdown/markdownStream';
import { renderMarkdown } from '../../../../src/transcript/browser/markdown/renderMarkdown';

declare global {
  interface Window {
    markdownPage: MarkdownPage;
    /** Raised by hostile markdown, if it could. */
    canary?: unknown;
  }
}

class MarkdownPage {
  /** What the text asked for. */
  readonly asked: unknown[][] = [];
  readonly closeUnfinished = completeMarkdown;
  private stream: MarkdownStream | undefined;
  private readonly actions: LinkAndCodeActions = {
    open: (...args) => this.asked.push(['open', ...args]),
    copy: (...args) => this.asked.push(['copy', ...args]),
    insertAtCursor: (...args) => this.asked.push(['insertAtCursor', ...args]),
    applyCode: (...args) => this.asked.push(['applyCode', ...args]),
    openAsNewFile: (...args) => this.asked.push(['openAsNewFile', ...args]),
    openView: (...args) => this.asked.push(['openView', ...args]),
  };

  constructor(readonly container: HTMLElement) {
    container.className = 'markdown';
  }

  /** Returns the HTML. */
  render(text: string): string {
    this.clear();
    renderMarkdown(this.container, text, { actions: this.actions });
    return this.container.innerHTML;
  }

  renderReadOnly(text: string): void {
    this.clear();
    const actions: LinkAndCodeActions = {
      open: (target, line) => this.actions.open(target, line),
      copy: (code) => this.actions.copy(code),
    };
    renderMarkdown(this.container, text, { actions });
  }

  renderAnsi(text: string): void {
    this.clear();
    renderAnsi(this.container, text);
  }

  /** Each delta is shown at once. */
  begin(slowMs = Infinity): void {
    this.clear();
    this.stream = new MarkdownStream(this.container, { actions: this.actions, slowRenderingMs: slowMs });
  }

  append(text: string): void {
    this.stream?.append(text);
  }

  set(text: string): void {
    this.stream?.setText(text);
  }

  finish(): string {
    this.stream?.finish();
    return this.container.innerHTML;
  }

  /** In deltas of so many units; returns the HTML at the end. */
  streamed(text: string, units: number): string {
    this.begin();
    for (let at = 0; at < text.length; at += units) this.append(text.slice(at, at + units));
    return this.finish();
  }

  /** As pages do it, with pauses for the page to breathe; returns how long it did not, at most, in milliseconds. */
  async streamedGently(text: string, units: number): Promise<number> {
    this.begin(6);
    let longestMs = 0;
    let startMs = performance.now();
    const pause = async (): Promise<void> => {
      this.container.getBoundingClientRect();
      longestMs = Math.max(longestMs, performance.now() - startMs);
      // Ends the task, whose length is measured.
      await new Promise((resolve) => setTimeout(resolve));
      startMs = performance.now();
    };
    for (let at = 0; at < text.length; at += units) {
      this.append(text.slice(at, at + units));
      if ((at / units) % 100 === 0) await pause();
    }
    this.finish();
    await pause();
    return longestMs;
  }

  /** What one sees after each delta. */
  frames(text: string, units: number): string[] {
    this.begin();
    const frames: string[] = [];
    for (let at = 0; at < text.length; at += units) {
      this.append(text.slice(at, at + units));
      frames.push(this.container.innerHTML);
    }
    return frames;
  }

  private clear(): void {
    this.stream?.dispose();
    this.stream = undefined;
    this.container.replaceChildren();
  }
}

const root = document.getElementById('root');
if (root) window.markdownPage = new MarkdownPage(root);
