import * as z from 'zod/mini';
import type { Part } from '../../../../transcript/common/entries';
import { isRecord, asList, ownValue, asNonEmptyText, type JsonRecord } from '../../model/jsonValues';
import { pathOrUriPath } from '../../model/fileUriPath';
import { displayJson } from '../../model/displayJson';
import { optionalIgnoringInvalid } from '../../model/threadSchema';
import { changeParts } from './changeParts';
import { inlineImagePart, imageLink, imagePart } from './images';
import { bareToolName, commandOfInput, firstTextField, pathOfInput, toolKind } from '../../model/toolNames';
import { plainTextPart } from './entryWithRawJson';
import { partsOfUnshownValues } from './partsOfUnshownValues';

/** The data of a call that determines how its result is shown. */
export interface ToolNameAndInput {
  /** The normalized name of the tool. */
  readonly tool: string;
  readonly input: unknown;
}

type ResultReader = (result: unknown, call: ToolNameAndInput) => readonly Part[] | undefined;

/** Converts a tool's result to parts. Uses the format of the tool, or else common formats, or else JSON. */
export function resultParts(call: ToolNameAndInput, result: unknown): readonly Part[] {
  if (result === undefined) return [];
  const tool = bareToolName(call.tool).toLowerCase();
  const parts = ownValue(readers, tool)?.(result, call) ?? genericParts(result, call);
  return [...parts, ...guidanceParts(result)];
}

const text = optionalIgnoringInvalid(z.string());
const FileResult = z.object({
  absolutePath: text,
  content: text,
  contentURL: text,
  isImage: optionalIgnoringInvalid(z.boolean()),
  imageInfo: optionalIgnoringInvalid(z.object({ mimeType: text })),
  isDirectory: optionalIgnoringInvalid(z.boolean()),
  directoryEntries: optionalIgnoringInvalid(z.array(z.string())),
});

const readers: Readonly<Record<string, ResultReader>> = {
  read: filePart,
  bash: terminalParts,
  shell_command: terminalParts,
  repl: terminalParts,
  program: terminalParts,
  web_search: webParts,
  find_thread: threadParts,
  handoff: handoffParts,
};

function filePart(result: unknown, { input }: ToolNameAndInput): readonly Part[] | undefined {
  const file = FileResult.safeParse(result).data;
  if (!file) return undefined;
  const path = pathOrUriPath(file.absolutePath ?? pathOfInput(input) ?? '');
  if (file.directoryEntries) return [{ type: 'list', items: file.directoryEntries }];
  if (file.isImage === true || file.imageInfo) {
    if (file.content !== undefined)
      return [inlineImagePart(file.imageInfo?.mimeType ?? 'image/png', file.content, path)];
    return file.contentURL === undefined ? undefined : [imageLink(file.contentURL)];
  }
  if (file.content === undefined) return file.contentURL === undefined ? undefined : [imageLink(file.contentURL)];
  return [{ type: 'file', path, ...withoutLineNumbers(file.content) }];
}

/** Removes the line numbers that Amp adds to each line, for example `12: text`. */
function withoutLineNumbers(content: string): { text: string; firstLine?: number } {
  const first = /^ *(\d+): ?/.exec(content)?.[1];
  if (first === undefined) return { text: content };
  const firstLine = Number(first);
  const lines = content.split('\n');
  if (!Number.isSafeInteger(firstLine + lines.length)) return { text: content };
  const texts: string[] = [];
  for (const [index, line] of lines.entries()) {
    const match = /^ *(\d+): ?/.exec(line);
    // Keeps the numbers if there is other text between the lines, such as a note about omitted lines.
    if (Number(match?.[1]) !== firstLine + index) return { text: content };
    texts.push(line.slice(match?.[0].length ?? 0));
  }
  return { text: texts.join('\n'), firstLine };
}

function terminalParts(result: unknown, { input }: ToolNameAndInput): readonly Part[] | undefined {
  const output = outputOf(result);
  if (output === undefined) return undefined;
  const command = commandOfInput(input);
  const { exitCode, truncation } = isRecord(result) ? result : {};
  const hasExitCode = exitCode === null || (typeof exitCode === 'number' && Number.isFinite(exitCode));
  return [
    {
      type: 'terminal',
      ...(command === undefined ? {} : { command }),
      output,
      ...(hasExitCode ? { exitCode } : {}),
    },
    ...(isRecord(truncation) || truncation === true ? [plainTextPart('Amp truncated this output.')] : []),
    ...(isRecord(result) ? partsOfUnshownValues(result, terminalKeys(result)) : []),
  ];
}

function outputOf(result: unknown): string | undefined {
  if (typeof result === 'string') return result;
  if (!isRecord(result)) return undefined;
  const output = asNonEmptyText(result['output']);
  if (output !== undefined) return output;
  const streams = [result['stdout'], result['stderr']].flatMap((stream) => asNonEmptyText(stream) ?? []);
  if (streams.length > 0) return streams.join('\n');
  return result['output'] === '' || typeof result['exitCode'] === 'number' ? '' : undefined;
}

/** Returns the keys that a terminal shows, and `pid`, which is not useful after the end. */
function terminalKeys(result: JsonRecord): readonly string[] {
  const outputs = ['output', 'stdout', 'stderr'].filter((key) => typeof result[key] === 'string');
  return [...outputs, 'exitCode', 'truncation', 'pid'];
}

function webParts(result: unknown): readonly Part[] | undefined {
  const hits = isRecord(result) ? asList(result['results']) : asList(result);
  const links = hits.flatMap((hit): readonly Part[] => {
    const uri = isRecord(hit) ? asNonEmptyText(hit['url']) : undefined;
    const title = isRecord(hit) ? asNonEmptyText(hit['title']) : undefined;
    return uri === undefined ? [] : [{ type: 'link', uri, ...(title === undefined ? {} : { title }) }];
  });
  if (links.length === 0 || links.length < hits.length) return undefined;
  return [...links, ...(isRecord(result) ? partsOfUnshownValues(result, ['results']) : [])];
}

function threadParts(result: unknown): readonly Part[] | undefined {
  if (!isRecord(result)) return undefined;
  const items = asList(result['threads']).map(threadName);
  if (items.length === 0 || items.includes('')) return undefined;
  return [{ type: 'list', items }, ...partsOfUnshownValues(result, ['threads'])];
}

/** Returns the name of a thread. Empty if the format is unknown. */
function threadName(thread: unknown): string {
  if (!isRecord(thread)) return asNonEmptyText(thread) ?? '';
  const names = [firstTextField(thread, ['id', 'threadID']), firstTextField(thread, ['title', 'name'])];
  return names.filter((name) => name !== undefined).join(' ');
}

function handoffParts(result: unknown): readonly Part[] | undefined {
  const id = isRecord(result) ? asNonEmptyText(result['newThreadID']) : undefined;
  if (id === undefined || !isRecord(result)) return undefined;
  const message = asNonEmptyText(result['message']);
  return [...(message === undefined ? [] : [{ type: 'text' as const, text: message }]), { type: 'list', items: [id] }];
}

/** Handles the results of MCP tools and unknown tools. */
function genericParts(result: unknown, call: ToolNameAndInput): readonly Part[] {
  const change = changeParts(call, result);
  return change ? [...change.parts, ...contentParts(change.rest, call)] : contentParts(result, call);
}

function contentParts(result: unknown, call: ToolNameAndInput): readonly Part[] {
  if (result === undefined) return [];
  if (typeof result === 'string') return result === '' ? [] : [textPart(result, call)];
  if (typeof result === 'number' || typeof result === 'boolean') return [plainTextPart(String(result))];
  if (Array.isArray(result)) return arrayParts(result, call);
  if (isRecord(result)) return recordParts(result, call);
  return [json(result)];
}

function arrayParts(items: readonly unknown[], call: ToolNameAndInput): readonly Part[] {
  if (items.length === 0) return [plainTextPart('No results.')];
  if (items.every((item) => typeof item === 'string')) return [{ type: 'list', items: [...items] }];
  const parts = items.map((item) => contentPart(item, call));
  return parts.every((part) => part !== undefined) ? parts : [json(items)];
}

function recordParts(result: Readonly<Record<string, unknown>>, call: ToolNameAndInput): readonly Part[] {
  const part = contentPart(result, call);
  if (part) return [part];
  if (typeof result['exitCode'] === 'number') return terminalParts(result, call) ?? [json(result)];
  const { content } = result;
  if (Array.isArray(content) && content.length > 0) return arrayParts(content, call);
  if (result['isImage'] === true || isRecord(result['imageInfo'])) return filePart(result, call) ?? [json(result)];
  const text = firstTextField(result, ['output', 'content', 'text', 'result', 'message']);
  if (text !== undefined) return [textPart(text, call)];
  const flag = Object.keys(result).length === 1 ? result['success'] : undefined;
  return [typeof flag === 'boolean' ? plainTextPart(flag ? 'Succeeded.' : 'Failed.') : json(result)];
}

/** Converts a content block of a model provider or of MCP. */
function contentPart(item: unknown, call: ToolNameAndInput): Part | undefined {
  if (!isRecord(item)) return undefined;
  if (item['type'] === 'text' && typeof item['text'] === 'string') return textPart(item['text'], call);
  if (item['type'] === 'image') return imagePart(item['source'] ?? item);
  return undefined;
}

/** Returns a part for a text. Only results of subagents, web pages and files are shown as Markdown. */
function textPart(text: string, { tool }: ToolNameAndInput): Part {
  const kind = toolKind(tool);
  const isMarkdown = kind === 'agent' || kind === 'fetch' || kind === 'read';
  return isMarkdown ? { type: 'text', text } : plainTextPart(text);
}

/** Lists the guidance files that Amp found while the tool ran. */
function guidanceParts(result: unknown): readonly Part[] {
  const files = isRecord(result) ? asList(result['discoveredGuidanceFiles']) : [];
  const items = files.flatMap((file) => (isRecord(file) ? (asNonEmptyText(file['uri']) ?? []) : [])).map(pathOrUriPath);
  return items.length > 0 ? [plainTextPart('Applicable guidance:'), { type: 'list', items }] : [];
}

function json(value: unknown): Part {
  return { type: 'json', json: displayJson(value) };
}
