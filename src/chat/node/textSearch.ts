import * as z from 'zod';
import { oneLine } from '../../base/common/text/oneLine';
import type { FilePort } from '../../base/node/filePort';
import type { ConversationHead, ConversationSearchResult } from '../common/chatStore';
import { readLines } from './log/logLines';

/** Size of the pieces in which texts are searched, in UTF-16 units. They overlap, as a word may cross their border. */
const pieceUnits = 64 * 1024;
const overlapUnits = 256;
/** Maximum number of conversations that a search finds, and of bytes that it reads. */
const maxFound = 200;
const maxSearchBytes = 256 * 1024 * 1024;
const snippetBefore = 40;
const snippetUnits = 160;

const Searched = z.union([
  z.object({ type: z.literal('prompt'), text: z.string() }),
  z.object({
    type: z.literal('event'),
    event: z.object({
      event: z.string(),
      data: z.object({
        delta: z.string().optional(),
        prompt: z.string().optional(),
        response: z.string().optional(),
        title: z.string().optional(),
        replayed: z.boolean().optional(),
      }),
    }),
  }),
]);
const searchedLine = /"(?:prompt|content_block:delta|prompt:submit|prompt:complete|tool:pre)"/;
const searchedEvents: ReadonlySet<string> = new Set([
  'content_block:delta',
  'prompt:submit',
  'prompt:complete',
  'tool:pre',
]);

/** Finds conversations by title or text, newest first. When `signal` fires, resolves with the results so far. */
export async function searchConversations(
  files: FilePort,
  heads: readonly ConversationHead[],
  logFileOf: (id: string) => string,
  query: string,
  signal?: AbortSignal,
): Promise<readonly ConversationSearchResult[]> {
  const words = queryWords(query);
  const newestFirst = heads.toSorted((a, b) => b.updatedAt - a.updatedAt);
  if (words.length === 0) return newestFirst.map((head) => ({ head }));
  const found: ConversationSearchResult[] = [];
  let bytesLeft = maxSearchBytes;
  const spend = (bytes: number): boolean => (bytesLeft -= bytes) > 0;
  for (const head of newestFirst) {
    if (signal?.aborted || found.length >= maxFound) break;
    if (hasAllWords(head.title, words)) {
      found.push({ head });
      continue;
    }
    if (bytesLeft <= 0) continue;
    const search = searchLog(files, logFileOf(head.id), words, spend, signal);
    const snippet = await search.catch(() => undefined);
    if (snippet !== undefined) found.push({ head, snippet });
  }
  return found;
}

/** Returns the words of a query. A text matches if it contains all of them. */
export function queryWords(query: string): string[] {
  return query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 16);
}

export function hasAllWords(text: string, words: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return words.every((word) => lower.includes(word));
}

/**
 * Returns an excerpt around the first word if the texts of a log contain all words.
 * Calls `spend` with the number of bytes read. If it returns false, the search ends.
 */
export async function searchLog(
  files: FilePort,
  file: string,
  words: readonly string[],
  spend: (bytes: number) => boolean,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const search = new WordSearch(words);
  let read = 0;
  for await (const line of readLines(files.readChunks(file, signal))) {
    // Most lines are tool events and are skipped without decoding.
    if (searchedLine.test(line.start(200))) search.addText(textOf(line.text()));
    if (search.hasFoundAll) break;
    if (!spend(line.endOffset - read) || signal?.aborted) return undefined;
    read = line.endOffset;
  }
  return search.finish();
}

class WordSearch {
  private readonly missingWords: Set<string>;
  private readonly firstWord: string;
  private currentPiece = '';
  private snippet: string | undefined;

  constructor(words: readonly string[]) {
    this.missingWords = new Set(words);
    this.firstWord = words[0] ?? '';
  }

  get hasFoundAll(): boolean {
    return this.missingWords.size === 0;
  }

  addText(text: string): void {
    this.currentPiece += text;
    if (this.currentPiece.length >= pieceUnits) this.searchPiece();
  }

  finish(): string | undefined {
    this.searchPiece();
    return this.hasFoundAll ? this.snippet : undefined;
  }

  private searchPiece(): void {
    const lower = this.currentPiece.toLowerCase();
    for (const word of this.missingWords) {
      const index = lower.indexOf(word);
      if (index === -1) continue;
      this.missingWords.delete(word);
      if (word === this.firstWord) this.snippet = snippetAt(this.currentPiece, index);
    }
    this.currentPiece = this.currentPiece.slice(-overlapUnits);
  }
}

function snippetAt(text: string, index: number): string {
  const start = Math.max(0, index - snippetBefore);
  const words = oneLine(text.slice(start, start + snippetUnits));
  return `${start > 0 ? '…' : ''}${words}${start + snippetUnits < text.length ? '…' : ''}`;
}

function textOf(line: string): string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return '';
  }
  const found = Searched.safeParse(value).data;
  if (!found) return '';
  if (found.type === 'prompt') return `\n${found.text}\n`;
  const { event, data } = found.event;
  if (!searchedEvents.has(event)) return '';
  if (event === 'content_block:delta') return data.delta ?? '';
  return `\n${(event === 'prompt:submit' ? data.prompt : event === 'tool:pre' ? data.title : data.response) ?? ''}\n`;
}
