/** Renders complete Markdown. See `MarkdownStream` for streaming. */
import type { Disposable } from '../../../base/common/disposable';
import { listenForLinkAndCodeActions, type LinkAndCodeActions } from './linkAndCodeActions';
import { renderText } from './parser/markdownParser';
import { morphChildren } from './morph';

export interface MarkdownOptions {
  readonly actions: LinkAndCodeActions;
  /** Duration in milliseconds after which a rendering counts as slow, so that the stream pauses. Default: 6 ms. */
  readonly slowRenderingMs?: number;
}

/**
 * Renders into the container, which must have the class `markdown` and no other content. Keeps equal nodes. Disposing
 * the result removes only the listeners.
 */
export function renderMarkdown(container: HTMLElement, text: string, { actions }: MarkdownOptions): Disposable {
  morphChildren(container, container.firstChild, renderText(normalizeLineEndings(text), {}, actions));
  return listenForLinkAndCodeActions(container, actions);
}

/** Highlights the code in a container that shows the complete text, and touches nothing else. */
export function highlightShownCode(container: HTMLElement, text: string, { actions }: MarkdownOptions): void {
  replaceCode(codeIn(container), renderText(normalizeLineEndings(text), {}, actions));
}

export function codeIn(root: ParentNode): Element[] {
  return [...root.querySelectorAll('code.hljs')];
}

/** Gives elements the code of a new rendering of their text. */
export function replaceCode(shown: readonly Element[], rendered: DocumentFragment): void {
  const wanted = codeIn(rendered);
  // Too long texts are formatted only in part. Their code stays as it is.
  if (wanted.length !== shown.length) return;
  for (const [at, code] of shown.entries()) {
    const colored = wanted.at(at);
    if (colored) morphChildren(code, code.firstChild, colored);
  }
}

/** Normalizes line endings as the parser does. */
export function normalizeLineEndings(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
