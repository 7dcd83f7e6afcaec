import type { EditorPort } from '../../../editor/common/editorPort';

/** Returns the path of the file itself, also if it is a link, with the real path of its folder. Never rejects. */
export async function placeOf(editor: Pick<EditorPort, 'realPathOf'>, path: string): Promise<string> {
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
  const folder = at <= 1 ? undefined : await editor.realPathOf(path.slice(0, at - 1)).catch(() => undefined);
  return folder === undefined ? path : folder + path.slice(at - 1);
}
