/** Renders complete Markdown; `MarkdownStream` renders streaming Markdown. */
import type { Disposable } from '../../../base/common/disposable';
import { listenForCodeActions, type CodeActions } from './code/codeActions';
import { renderText } from './parser/markdownParser';
import { morphChildren } from './morph';

export interface MarkdownOptions {
  readonly actions: CodeActions;
  /** A stream pauses after a rendering that took longer than this. Default: 6 ms. */
  readonly slowRenderingMs?: number;
}

/**
 * Renders into the container, which must have the class `markdown` and no other content. Equal nodes are kept.
 * Disposing removes only the listeners.
 */
export function renderMarkdown(container: HTMLElement, text: string, { actions }: MarkdownOptions): Disposable {
  morphChildren(container, container.firstChild, renderText(normalizeLineEndings(text), {}, actions));
  return listenForCodeActions(container, actions);
}

/** Normalizes line endings as the parser does. */
export function normalizeLineEndings(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
