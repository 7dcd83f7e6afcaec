/** Shows a whole markdown text at once; `MarkdownStream` shows one that grows. */
import type { Disposable } from '../../../base/common/disposable';
import { listenForActions, type CodeActions } from './code/codeActions';
import { nodesOfText } from './parser/markdownParser';
import { morphChildren } from './morph';

export interface MarkdownOptions {
  readonly actions: CodeActions;
  /** Milliseconds: a stream rests after a rendering that took longer. 6 when it is left out. */
  readonly slowMs?: number;
}

/**
 * Replaces what the container shows; nodes that stay the same are kept. The container has the class `markdown` and belongs
 * to the text alone. Disposing ends the listening and leaves the text.
 */
export function renderMarkdown(container: HTMLElement, text: string, { actions }: MarkdownOptions): Disposable {
  morphChildren(container, container.firstChild, nodesOfText(normalized(text), {}, actions));
  return listenForActions(container, actions);
}

/** Line endings as the parser sees them. */
export function normalized(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
