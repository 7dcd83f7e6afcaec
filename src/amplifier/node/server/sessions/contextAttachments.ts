import { toFileUri } from '../../../../base/common/addresses/fileUri';
import { isAbsolutePath } from '../../../../editor/common/boundary';
import type {
  ContextDiagnostic,
  ContextSelection,
  ContextUpdate,
  GitState,
  OpenFile,
} from '../../../common/api/apiSchema';
import type { PromptAttachment } from '../../../../session/common/sessionBackend';

type TextAttachment = Extract<PromptAttachment, { type: 'text' }>;

/** Converts a client's editor context to text attachments. Relative paths are resolved against `cwd`. */
export function contextAttachments(context: ContextUpdate, cwd: string): TextAttachment[] {
  const { open_files: files = [], selection, diagnostics = [], git_state: gitState } = context;
  const uriOf = (path: string): string =>
    isUri(path) ? path : toFileUri(isAbsolutePath(path) ? path : `${cwd}/${path}`);
  return [
    ...files.map((file) => fileText(file, uriOf(file.path))),
    ...(selection ? [selectionText(selection, uriOf(selection.path))] : []),
    ...(diagnostics.length > 0 ? [problemsText(diagnostics)] : []),
    ...(gitState ? [gitText(gitState)] : []),
  ];
}

/** Whether a path is a URI such as `untitled:…`, which stays unchanged. A drive letter is not a scheme. */
function isUri(path: string): boolean {
  return /^[a-z][\w+.-]+:/i.test(path);
}

function fileText({ path, content, cursor_position: cursor }: OpenFile, uri: string): TextAttachment {
  const place = cursor ? `, cursor at ${cursor.line + 1}:${cursor.character + 1}` : '';
  return { type: 'text', uri, title: `Open file ${path}${place}`, text: content };
}

function selectionText({ path, text, range }: ContextSelection, uri: string): TextAttachment {
  const lines = `L${range.start.line + 1}-L${range.end.line + 1}`;
  return { type: 'text', uri: `${uri}#${lines}`, title: `Selection in ${path}`, text };
}

function problemsText(diagnostics: readonly ContextDiagnostic[]): TextAttachment {
  const lines = diagnostics.map(
    ({ path, severity, message, range: { start } }) =>
      `${path}:${start.line + 1}:${start.character + 1}: ${severity}: ${message}`,
  );
  return { type: 'text', uri: 'editor:problems', title: 'Problems', text: lines.join('\n') };
}

function gitText({ branch, staged_files, modified_files, untracked_files }: GitState): TextAttachment {
  const list = (title: string, files: readonly string[]): string =>
    files.length === 0 ? '' : `\n${title}: ${files.join(', ')}`;
  const text = `branch: ${branch}${list('staged', staged_files)}${list('modified', modified_files)}${list('untracked', untracked_files)}`;
  return { type: 'text', uri: 'editor:git', title: 'Git state', text };
}
