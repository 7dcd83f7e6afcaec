/** Actions of links and code blocks. The container has one listener for each kind of event. */
import type { Disposable } from '../../../base/common/disposable';
import { originalTextOf } from './hiddenCharacters';

export interface LinkAndCodeActions {
  /** `target` is a web or file URI, or a path; `line` and `column` are 1-based. */
  open(target: string, line?: number, column?: number): void;
  copy(text: string): void;
  insertAtCursor?(text: string): void;
  applyCode?(text: string, path?: string): void;
  openAsNewFile?(text: string, language?: string): void;
  /** Opens an HTML document of an answer outside of the page. */
  openView?(html: string): void;
}

const copiedLabelMs = 1_500;

/** Adds listeners, which replace earlier ones of this container. The caller disposes the result. */
export function listenForLinkAndCodeActions(container: HTMLElement, actions: LinkAndCodeActions): Disposable {
  const onClick = (event: Event): void => runAction(event, actions);
  container.onclick = onClick;
  container.onauxclick = preventOnLink;
  container.onkeydown = (event) => {
    if (event.key === 'Enter' && closestLink(event.target)) runAction(event, actions);
  };
  return {
    dispose: () => {
      if (container.onclick !== onClick) return;
      container.onclick = null;
      container.onauxclick = null;
      container.onkeydown = null;
    },
  };
}

function runAction(event: Event, actions: LinkAndCodeActions): void {
  const link = closestLink(event.target);
  if (link) {
    event.preventDefault();
    // This click is the end of a selection on a link, so it is ignored.
    if (event.type === 'click' && isInSelection(link)) return;
    const { target = '', line, column } = link.dataset;
    actions.open(target, ...[line, column].flatMap((place) => (place === undefined ? [] : Number(place))));
    return;
  }
  const button = event.target instanceof Element ? event.target.closest<HTMLElement>('button.md-action') : null;
  if (button) runButton(button, actions);
}

function runButton(button: HTMLElement, actions: LinkAndCodeActions): void {
  const block = button.closest<HTMLElement>('.md-code');
  const code = block?.querySelector('code');
  if (!block || !code) return;
  const text = originalTextOf(code);
  const { language, path } = block.dataset;
  const { action } = button.dataset;
  if (action === 'copy') {
    actions.copy(text);
    showCopied(button);
  } else if (action === 'insert') actions.insertAtCursor?.(text);
  else if (action === 'apply') actions.applyCode?.(text, path);
  else if (action === 'open') actions.openAsNewFile?.(text, language);
  else if (action === 'view') actions.openView?.(text);
}

function showCopied(button: HTMLElement): void {
  const label = button.title;
  button.classList.add('md-done');
  button.ariaLabel = 'Copied';
  setTimeout(() => {
    button.classList.remove('md-done');
    button.ariaLabel = label;
  }, copiedLabelMs);
}

function closestLink(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>('a[data-target]') : null;
}

function preventOnLink(event: Event): void {
  if (closestLink(event.target)) event.preventDefault();
}

function isInSelection(link: HTMLElement): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(link, true);
}
