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

/** Normalizes line endings as the parser does. */
export function normalizeLineEndings(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
