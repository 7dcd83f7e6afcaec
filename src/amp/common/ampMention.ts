import { isEditorError, type Range } from '../../editor/common/editorPort';

/**
 * How a user names a place to Amp: `@src/a.ts#L12-45`, `@src/a.ts#L12` within one line, `@src/a.ts` for a cursor.
 * The path is relative to `folder` with `/` between its parts; a file that is not below `folder` is named in full.
 * Both are absolute paths of the same system, with `/` or `\`. A path with white space or quotes is quoted, so that it
 * is seen where it ends: `@"my songs/a.ts"#L12`.
 */
export function mentionOf(file: string, selection: Range, folder: string | undefined): string {
  const relative = folder === undefined ? undefined : pathBelow(file, folder);
  return `@${quoted(relative ?? slashes(file))}${lines(selection)}`;
}

/** Whether a path can be typed into a terminal, where a control character is a key: a newline would send the prompt. */
export function isTypable(file: string): boolean {
  return !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(file);
}

/** The one of the folders that the file is in; the innermost where they lie in each other. */
export function closestFolder(file: string, folders: readonly string[]): string | undefined {
  return folders.filter((folder) => pathBelow(file, folder) !== undefined).sort((a, b) => b.length - a.length)[0];
}

/** Why a file is not named to Amp. `reason`: what resolving it has thrown; undefined when nothing. */
export function whyNotOffered(name: string, reason: unknown): string {
  if (!isEditorError(reason))
    return `${name} is not the active editor. Click in its editor, then add the selection again.`;
  switch (reason.code) {
    case 'excluded':
      return `${name} is excluded by the setting backline.exclude.`;
    case 'outsideWorkspace':
      return `${name} is outside the workspace folders. Add its folder to the workspace.`;
    default:
      return reason.message;
  }
}

function quoted(path: string): string {
  return /[\s"']/u.test(path) ? `"${path.replaceAll('"', '\\"')}"` : path;
}

function lines({ start, end }: Range): string {
  if (start.line === end.line) return start.character === end.character ? '' : `#L${start.line + 1}`;
  // A selection of whole lines ends before the first character of the next line, which is not meant.
  const last = end.character === 0 ? end.line - 1 : end.line;
  return last === start.line ? `#L${start.line + 1}` : `#L${start.line + 1}-${last + 1}`;
}

function pathBelow(file: string, folder: string): string | undefined {
  const path = slashes(file);
  const parent = slashes(folder).replace(/\/*$/, '/');
  return path.startsWith(parent) ? path.slice(parent.length) : undefined;
}

/** On POSIX, where absolute paths start with `/`, a `\` is part of a name. */
function slashes(path: string): string {
  return path.startsWith('/') ? path : path.replaceAll('\\', '/');
}
