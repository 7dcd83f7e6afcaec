import * as z from 'zod/mini';
import type { Part } from '../../../../transcript/common/entries';
import { isRecord, listOf, ownOf, textOf, type JsonRecord } from '../../model/jsonValues';
import { pathOrUriPath } from '../../model/fileUriPath';
import { rawJson } from '../../model/rawJson';
import { soft } from '../../model/threadSchema';
import { changeParts } from './changeParts';
import { dataPart, imageLink, imagePart } from './images';
import { bareToolName, commandOf, firstText, inputPath, toolKind } from '../../model/toolNames';
import { plainText } from './mapped';
import { unreadParts } from './unreadParts';

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
  const own = ownOf(readers, tool)?.(result, call) ?? anyParts(result, call);
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
    return file.contentURL === undefined ? undefined : [imageLink(file.contentURL)];
  }
  if (file.content === undefined) return file.contentURL === undefined ? undefined : [imageLink(file.contentURL)];
  return [{ type: 'file', path, ...withoutNumbers(file.content) }];
}

/** Amp numbers the lines it reads: `12: text`. */
function withoutNumbers(content: string): { text: string; firstLine?: number } {
  const first = /^ *(\d+): ?/.exec(content)?.[1];
  if (first === undefined) return { text: content };
  const firstLine = Number(first);
  const lines = content.split('\n');
  if (!Number.isSafeInteger(firstLine + lines.length)) return { text: content };
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
  const isExit = exitCode === null || (typeof exitCode === 'number' && Number.isFinite(exitCode));
  return [
    {
      type: 'terminal',
      ...(command === undefined ? {} : { command }),
      output,
      ...(isExit ? { exitCode } : {}),
    },
    ...(isRecord(truncation) || truncation === true ? [plainText('Amp has cut this output.')] : []),
    ...(isRecord(result) ? unreadParts(result, shownKeys(result)) : []),
  ];
}

function outputOf(result: unknown): string | undefined {
  if (typeof result === 'string') return result;
  if (!isRecord(result)) return undefined;
  const output = textOf(result['output']);
  if (output !== undefined) return output;
  const streams = [result['stdout'], result['stderr']].flatMap((stream) => textOf(stream) ?? []);
  if (streams.length > 0) return streams.join('\n');
  return result['output'] === '' || typeof result['exitCode'] === 'number' ? '' : undefined;
}

/** What a terminal shows of a result, and what is of no use once it has ended. */
function shownKeys(result: JsonRecord): readonly string[] {
  const outputs = ['output', 'stdout', 'stderr'].filter((key) => typeof result[key] === 'string');
  return [...outputs, 'exitCode', 'truncation', 'pid'];
}

function webHits(result: unknown): readonly Part[] | undefined {
  const hits = isRecord(result) ? listOf(result['results']) : listOf(result);
  const links = hits.flatMap((hit): readonly Part[] => {
    const uri = isRecord(hit) ? textOf(hit['url']) : undefined;
    const title = isRecord(hit) ? textOf(hit['title']) : undefined;
    return uri === undefined ? [] : [{ type: 'link', uri, ...(title === undefined ? {} : { title }) }];
  });
  if (links.length === 0 || links.length < hits.length) return undefined;
  return [...links, ...(isRecord(result) ? unreadParts(result, ['results']) : [])];
}

function threadHits(result: unknown): readonly Part[] | undefined {
  if (!isRecord(result)) return undefined;
  const items = listOf(result['threads']).map(threadName);
  if (items.length === 0 || items.includes('')) return undefined;
  return [{ type: 'list', items }, ...unreadParts(result, ['threads'])];
}

/** Empty for what names no thread. */
function threadName(thread: unknown): string {
  if (!isRecord(thread)) return textOf(thread) ?? '';
  const names = [firstText(thread, ['id', 'threadID']), firstText(thread, ['title', 'name'])];
  return names.filter((name) => name !== undefined).join(' ');
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
  return change ? [...change.parts, ...saidParts(change.rest, call)] : saidParts(result, call);
}

function saidParts(result: unknown, call: CallView): readonly Part[] {
  if (result === undefined) return [];
  if (typeof result === 'string') return result === '' ? [] : [said(result, call)];
  if (typeof result === 'number' || typeof result === 'boolean') return [plainText(String(result))];
  if (Array.isArray(result)) return arrayParts(result, call);
  if (isRecord(result)) return recordParts(result, call);
  return [json(result)];
}

function arrayParts(items: readonly unknown[], call: CallView): readonly Part[] {
  if (items.length === 0) return [plainText('Nothing was found.')];
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
  return [typeof flag === 'boolean' ? plainText(flag ? 'Succeeded.' : 'Did not succeed.') : json(result)];
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
  return isMarkdown ? { type: 'text', text: words } : plainText(words);
}

/** Instructions that Amp found on the way. */
function guidanceParts(result: unknown): readonly Part[] {
  const files = isRecord(result) ? listOf(result['discoveredGuidanceFiles']) : [];
  const items = files.flatMap((file) => (isRecord(file) ? (textOf(file['uri']) ?? []) : [])).map(pathOrUriPath);
  return items.length > 0 ? [plainText('Guidance that applies here:'), { type: 'list', items }] : [];
}

function json(value: unknown): Part {
  return { type: 'json', json: rawJson(value) };
}
