/**
 * Prevents VS Code from receiving the "select all" shortcut in text fields. VS Code would send the command back to the
 * page a moment later, which would also select text that was typed in the meantime. The browser itself selects the text
 * immediately.
 */
export function hideSelectAllFromHost(document: Document): void {
  document.addEventListener('keydown', (event) => {
    const isSelectAll = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === 'a';
    const { target } = event;
    if (isSelectAll && (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement))
      event.stopPropagation();
  });
}
