import { isRecord } from '../../../base/common/isRecord';
import { quoteForPosixShell } from '../../../base/common/text/visibleText';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ToolContent } from '../../../session/common/sessionEvents';
import type { EntryOf, Part } from '../../../transcript/common/entries';
import { createDiff } from '../../../transcript/common/lineDiff';
import { isPlainText } from './callContent';
import type { DiffTexts } from '../chatPorts';

type ToolEntry = EntryOf<'tool'>;

export interface PartsWithDiffs {
  readonly parts: readonly Part[];
  /** Complete texts of diffs, by part index. Undefined for other parts. */
  readonly diffs: readonly (DiffTexts | undefined)[];
}

export type ToolInput = Readonly<Record<string, unknown>>;

/** Converts the content that an agent has sent for a call to parts. `about` describes the call. */
export function contentParts(
  content: readonly ToolContent[],
  about: { readonly command?: string | undefined; readonly kind?: ToolEntry['toolKind'] } = {},
): PartsWithDiffs {
  const diffs = content.map((item) =>
    item.type === 'diff' ? { path: item.path, before: item.old_text, after: item.new_text } : undefined,
  );
  return { parts: content.map((item) => contentPart(item, about)), diffs };
}

function contentPart(item: ToolContent, { command, kind }: Parameters<typeof contentParts>[1] = {}): Part {
  switch (item.type) {
    case 'text': {
      const text = withCutNotice(item.text, item.truncated);
      const isPlain = kind !== undefined && isPlainText(kind, text);
      return { type: 'text', text, ...(isPlain && { plain: true }), ...withoutUndefined({ role: item.role }) };
    }
    case 'diff':
      return createDiff(item.path, item.old_text, item.new_text);
    case 'terminal':
      return {
        type: 'terminal',
        output: withCutNotice(item.output, item.truncated),
        ...withoutUndefined({ command, exitCode: item.exit_code, signal: item.signal ?? undefined }),
      };
    case 'image':
      return { type: 'image', mimeType: item.mime_type, data: item.data };
    case 'link':
      return { type: 'link', uri: item.uri, ...withoutUndefined({ title: item.title }) };
  }
}

function withCutNotice(text: string, isCut: boolean | undefined): string {
  return isCut ? `[The start of this output was not kept.]\n${text}` : text;
}

/** Returns the change that a call's input describes, as parts: the texts that it replaces or writes. */
export function changePartsOfInput(input: ToolInput): PartsWithDiffs {
  const path = pathOfInput(input);
  if (path === undefined) return noParts;
  const before = firstString(input, ['old_string', 'old_text', 'oldText', 'old_str']);
  const after = firstString(input, ['new_string', 'new_text', 'newText', 'new_str']);
  if (before !== undefined && after !== undefined) {
    return { parts: [createDiff(path, before, after)], diffs: [{ path, before, after }] };
  }
  const content = firstString(input, ['content', 'file_text', 'contents']);
  return content === undefined ? noParts : { parts: [{ type: 'file', path, text: content }], diffs: [] };
}

/** Converts the output of a call without content to parts. */
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
  if (isStringArray(output)) return output.length === 0 ? [] : [{ type: 'list', items: output }];
  return [{ type: 'json', json: toJson(output) }];
}

export function commandOf(input: ToolInput): string | undefined {
  const command = input['command'] ?? input['cmd'] ?? input['argv'];
  const args = isStringArray(input['args']) ? input['args'].map(quoteForPosixShell) : [];
  // A string may be a complete shell command, so it is not quoted.
  if (typeof command === 'string') return [command, ...args].join(' ');
  if (!isStringArray(command) || command.length === 0) return undefined;
  return [...command.map(quoteForPosixShell), ...args].join(' ');
}

/** Names of the members that `commandOf` reads. */
export function commandKeys(input: ToolInput): string[] {
  const key = ['command', 'cmd', 'argv'].find((name) => input[name] !== undefined && input[name] !== null);
  return [...(key === undefined ? [] : [key]), ...(isStringArray(input['args']) ? ['args'] : [])];
}

export function urlOf(input: ToolInput): string | undefined {
  return firstString(input, ['url', 'uri']);
}

/** Returns the file path in a call's input. The member that contains it can have several names. */
export function pathOfInput(input: ToolInput): string | undefined {
  return firstString(input, ['path', 'file_path', 'filePath', 'filename', 'file', 'abs_path', 'notebook_path']);
}

export function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, undefined, 2);
  } catch {
    return String(value);
  }
}

function firstString(input: ToolInput, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = input[name];
    if (typeof value === 'string') return value;
  }
  return undefined;
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

const noParts: PartsWithDiffs = { parts: [], diffs: [] };
