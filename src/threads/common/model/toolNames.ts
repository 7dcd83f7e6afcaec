import type { EntryOf } from '../../../transcript/common/entries';
import { pathOrUriPath } from './fileUriPath';
import { firstLine, isRecord, listOf, ownOf, textOf, type JsonRecord } from './jsonValues';

type ToolKind = EntryOf<'tool'>['toolKind'];

const kindByTool: Readonly<Record<string, ToolKind>> = {
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

/** Removes the prefix that some builds of Amp add. */
export function bareToolName(name: string): string {
  return name.replace(/^functions\./, '');
}

export function toolKind(name: string): ToolKind {
  return ownOf(kindByTool, bareToolName(name).toLowerCase()) ?? 'other';
}

/** Returns one line: the name of the tool and what the call is about. */
export function toolTitle(name: string, input: unknown): string {
  const subject = isRecord(input) ? subjectOf(input) : undefined;
  const line = subject === undefined ? '' : firstLine(subject);
  if (line === '') return bareToolName(name);
  // Commands of the user are shown as typed: `$ ls`.
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
