import type { EntryOf } from '../../../transcript/common/entries';
import { pathOrUriPath } from './fileUriPath';
import { firstLine, isRecord, asList, asNonEmptyText, type JsonRecord } from './jsonValues';

type ToolKind = EntryOf<'tool'>['toolKind'];

const toolsByKind: readonly (readonly [ToolKind, readonly string[]])[] = [
  ['read', ['read', 'list_directory', 'get_diagnostics', 'read_thread', 'skill', 'look_at']],
  ['execute', ['bash', 'shell_command', 'repl', 'program']],
  ['edit', ['edit_file', 'create_file', 'undo_edit', 'apply_patch', 'format_file']],
  ['delete', ['delete_file']],
  ['search', ['grep', 'glob', 'find_thread', 'tool_search']],
  ['fetch', ['web_search', 'read_web_page']],
  ['think', ['todo_write', 'todo_read']],
  ['agent', ['finder', 'codebase_search_agent', 'oracle', 'librarian', 'task', 'code_review']],
];
const kindByTool = new Map(toolsByKind.flatMap(([kind, tools]) => tools.map((tool) => [tool, kind])));

/** Removes the prefix that some builds of Amp add. */
export function bareToolName(name: string): string {
  return name.replace(/^functions\./, '');
}

export function toolKind(name: string): ToolKind {
  return kindByTool.get(bareToolName(name).toLowerCase()) ?? 'other';
}

/** Returns a title on one line: the name of the tool and the subject of the call. */
export function toolTitle(name: string, input: unknown): string {
  const subject = isRecord(input) ? subjectOf(input) : undefined;
  const line = subject === undefined ? '' : firstLine(subject);
  if (line === '') return bareToolName(name);
  // Commands of the user are shown as they were typed: `$ ls`.
  return firstLine(name.startsWith('$') ? `${name} ${line}` : `${bareToolName(name)}: ${line}`);
}

export function commandOfInput(input: unknown): string | undefined {
  if (!isRecord(input)) return undefined;
  const command = input['cmd'] ?? input['command'];
  if (typeof command === 'string') return asNonEmptyText([command, ...texts(input['args'])].join(' '));
  return asNonEmptyText(texts(command).join(' '));
}

export function pathOfInput(input: unknown): string | undefined {
  return isRecord(input) ? firstTextField(input, ['path', 'absolutePath', 'file_path', 'filePath']) : undefined;
}

function pathIn(input: JsonRecord): string | undefined {
  const path = pathOfInput(input);
  return path === undefined ? undefined : pathOrUriPath(path);
}

function subjectOf(input: JsonRecord): string | undefined {
  return (
    commandOfInput(input) ??
    firstTextField(input, ['pattern', 'filePattern']) ??
    pathIn(input) ??
    firstTextField(input, ['description', 'query', 'url', 'objective', 'task', 'prompt', 'name', 'goal', 'code'])
  );
}

export function firstTextField(record: JsonRecord, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = asNonEmptyText(record[name]);
    if (value !== undefined) return value;
  }
  return undefined;
}

function texts(value: unknown): readonly string[] {
  return asList(value).filter((item) => typeof item === 'string');
}
