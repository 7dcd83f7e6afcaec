/** VS Code's scheme for the cells of a notebook: each is a document of its own, with the path of the notebook. */
export const cellScheme = 'vscode-notebook-cell';

const cellPrefix = new RegExp(`^${cellScheme}:(?://[^/]*)?(?=/)`, 'u');

/** The URI of the notebook that a cell is in, with a fragment that names the cell; any other URI as it is. */
export function outsideCell(uri: string): string {
  return uri.replace(cellPrefix, 'file://');
}
