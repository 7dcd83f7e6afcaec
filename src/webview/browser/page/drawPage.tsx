import { render, type ComponentChild } from 'preact';
import { HostConnection, type VsCodeApi } from '../hostConnection';
import { HostTimeContext } from '../hostTime';

declare function acquireVsCodeApi(): VsCodeApi;

/** Draws a page into its document. Call it once, because VS Code gives its API to a page only once. */
export function drawPage(create: (connection: HostConnection, api: VsCodeApi) => ComponentChild): void {
  const root = document.getElementById('root');
  if (!root) return;
  const api = acquireVsCodeApi();
  const connection = new HostConnection(api);
  const page = create(connection, api);
  hideSelectAllFromHost(document);
  render(<HostTimeContext.Provider value={connection.hostTime}>{page}</HostTimeContext.Provider>, root);
}

/**
 * Prevents VS Code from receiving the "select all" shortcut in text fields. VS Code would send the command back to the
 * page a moment later, which would also select text that was typed in the meantime. The browser itself selects the text
 * immediately.
 */
function hideSelectAllFromHost(document: Document): void {
  document.addEventListener('keydown', (event) => {
    const isSelectAll = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && event.key === 'a';
    const { target } = event;
    if (isSelectAll && (target instanceof HTMLTextAreaElement || target instanceof HTMLInputElement))
      event.stopPropagation();
  });
}
