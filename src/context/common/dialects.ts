import type { ItemHover, ProvidedItem } from './contextItem';
import type { Capabilities, ProvidedItems, Selector } from './contextProvider';
import { itemLimits } from './limits';
import { ProviderError } from './providerError';
import {
  annotation,
  capabilitiesResult,
  metaResult,
  rangedItem,
  type Dialect,
  type WireItem,
  type WireSelector,
} from './schema';

/** Reads what providers say, in each of the dialects, into the one form that the rest of the client knows. */

/** The dialect of a JavaScript provider, by the functions it has; none if it has none of them. */
export function dialectOfFunctions(has: (name: string) => boolean): Dialect | undefined {
  if (has('meta')) return 'C';
  if (!has('capabilities')) return undefined;
  return has('annotations') ? 'B' : 'A';
}

export function handshakeMethod(dialect: Dialect): 'capabilities' | 'meta' {
  return dialect === 'C' ? 'meta' : 'capabilities';
}

/** The method that a document's items are asked with. B and C mean something else by `items`. */
export function itemsMethod(dialect: Dialect): 'items' | 'annotations' {
  return dialect === 'A' ? 'items' : 'annotations';
}

/** @throws ProviderError when the result is not of the dialect. */
export function readCapabilities(dialect: Dialect, result: unknown): Capabilities {
  return dialect === 'C' ? readMeta(result) : readDocumentCapabilities(result);
}

/** Whether a result of `capabilities` is of the form of B that also names the provider. */
export function isNamedB(result: unknown): boolean {
  return capabilitiesResult.safeParse(result).data?.meta?.name !== undefined;
}

function readDocumentCapabilities(result: unknown): Capabilities {
  const { success, data } = capabilitiesResult.safeParse(result);
  if (!success) throw new ProviderError(wrongHandshake('capabilities', 'a `selector` that is a list, or none'));
  return capabilitiesOf(data.meta?.name, data.selector);
}

/**
 * An absent scope is everywhere in the first form of C, and nowhere in the later one. What tells the two apart is that
 * only the first knows `selector` and `features`.
 */
function readMeta(result: unknown): Capabilities {
  const { success, data } = metaResult.safeParse(result);
  if (!success) throw new ProviderError(wrongHandshake('meta', '`annotations` with `selectors` that are a list'));
  if (data.annotations) return capabilitiesOf(data.name, data.annotations.selectors);
  const isFirstForm = data.selector !== undefined || data.features !== undefined;
  return capabilitiesOf(data.name, isFirstForm ? data.selector : []);
}

function wrongHandshake(method: string, wanted: string): string {
  return `The provider's answer to \`${method}\` is not what the protocol says: it needs to be an object with ${wanted}.`;
}

function capabilitiesOf(name: string | null | undefined, selectors: readonly WireSelector[] | undefined): Capabilities {
  if (selectors && selectors.length > itemLimits.selectors)
    throw new ProviderError(`The provider has more than ${itemLimits.selectors} selectors.`);
  return {
    ...(name ? { name: name.slice(0, itemLimits.title) } : {}),
    ...(selectors ? { selectors: selectors.map(selectorOf) } : {}),
  };
}

function selectorOf({ path, contentContains }: WireSelector): Selector {
  return {
    ...(typeof path === 'string' ? { path } : {}),
    ...(typeof contentContains === 'string' ? { contentContains } : {}),
  };
}

/** `item` marks an annotation of B or C, `title` an item of A, whatever was asked for. */
function wireItemOf(value: unknown): WireItem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (!('item' in value)) return rangedItem.safeParse(value).data;
  const read = annotation.safeParse(value).data;
  return read && { ...read.item, range: read.range };
}

/** Items that cannot be used are left out with a note. @throws ProviderError when the result is not a list. */
export function readItems(result: unknown): ProvidedItems {
  if (!Array.isArray(result))
    throw new ProviderError('The provider did not answer with a list of items. Its answer needs to be an array.');
  const values: readonly unknown[] = result;
  const reader = new ItemReader();
  for (const value of values) {
    if (reader.isFull) break;
    reader.read(value);
  }
  return { items: reader.items, notes: reader.notes(values.length) };
}

class ItemReader {
  readonly items: ProvidedItem[] = [];
  private malformed = 0;
  private droppedUrls = 0;
  private cut = 0;
  private units = 0;

  get isFull(): boolean {
    return this.items.length >= itemLimits.items || this.units >= itemLimits.answer;
  }

  read(value: unknown): void {
    const wire = wireItemOf(value);
    if (!wire) {
      this.malformed++;
      return;
    }
    const item = this.itemOf(wire);
    this.units += unitsOf(item);
    this.items.push(item);
  }

  notes(total: number): string[] {
    const skipped = total - this.items.length - this.malformed;
    const count = (many: number, what: string): string[] => (many > 0 ? [`${many} ${what}`] : []);
    return [
      ...count(this.malformed, 'items were left out: they are not what the protocol says.'),
      ...count(skipped, `items were left out: there are more than ${itemLimits.items}, or their texts are too long.`),
      ...count(this.cut, 'texts were cut: they are too long.'),
      ...count(this.droppedUrls, 'links were left out: only http, https, mailto and file are followed.'),
    ];
  }

  private itemOf(wire: WireItem): ProvidedItem {
    const hover = this.hoverOf(wire.ui?.hover);
    const url = this.urlOf(wire.url);
    const aiContent = wire.ai?.content;
    return {
      title: this.fit(wire.title, itemLimits.title),
      ...(url ? { url } : {}),
      ...(hover ? { hover } : {}),
      ...(aiContent ? { aiContent: this.fit(aiContent, itemLimits.aiContent) } : {}),
      ...(wire.range ? { range: wire.range } : {}),
    };
  }

  private hoverOf(hover: NonNullable<WireItem['ui']>['hover']): ItemHover | undefined {
    if (!hover || (!hover.markdown && !hover.text)) return undefined;
    return {
      ...(hover.markdown ? { markdown: this.fit(hover.markdown, itemLimits.hover) } : {}),
      ...(hover.text ? { text: this.fit(hover.text, itemLimits.hover) } : {}),
    };
  }

  private urlOf(url: string | null | undefined): string | undefined {
    if (!url) return undefined;
    if (isFollowed(url)) return url;
    this.droppedUrls++;
    return undefined;
  }

  private fit(text: string, limit: number): string {
    if (text.length <= limit) return text;
    this.cut++;
    return `${text.slice(0, limit - 1)}…`;
  }
}

/** Whether a link of an item may be followed: never a command, never a script. */
export function isFollowed(url: string): boolean {
  return url.length <= itemLimits.url && /^(?:https?|mailto|file):/i.test(url);
}

/** Of all its texts, in UTF-16 units. */
export function unitsOf({ title, url, hover, aiContent }: ProvidedItem): number {
  return (
    title.length +
    (url?.length ?? 0) +
    (hover?.markdown?.length ?? 0) +
    (hover?.text?.length ?? 0) +
    (aiContent?.length ?? 0)
  );
}
