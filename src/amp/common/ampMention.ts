import { isEditorError, type Range } from '../../editor/common/editorPort';

/**
 * Formats a selection in Amp's syntax: `@src/a.ts#L12-45`, `@src/a.ts#L12` for a single line, `@src/a.ts` for a cursor.
 * The path is relative to `folder` if the file is in it. It is quoted if it contains white space or quotes: `@"my
 * songs/a.ts"#L12`.
 */
export function formatMention(file: string, selection: Range, folder: string | undefined): string {
  const relative = folder === undefined ? undefined : relativePath(file, folder);
  return `@${quoteIfNeeded(relative ?? withSlashes(file))}${lineSuffix(selection)}`;
}

/** Whether a path has no control characters, which a terminal treats as keys: a newline would send the prompt. */
export function isPathTypableInTerminal(file: string): boolean {
  return !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u.test(file);
}

export function innermostFolder(file: string, folders: readonly string[]): string | undefined {
  return folders.filter((folder) => relativePath(file, folder) !== undefined).sort((a, b) => b.length - a.length)[0];
}

/** Explains why a file cannot be mentioned. `reason` is the error that resolving its path has thrown, if any. */
export function explainUnmentionableFile(name: string, reason: unknown): string {
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

function quoteIfNeeded(path: string): string {
  return /[\s"']/u.test(path) ? `"${path.replaceAll('"', '\\"')}"` : path;
}

function lineSuffix({ start, end }: Range): string {
  if (start.line === end.line) return start.character === end.character ? '' : `#L${start.line + 1}`;
  // A selection of whole lines ends before the first character of the next line, which is not part of the selection.
  const last = end.character === 0 ? end.line - 1 : end.line;
  return last === start.line ? `#L${start.line + 1}` : `#L${start.line + 1}-${last + 1}`;
}

function relativePath(file: string, folder: string): string | undefined {
  const path = withSlashes(file);
  const parent = withSlashes(folder).replace(/\/*$/, '/');
  return path.startsWith(parent) ? path.slice(parent.length) : undefined;
}

/** Converts `\` to `/` in Windows paths. In POSIX paths, which start with `/`, `\` is an ordinary character. */
function withSlashes(path: string): string {
  return path.startsWith('/') ? path : path.replaceAll('\\', '/');
}
