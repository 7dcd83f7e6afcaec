/**
 * VS Code sends "select all" back to a page a moment after the key, over what was typed meanwhile: the next letter would
 * take the place of all of it. In a field the browser selects by itself, and at once; so VS Code does not hear of the key.
 */
export function keepSelectAllInFields(document: Document): void {
  document.addEventListener('keydown', (event) => {
    const isSelectAll = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === 'a';
    const { target } = event;
    if (isSelectAll && (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement))
      event.stopPropagation();
  });
}
