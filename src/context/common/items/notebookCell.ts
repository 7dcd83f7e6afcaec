/** URI scheme of notebook cells in VS Code. Each cell is a document with the path of its notebook. */
export const cellScheme = 'vscode-notebook-cell';

const cellPrefix = new RegExp(`^${cellScheme}:(?://[^/]*)?(?=/)`, 'u');

/** Returns the `file:` URI of a cell's notebook, with the cell as the fragment. Returns other URIs unchanged. */
export function notebookUri(uri: string): string {
  return uri.replace(cellPrefix, 'file://');
}
