import type { EntryOf } from '../../../transcript/common/entries';
import { baseName, pathOrUriPath } from './fileUriPath';
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
/** What a call does, in the words of the chat. The subject of the call follows. */
const verbByTool = new Map([
  ['read', 'Read'],
  ['list_directory', 'List'],
  ['get_diagnostics', 'Read problems of'],
  ['read_thread', 'Read thread'],
  ['skill', 'Read skill'],
  ['look_at', 'Look at'],
  ['bash', 'Run'],
  ['shell_command', 'Run'],
  ['edit_file', 'Edit'],
  ['create_file', 'Create'],
  ['undo_edit', 'Undo edit of'],
  ['apply_patch', 'Edit'],
  ['format_file', 'Format'],
  ['delete_file', 'Delete'],
  ['grep', 'Search for'],
  ['glob', 'Find files'],
  ['find_thread', 'Find threads about'],
  ['tool_search', 'Find tools for'],
  ['web_search', 'Search the web for'],
  ['read_web_page', 'Fetch'],
]);
const kindByTool = new Map(toolsByKind.flatMap(([kind, tools]) => tools.map((tool) => [tool, kind])));

/** Removes the prefix that some builds of Amp add. */
export function bareToolName(name: string): string {
  return name.replace(/^functions\./, '');
}

export function toolKind(name: string): ToolKind {
  return kindByTool.get(bareToolName(name).toLowerCase()) ?? 'other';
}

/**
 * Returns a title on one line: what the call does and its subject, as `Edit cart.ts`. Tools without words of their own have
 * their name, and a call without a subject is only that.
 */
export function toolTitle(name: string, input: unknown): string {
  const subject = isRecord(input) ? subjectOf(input) : undefined;
  const line = subject === undefined ? '' : firstLine(subject);
  return line === '' ? bareToolName(name) : titleOf(name, line);
}

/** Returns the title of a call about some files, if its input does not tell its subject. */
export function toolTitleOfFiles(name: string, first: string, more: number): string {
  return `${titleOf(name, first)}${more > 0 ? ` and ${more} more` : ''}`;
}

function titleOf(name: string, subject: string): string {
  // Commands of the user are shown as they were typed: `$ ls`.
  if (name.startsWith('$')) return firstLine(`${name} ${subject}`);
  const verb = verbByTool.get(bareToolName(name).toLowerCase());
  return firstLine(verb === undefined ? `${bareToolName(name)}: ${subject}` : `${verb} ${subject}`);
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

function fileNameIn(input: JsonRecord): string | undefined {
  const path = pathOfInput(input);
  return path === undefined ? undefined : baseName(pathOrUriPath(path));
}

function subjectOf(input: JsonRecord): string | undefined {
  return (
    commandOfInput(input) ??
    firstTextField(input, ['pattern', 'filePattern']) ??
    fileNameIn(input) ??
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
