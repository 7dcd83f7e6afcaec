import type { ContextItem } from './contextItem';
import type { ContextReader, FileItems } from './contextReader';
import * as z from 'zod';
import type { ItemList } from './itemList';
import { estimateTokens, searchItems } from './itemQueries';
import { countOf, linesOf, paragraphOf, placeOf } from './itemTexts';

/** A row of what `@` finds, in the shape of the chat's mentions. `line` is 1-based. */
export interface ContextMention {
  readonly kind: 'context';
  readonly id: string;
  readonly title: string;
  readonly path: string;
  readonly line?: number;
  readonly tokens: number;
  readonly detail?: string;
}

/** Text that goes along with a prompt. */
export interface ContextAttachment {
  readonly type: 'text';
  readonly uri: string;
  readonly title: string;
  readonly text: string;
}

const maxRows = 20;
/** While somebody types: one provider that hangs must not hold up the rows of the others. */
const searchWaitMs = 300;
/** Before a prompt is sent, which is worth waiting for what is fresh. */
const resolveWaitMs = 1_000;

/** Survives a reload: it says where the item was, and what it was called. Without a title: all of the file. */
const MentionId = z.tuple([z.string(), z.string().nullable(), z.string(), z.number().nullable()]);

/** Context items as mentions: those of the file that is looked at first, then what is known of others. */
export class ContextMentions {
  readonly kind = 'context';

  constructor(private readonly reader: Pick<ContextReader, 'itemsOf' | 'search'>) {}

  async search(query: string, signal: AbortSignal): Promise<readonly ContextMention[]> {
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
    const parsed = parseId(id);
    if (!parsed) return [];
    const [path, title, provider, line] = parsed;
    const found = await this.reader.itemsOf(path, { signal, waitMs: resolveWaitMs });
    if (!found) return [];
    if (title === null) return attachmentsOf(found.file, itemsForAi(found.items));
    const same = [...found.items].filter((item) => item.title === title && item.provider.id === provider);
    const nearest = same.toSorted((a, b) => distance(a, line) - distance(b, line)).slice(0, 1);
    return attachmentsOf(found.file, nearest);
  }
}

/** Those that have something to say to AI. */
export function itemsForAi(items: Iterable<ContextItem>): readonly ContextItem[] {
  return [...items].filter(({ aiContent }) => aiContent !== undefined);
}

/** All that a file has for AI, as one mention. */
export function mentionOfAll({ file: { path, name }, items }: FileItems): ContextMention | undefined {
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

function mentionOf(path: string, item: ContextItem): ContextMention {
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

function parseId(id: string): z.infer<typeof MentionId> | undefined {
  try {
    return MentionId.safeParse(JSON.parse(id.replace(/^context:/, ''))).data;
  } catch {
    // It is another source's, or of another time.
    return undefined;
  }
}

function distance({ range }: ContextItem, line: number | null): number {
  return line === null ? 0 : Math.abs((range?.start.line ?? 0) - line);
}
