import { countOf } from '../../../base/common/countOf';
import { parseJson } from '../../../base/common/parseJson';
import type { ContextItem } from '../items/contextItem';
import type { ContextReader, FileItems } from './contextReader';
import type { ContextLookups } from './contextLookups';
import * as z from 'zod';
import type { ItemList } from '../items/itemList';
import { isFollowed } from '../items/itemLinks';
import { estimateTokens, searchItems } from '../items/itemQueries';
import { linesOf, paragraphOf, placeOf } from '../items/itemTexts';
import { mention } from './providerMention';
import type { FoundMention, MentionSearch } from './mentionSearch';

/** A row of what `@` finds, in the shape of the chat's mentions. `line` is 1-based. */
export interface ContextMention {
  readonly kind: 'context';
  readonly id: string;
  readonly title: string;
  readonly path?: string;
  readonly line?: number;
  /** Unknown until the provider is asked for it. */
  readonly tokens?: number;
  readonly detail?: string;
}

/** What is known of a file already. */
export interface FileMention extends ContextMention {
  readonly path: string;
  readonly tokens: number;
}

/** Text that goes along with a prompt. */
export interface ContextAttachment {
  readonly type: 'text';
  readonly uri?: string;
  readonly title: string;
  readonly text: string;
}

const maxRows = 20;
/** While somebody types: one provider that hangs must not hold up the rows of the others. */
const searchWaitMs = 300;
/** Before a prompt is sent, which is worth waiting for what is fresh. */
const resolveWaitMs = 1_000;
/** Of what is sent for one mention, in UTF-16 units. */
const maxSent = 256 * 1_024;

/** Survives a reload: it says where the item was, and what it was called. Without a title: all of the file. */
const MentionId = z.tuple([z.string(), z.string().nullable(), z.string(), z.number().nullable()]);

/** What a provider finds by words says all of itself: who is asked for it, and with what. */
const FoundId = z.tuple([z.literal('mention'), z.string(), mention]);

/**
 * Context items as mentions: those of the file that is looked at first, then what is known of others, then what providers
 * find by words.
 */
export class ContextMentions {
  readonly kind = 'context';

  constructor(
    private readonly reader: Pick<ContextReader, 'itemsOf' | 'search'>,
    private readonly lookups: Pick<ContextLookups, 'search' | 'itemsOf'> & {
      readonly typed: Pick<MentionSearch, 'isWaiting' | 'next'>;
    },
  ) {}

  /** Whether more is on its way for these words. */
  isSearching(query: string): boolean {
    return this.lookups.typed.isWaiting(query);
  }

  /** Resolves when there is more, or there will not be any. @returns whether to search again */
  async next(query: string, signal: AbortSignal): Promise<boolean> {
    return await this.lookups.typed.next(query, signal);
  }

  async search(query: string, signal: AbortSignal): Promise<readonly ContextMention[]> {
    const [known, found] = await Promise.all([
      this.searchKnown(query, signal),
      this.lookups.search(query, { signal, waitMs: searchWaitMs }),
    ]);
    return [...known, ...found.slice(0, maxRows).map(rowOfFound)];
  }

  private async searchKnown(query: string, signal: AbortSignal): Promise<readonly ContextMention[]> {
    const isEnough = ({ length }: ItemList): boolean => length > 0;
    const active = await this.reader.itemsOf(undefined, { signal, waitMs: searchWaitMs, isEnough });
    const ofActive = active ? searchItems(active.items, query).map((item) => mentionOf(active.file.path, item)) : [];
    const others = await this.reader.search(query, maxRows);
    const ofOthers = others.flatMap(({ path, item }) => (path === active?.file.path ? [] : [mentionOf(path, item)]));
    const all = active && 'context items'.startsWith(query.toLowerCase()) ? mentionOfAll(active) : undefined;
    const rows = [...(all ? [all] : []), ...ofActive, ...ofOthers];
    return rows.slice(0, maxRows);
  }

  /** What is sent for it; empty when the item is not there any more. @throws EditorError */
  async resolve({ id }: { readonly id: string }, signal: AbortSignal): Promise<readonly ContextAttachment[]> {
    const json = parseId(id);
    const found = FoundId.safeParse(json).data;
    if (found) return await this.resolveFound(found, signal);
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

  private async resolveFound(
    [, provider, found]: z.infer<typeof FoundId>,
    signal: AbortSignal,
  ): Promise<readonly ContextAttachment[]> {
    const items = await this.lookups.itemsOf(provider, found, signal);
    let room = maxSent;
    return items.flatMap((item) => {
      const text = paragraphOf(undefined, item).slice(0, room);
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

/** Only what is a link: agents may follow it. */
function uriOf(uri: string): { readonly uri?: string } {
  return isFollowed(uri) ? { uri } : {};
}

/** Those that have something to say to AI. */
function itemsForAi(items: Iterable<ContextItem>): readonly ContextItem[] {
  return [...items].filter(({ aiContent }) => aiContent !== undefined);
}

/** All that a file has for AI, as one mention. */
export function mentionOfAll({ file: { path, name }, items }: FileItems): FileMention | undefined {
  const sent = itemsForAi(items);
  if (sent.length === 0) return undefined;
  const title = `${countOf(sent.length, 'context item')} of ${name}`;
  return { kind: 'context', id: idOf(path, null, '', null), title, path, tokens: tokensOf(path, sent) };
}

/** One text for each item. */
function attachmentsOf({ path, document }: FileItems['file'], items: readonly ContextItem[]): ContextAttachment[] {
  return items.map((item) => {
    const lines = linesOf(item);
    const uri = lines === '' ? document.uri : `${document.uri}#L${lines.replace('-', '-L')}`;
    return { type: 'text', uri, title: item.title, text: paragraphOf(path, item) };
  });
}

function tokensOf(path: string, items: readonly ContextItem[]): number {
  return items.reduce((sum, item) => sum + estimateTokens(paragraphOf(path, item)), 0);
}

function mentionOf(path: string, item: ContextItem): FileMention {
  const line = item.range?.start.line;
  const name = path.split(/[\\/]/).at(-1) ?? path;
  return {
    kind: 'context',
    id: idOf(path, item.title, item.provider.id, line ?? null),
    title: item.title,
    path,
    ...(line === undefined ? {} : { line: line + 1 }),
    tokens: tokensOf(path, [item]),
    detail: `${item.provider.title}, ${placeOf(name, item)}`,
  };
}

function idOf(...parts: z.infer<typeof MentionId>): string {
  return `context:${JSON.stringify(parts)}`;
}

/** Undefined for what is another source's, or of another time. */
function parseId(id: string): unknown {
  return parseJson(id.replace(/^context:/, ''));
}

function distance({ range }: ContextItem, line: number | null): number {
  return line === null ? 0 : Math.abs((range?.start.line ?? 0) - line);
}
