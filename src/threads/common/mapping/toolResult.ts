import * as z from 'zod/mini';
import type { Part } from '../../../transcript/common/entries';
import { isRecord, listOf, textOf } from '../json';
import { pathOrUriPath } from '../fileUriPath';
import { rawJson } from '../rawJson';
import { soft } from '../schema';
import { changeParts } from './changeParts';
import { dataPart, imageLink, imagePart } from './images';
import { bareToolName, commandOf, firstText, inputPath, toolKind } from './toolNames';

/** A call as far as it decides how its result is shown. */
export interface CallView {
  /** The tool, as the tables know it. */
  readonly tool: string;
  readonly input: unknown;
}

type Reader = (result: unknown, call: CallView) => readonly Part[] | undefined;

/** What a tool gave back; its own shape first, then what anybody can see in it, then JSON. */
export function resultParts(call: CallView, result: unknown): readonly Part[] {
  if (result === undefined) return [];
  const tool = bareToolName(call.tool).toLowerCase();
  const own = readers[tool]?.(result, call) ?? anyParts(result, call);
  return [...own, ...guidanceParts(result)];
}

const text = soft(z.string());
const FileResult = z.object({
  absolutePath: text,
  content: text,
  contentURL: text,
  isImage: soft(z.boolean()),
  imageInfo: soft(z.object({ mimeType: text })),
  isDirectory: soft(z.boolean()),
  directoryEntries: soft(z.array(z.string())),
});

const readers: Readonly<Record<string, Reader>> = {
  read: readFile,
  bash: terminal,
  shell_command: terminal,
  repl: terminal,
  program: terminal,
  web_search: webHits,
  find_thread: threadHits,
  handoff: handedOff,
};

function readFile(result: unknown, { input }: CallView): readonly Part[] | undefined {
  const file = FileResult.safeParse(result).data;
  if (!file) return undefined;
  const path = pathOrUriPath(file.absolutePath ?? inputPath(input) ?? '');
  if (file.directoryEntries) return [{ type: 'list', items: file.directoryEntries }];
  if (file.isImage === true || file.imageInfo) {
    if (file.content !== undefined) return [dataPart(file.imageInfo?.mimeType ?? 'image/png', file.content, path)];
    return file.contentURL === undefined ? undefined : [imageLink(file.contentURL, path)];
  }
  if (file.content === undefined) return file.contentURL === undefined ? undefined : [imageLink(file.contentURL, path)];
  return [{ type: 'file', path, ...withoutNumbers(file.content) }];
}

/** Amp numbers the lines it reads: `12: text`. */
function withoutNumbers(content: string): { text: string; firstLine?: number } {
  const first = /^ *(\d+): ?/.exec(content)?.[1];
  if (first === undefined) return { text: content };
  const firstLine = Number(first);
  const lines = content.split('\n');
  const bare: string[] = [];
  for (const [index, line] of lines.entries()) {
    const match = /^ *(\d+): ?/.exec(line);
    // Something else is in between, as a remark of what was left out: then the numbers say more than their absence.
    if (Number(match?.[1]) !== firstLine + index) return { text: content };
    bare.push(line.slice(match?.[0].length ?? 0));
  }
  return { text: bare.join('\n'), firstLine };
}

function terminal(result: unknown, { input }: CallView): readonly Part[] | undefined {
  const output = outputOf(result);
  if (output === undefined) return undefined;
  const command = commandOf(input);
  const { exitCode, truncation } = isRecord(result) ? result : {};
  return [
    {
      type: 'terminal',
      ...(command === undefined ? {} : { command }),
      output,
      ...(typeof exitCode === 'number' || exitCode === null ? { exitCode } : {}),
    },
    ...(isRecord(truncation) || truncation === true ? [plain('Amp has cut this output.')] : []),
  ];
}

function outputOf(result: unknown): string | undefined {
  if (typeof result === 'string') return result;
  if (!isRecord(result)) return undefined;
  if (typeof result['output'] === 'string') return result['output'];
  const streams = [result['stdout'], result['stderr']].filter((stream) => typeof stream === 'string' && stream !== '');
  return streams.length > 0 ? streams.join('\n') : typeof result['exitCode'] === 'number' ? '' : undefined;
}

function webHits(result: unknown): readonly Part[] | undefined {
  const hits = isRecord(result) ? listOf(result['results']) : listOf(result);
  const links = hits.flatMap((hit): readonly Part[] => {
    const uri = isRecord(hit) ? textOf(hit['url']) : undefined;
    const title = isRecord(hit) ? textOf(hit['title']) : undefined;
    return uri === undefined ? [] : [{ type: 'link', uri, ...(title === undefined ? {} : { title }) }];
  });
  return links.length > 0 && links.length === hits.length ? links : undefined;
}

function threadHits(result: unknown): readonly Part[] | undefined {
  const threads = isRecord(result) && Array.isArray(result['threads']) ? listOf(result['threads']) : undefined;
  const items = threads?.flatMap((thread) => {
    if (!isRecord(thread)) return [];
    return [thread['id'], thread['title']].filter((word) => typeof word === 'string').join(' ');
  });
  return items && items.length > 0 ? [{ type: 'list', items }] : undefined;
}

function handedOff(result: unknown): readonly Part[] | undefined {
  const id = isRecord(result) ? textOf(result['newThreadID']) : undefined;
  if (id === undefined || !isRecord(result)) return undefined;
  const message = textOf(result['message']);
  return [...(message === undefined ? [] : [{ type: 'text' as const, text: message }]), { type: 'list', items: [id] }];
}

/** Whatever tool it was: servers of MCP and tools of tomorrow. */
function anyParts(result: unknown, call: CallView): readonly Part[] {
  const change = changeParts(call, result);
  if (change) return change;
  if (typeof result === 'string') return result === '' ? [] : [said(result, call)];
  if (typeof result === 'number' || typeof result === 'boolean') return [plain(String(result))];
  if (Array.isArray(result)) return arrayParts(result, call);
  if (isRecord(result)) return recordParts(result, call);
  return [json(result)];
}

function arrayParts(items: readonly unknown[], call: CallView): readonly Part[] {
  if (items.length === 0) return [plain('Nothing was found.')];
  if (items.every((item) => typeof item === 'string')) return [{ type: 'list', items: [...items] }];
  const parts = items.map((item) => contentPart(item, call));
  return parts.every((part) => part !== undefined) ? parts : [json(items)];
}

function recordParts(result: Readonly<Record<string, unknown>>, call: CallView): readonly Part[] {
  const one = contentPart(result, call);
  if (one) return [one];
  if (typeof result['exitCode'] === 'number') return terminal(result, call) ?? [json(result)];
  const { content } = result;
  if (Array.isArray(content) && content.length > 0) return arrayParts(content, call);
  if (result['isImage'] === true || isRecord(result['imageInfo'])) return readFile(result, call) ?? [json(result)];
  const words = firstText(result, ['output', 'content', 'text', 'result', 'message']);
  if (words !== undefined) return [said(words, call)];
  const flag = Object.keys(result).length === 1 ? result['success'] : undefined;
  return [typeof flag === 'boolean' ? plain(flag ? 'Succeeded.' : 'Did not succeed.') : json(result)];
}

/** A block in the words of providers and of MCP. */
function contentPart(item: unknown, call: CallView): Part | undefined {
  if (!isRecord(item)) return undefined;
  if (item['type'] === 'text' && typeof item['text'] === 'string') return said(item['text'], call);
  if (item['type'] === 'image') return imagePart(item['source'] ?? item);
  return undefined;
}

/** Subagents and pages of the web write markdown; others write what they like. */
function said(words: string, { tool }: CallView): Part {
  const kind = toolKind(tool);
  const isMarkdown = kind === 'agent' || kind === 'fetch' || kind === 'read';
  return isMarkdown ? { type: 'text', text: words } : plain(words);
}

/** Instructions that Amp found on the way. */
function guidanceParts(result: unknown): readonly Part[] {
  const files = isRecord(result) ? listOf(result['discoveredGuidanceFiles']) : [];
  const items = files.flatMap((file) => (isRecord(file) ? (textOf(file['uri']) ?? []) : [])).map(pathOrUriPath);
  return items.length > 0 ? [plain('Guidance that applies here:'), { type: 'list', items }] : [];
}

function plain(words: string): Part {
  return { type: 'text', text: words, plain: true };
}

function json(value: unknown): Part {
  return { type: 'json', json: rawJson(value) };
}
