import { isRecord } from '../../../base/common/isRecord';
import type { ToolContent } from '../../../session/common/sessionEvents';
import type { EntryOf, Part } from '../../../transcript/common/entries';
import { diffOf } from '../../../transcript/common/lineDiff';
import { isPlainText } from './callContent';
import type { DiffTexts } from '../chatPorts';

type ToolEntry = EntryOf<'tool'>;

export interface ShownParts {
  readonly parts: readonly Part[];
  /** Of the parts that are diffs, by the index of the part. */
  readonly diffs: readonly (DiffTexts | undefined)[];
}

export type ToolInput = Readonly<Record<string, unknown>>;

/** What an agent wants to be shown of a call, which may be of a `kind` and run a `command`. */
export function contentParts(
  content: readonly ToolContent[],
  about: { readonly command?: string | undefined; readonly kind?: ToolEntry['toolKind'] } = {},
): ShownParts {
  const diffs = content.map((item) =>
    item.type === 'diff' ? { path: item.path, before: item.old_text, after: item.new_text } : undefined,
  );
  return { parts: content.map((item) => contentPart(item, about)), diffs };
}

function contentPart(item: ToolContent, { command, kind }: Parameters<typeof contentParts>[1] = {}): Part {
  switch (item.type) {
    case 'text': {
      const { text } = item;
      return kind && isPlainText(kind, text) ? { type: 'text', text, plain: true } : { type: 'text', text };
    }
    case 'diff':
      return diffOf(item.path, item.old_text, item.new_text);
    case 'terminal':
      return {
        type: 'terminal',
        output: item.output,
        ...(command === undefined ? {} : { command }),
        ...(item.exit_code === undefined ? {} : { exitCode: item.exit_code }),
        ...(item.signal === undefined || item.signal === null ? {} : { signal: item.signal }),
      };
    case 'image':
      return { type: 'image', mimeType: item.mime_type, data: item.data };
    case 'link':
      return { type: 'link', uri: item.uri, ...(item.title === undefined ? {} : { title: item.title }) };
  }
}

/** What the input of a call that says nothing else shows of a change: the texts it replaces or writes. */
export function inputParts(input: ToolInput): ShownParts {
  const path = pathOf(input);
  if (path === undefined) return nothing;
  const before = textIn(input, ['old_string', 'old_text', 'oldText', 'old_str']);
  const after = textIn(input, ['new_string', 'new_text', 'newText', 'new_str']);
  if (before !== undefined && after !== undefined) {
    return { parts: [diffOf(path, before, after)], diffs: [{ path, before, after }] };
  }
  const content = textIn(input, ['content', 'file_text', 'contents']);
  return content === undefined ? nothing : { parts: [{ type: 'file', path, text: content }], diffs: [] };
}

/** What a call gave back, when its agent does not say how to show it. */
export function resultParts(output: unknown, isCommand: boolean, command: string | undefined): readonly Part[] {
  if (output === undefined || output === null || output === '') return [];
  const ofCommand = command === undefined ? {} : { command };
  if (typeof output === 'string') {
    return isCommand ? [{ type: 'terminal', output, ...ofCommand }] : [{ type: 'text', text: output, plain: true }];
  }
  if (isRecord(output) && ('stdout' in output || 'stderr' in output)) {
    const texts = [output['stdout'], output['stderr']].filter((text) => typeof text === 'string' && text !== '');
    const code = output['exit_code'] ?? output['returncode'] ?? output['exitCode'];
    return [
      {
        type: 'terminal',
        output: texts.join('\n'),
        ...ofCommand,
        ...(typeof code === 'number' ? { exitCode: code } : {}),
      },
    ];
  }
  if (isTexts(output)) return output.length === 0 ? [] : [{ type: 'list', items: output }];
  return [{ type: 'json', json: toJson(output) }];
}

/** The command that a call runs, as one would type it. */
export function commandOf(input: ToolInput): string | undefined {
  const command = input['command'] ?? input['cmd'] ?? input['argv'];
  const args = isTexts(input['args']) ? input['args'].map(quoted) : [];
  // A text may be a whole line for a shell, so it is not quoted.
  if (typeof command === 'string') return [command, ...args].join(' ');
  if (!isTexts(command) || command.length === 0) return undefined;
  return [...command.map(quoted), ...args].join(' ');
}

/** The members that `commandOf` takes it from. */
export function commandKeys(input: ToolInput): string[] {
  const key = ['command', 'cmd', 'argv'].find((name) => input[name] !== undefined && input[name] !== null);
  return [...(key === undefined ? [] : [key]), ...(isTexts(input['args']) ? ['args'] : [])];
}

export function urlOf(input: ToolInput): string | undefined {
  return textIn(input, ['url', 'uri']);
}

/** The file that a call is about, by the names that tools give it. */
export function pathOf(input: ToolInput): string | undefined {
  return textIn(input, ['path', 'file_path', 'filePath', 'filename', 'file', 'abs_path', 'notebook_path']);
}

export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2);
  } catch {
    return String(value);
  }
}

function textIn(input: ToolInput, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = input[name];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function quoted(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

const nothing: ShownParts = { parts: [], diffs: [] };
