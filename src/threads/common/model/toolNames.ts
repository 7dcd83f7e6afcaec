import type { EntryOf } from '../../../transcript/common/entries';
import { pathOrUriPath } from './fileUriPath';
import { firstLine, isRecord, listOf, ownOf, textOf, type JsonRecord } from './jsonValues';

/** What Amp's tools are called and what their calls are about. */

type ToolKind = EntryOf<'tool'>['toolKind'];

const kinds: Readonly<Record<string, ToolKind>> = {
  read: 'read',
  list_directory: 'read',
  get_diagnostics: 'read',
  read_thread: 'read',
  skill: 'read',
  look_at: 'read',
  bash: 'execute',
  shell_command: 'execute',
  repl: 'execute',
  program: 'execute',
  edit_file: 'edit',
  create_file: 'edit',
  undo_edit: 'edit',
  apply_patch: 'edit',
  format_file: 'edit',
  delete_file: 'delete',
  grep: 'search',
  glob: 'search',
  find_thread: 'search',
  tool_search: 'search',
  web_search: 'fetch',
  read_web_page: 'fetch',
  todo_write: 'think',
  todo_read: 'think',
  finder: 'agent',
  codebase_search_agent: 'agent',
  oracle: 'agent',
  librarian: 'agent',
  task: 'agent',
  code_review: 'agent',
};

/** As other builds of Amp and the tables here call it. */
export function bareToolName(name: string): string {
  return name.replace(/^functions\./, '');
}

export function toolKind(name: string): ToolKind {
  return ownOf(kinds, bareToolName(name).toLowerCase()) ?? 'other';
}

/** One line. */
export function toolTitle(name: string, input: unknown): string {
  const about = isRecord(input) ? subjectOf(input) : undefined;
  const line = about === undefined ? '' : firstLine(about);
  if (line === '') return bareToolName(name);
  // The user's own commands, as they were typed.
  return firstLine(name.startsWith('$') ? `${name} ${line}` : `${bareToolName(name)}: ${line}`);
}

export function commandOf(input: unknown): string | undefined {
  if (!isRecord(input)) return undefined;
  const command = input['cmd'] ?? input['command'];
  if (typeof command === 'string') return textOf([command, ...texts(input['args'])].join(' '));
  return textOf(texts(command).join(' '));
}

export function inputPath(input: unknown): string | undefined {
  return isRecord(input) ? firstText(input, ['path', 'absolutePath', 'file_path', 'filePath']) : undefined;
}

function pathIn(input: JsonRecord): string | undefined {
  const path = inputPath(input);
  return path === undefined ? undefined : pathOrUriPath(path);
}

function subjectOf(input: JsonRecord): string | undefined {
  return (
    commandOf(input) ??
    firstText(input, ['pattern', 'filePattern']) ??
    pathIn(input) ??
    firstText(input, ['description', 'query', 'url', 'objective', 'task', 'prompt', 'name', 'goal', 'code'])
  );
}

export function firstText(record: JsonRecord, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = textOf(record[name]);
    if (value !== undefined) return value;
  }
  return undefined;
}

function texts(value: unknown): readonly string[] {
  return listOf(value).filter((item) => typeof item === 'string');
}
