import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { parseJson } from '../../../base/common/parseJson';
import type { ContextItem } from '../items/contextItem';
import type { ContextReader, FileItems } from './contextReader';
import type { ContextLookups } from './contextLookups';
import * as z from 'zod';
import type { ItemList } from '../items/itemList';
import { isSafeLink } from '../items/safeLink';
import { estimateTextTokens, searchItems } from '../items/itemQueries';
import { formatItemLines, itemParagraph, itemLocation } from '../items/itemTexts';
import { mentionSchema } from './providerMention';
import type { FoundMention, MentionSearch } from './mentionSearch';

/** A mention of context items, in the same form as mentions in the chat. `line` is 1-based. */
export interface ContextMention {
  readonly kind: 'context';
  readonly id: string;
  readonly title: string;
  readonly path?: string;
  readonly line?: number;
  /** Estimated size in tokens. Absent until the items were requested from the provider. */
  readonly tokens?: number;
  readonly detail?: string;
}

export interface ContextMentionInFile extends ContextMention {
  readonly path: string;
  readonly tokens: number;
}

interface ContextAttachment {
  readonly type: 'text';
  readonly uri?: string;
  readonly title: string;
  readonly text: string;
}

const maxRows = 20;
/** How long a search waits while the user types, in milliseconds: a slow provider must not delay others. */
const searchWaitMs = 300;
/** How long to wait for current items before a prompt is sent, in milliseconds. */
const resolveWaitMs = 1_000;
/** Maximum length of the text for one mention, in UTF-16 units. */
const maxSent = 256 * 1_024;

/**
 * The id of a mention: path, title, provider and line of an item. It stays valid after a reload. Without a title, it
 * refers to the whole file.
 */
const MentionId = z.tuple([z.string(), z.string().nullable(), z.string(), z.number().nullable()]);

/** The id of a mention that was found by a query: the provider and the mention itself. */
const FoundId = z.tuple([z.literal('mention'), z.string(), mentionSchema]);

/** Mentions of context items: of the active file, then of other files, then those that providers find. */
export class ContextMentions {
  readonly kind = 'context';

  constructor(
    private readonly reader: Pick<ContextReader, 'itemsOf' | 'searchKnownItems'>,
    private readonly lookups: Pick<ContextLookups, 'searchMentions' | 'itemsOfMention'> & {
      readonly mentionSearch: Pick<MentionSearch, 'isWaiting' | 'waitForMoreAnswers'>;
    },
  ) {}

  /** Whether more results for this query may follow. */
  isSearching(query: string): boolean {
    return this.lookups.mentionSearch.isWaiting(query);
  }

  /** Resolves when there are more results or when no more will follow. @returns whether to search again */
  async waitForMoreResults(query: string, signal: AbortSignal): Promise<boolean> {
    return await this.lookups.mentionSearch.waitForMoreAnswers(query, signal);
  }

  async search(query: string, signal: AbortSignal): Promise<readonly ContextMention[]> {
    const [known, found] = await Promise.all([
      this.searchKnownItems(query, signal),
      this.lookups.searchMentions(query, { signal, waitMs: searchWaitMs }),
    ]);
    return [...known, ...found.slice(0, maxRows).map(rowOfFound)];
  }

  private async searchKnownItems(query: string, signal: AbortSignal): Promise<readonly ContextMention[]> {
    const isEnough = ({ length }: ItemList): boolean => length > 0;
    const active = await this.reader.itemsOf(undefined, { signal, waitMs: searchWaitMs, isEnough });
    const ofActive = active ? searchItems(active.items, query).map((item) => mentionOf(active.file.path, item)) : [];
    const others = await this.reader.searchKnownItems(query, maxRows);
    const ofOthers = others.flatMap(({ path, item }) => (path === active?.file.path ? [] : [mentionOf(path, item)]));
    const all = active && 'context items'.startsWith(query.toLowerCase()) ? mentionOfAllItems(active) : undefined;
    const rows = [...(all ? [all] : []), ...ofActive, ...ofOthers];
    return rows.slice(0, maxRows);
  }

  /** Returns the text to send for a mention. Empty if its item no longer exists. @throws EditorError */
  async resolve({ id }: { readonly id: string }, signal: AbortSignal): Promise<readonly ContextAttachment[]> {
    const json = parseId(id);
    const found = FoundId.safeParse(json).data;
    if (found) return await this.resolveFoundMention(found, signal);
    const parsed = MentionId.safeParse(json).data;
    return parsed ? await this.resolveItem(parsed, signal) : [];
  }

  private async resolveItem(
    [path, title, provider, line]: z.infer<typeof MentionId>,
    signal: AbortSignal,
  ): Promise<readonly ContextAttachment[]> {
    const found = await this.reader.itemsOf(path, { signal, waitMs: resolveWaitMs });
    if (!found) return [];
    if (title === null) return attachmentsOf(found.file, itemsForAi(found.items));
    const same = [...found.items].filter((item) => item.title === title && item.provider.id === provider);
    const nearest = same.toSorted((a, b) => distance(a, line) - distance(b, line)).slice(0, 1);
    return attachmentsOf(found.file, nearest);
  }

  private async resolveFoundMention(
    [, provider, found]: z.infer<typeof FoundId>,
    signal: AbortSignal,
  ): Promise<readonly ContextAttachment[]> {
    const items = await this.lookups.itemsOfMention(provider, found, signal);
    let room = maxSent;
    return items.flatMap((item) => {
      const text = itemParagraph(undefined, item).slice(0, room);
      room -= text.length;
      return text === '' ? [] : [{ type: 'text', ...uriOf(item.url ?? found.uri), title: item.title, text }];
    });
  }
}

function rowOfFound({ provider, mention: found }: FoundMention): ContextMention {
  const about = found.description ?? found.uri;
  return {
    kind: 'context',
    id: `context:${JSON.stringify(['mention', provider.id, found])}`,
    title: found.title,
    detail: about === '' ? provider.title : `${provider.title}, ${about}`,
  };
}

/** Returns the URI only if it is a safe link, because agents may open it. */
function uriOf(uri: string): { readonly uri?: string } {
  return isSafeLink(uri) ? { uri } : {};
}

function itemsForAi(items: Iterable<ContextItem>): readonly ContextItem[] {
  return [...items].filter(({ aiContent }) => aiContent !== undefined);
}

export function mentionOfAllItems({ file: { path, name }, items }: FileItems): ContextMentionInFile | undefined {
  const sent = itemsForAi(items);
  if (sent.length === 0) return undefined;
  const title = `${countWithNoun(sent.length, 'context item')} of ${name}`;
  return { kind: 'context', id: idOf(path, null, '', null), title, path, tokens: tokensOf(path, sent) };
}

function attachmentsOf({ path, document }: FileItems['file'], items: readonly ContextItem[]): ContextAttachment[] {
  return items.map((item) => {
    const lines = formatItemLines(item);
    const uri = lines === '' ? document.uri : `${document.uri}#L${lines.replace('-', '-L')}`;
    return { type: 'text', uri, title: item.title, text: itemParagraph(path, item) };
  });
}

function tokensOf(path: string, items: readonly ContextItem[]): number {
  return items.reduce((sum, item) => sum + estimateTextTokens(itemParagraph(path, item)), 0);
}

function mentionOf(path: string, item: ContextItem): ContextMentionInFile {
  const line = item.range?.start.line;
  const name = path.split(/[\\/]/).at(-1) ?? path;
  return {
    kind: 'context',
    id: idOf(path, item.title, item.provider.id, line ?? null),
    title: item.title,
    path,
    ...(line === undefined ? {} : { line: line + 1 }),
    tokens: tokensOf(path, [item]),
    detail: `${item.provider.title}, ${itemLocation(name, item)}`,
  };
}

function idOf(...parts: z.infer<typeof MentionId>): string {
  return `context:${JSON.stringify(parts)}`;
}

/** Parses the JSON of an ID. Returns undefined for IDs of other sources or earlier versions. */
function parseId(id: string): unknown {
  return parseJson(id.replace(/^context:/, ''));
}

function distance({ range }: ContextItem, line: number | null): number {
  return line === null ? 0 : Math.abs((range?.start.line ?? 0) - line);
}
