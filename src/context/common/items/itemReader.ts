import { countNote } from './countNote';
import { decodePercentEscapes } from '../../../base/common/addresses/fileUri';
import { isSafeLink } from './safeLink';
import { itemLimits } from '../limits';
import { rangeNumbersPerItem, textNumbersPerItem, type PackedItems } from './packedItems';
import { ProviderError } from '../providers/providerError';

/**
 * Validates and packs items in one pass, because a schema would create new objects for thousands of items. In dialect
 * A, an item is one object. In B and C, it is inside an annotation with its range. `null` means absent.
 */

/**
 * Reads the items in a result. Skips invalid items, and items of documents other than `uri`. @throws ProviderError if
 * the result is not a list
 */
export function readItems(result: unknown, uri?: string): PackedItems {
  if (!Array.isArray(result)) throw new ProviderError('The provider’s answer must be an array of items.');
  const values: readonly unknown[] = result;
  const total = values.length;
  const packer = new ItemPacker(Math.min(total, itemLimits.items), uri);
  for (let index = 0; index < total && !packer.isFull; index++) packer.readItem(values[index]);
  return packer.toPackedItems(total);
}

class ItemPacker {
  private readonly packedRanges: PackedItems['ranges'];
  private readonly packedTexts: PackedItems['texts'];
  private joinedText = '';
  private itemCount = 0;
  private malformedCount = 0;
  private otherFileCount = 0;
  /** The URI that was compared last, and whether it is that of the document. */
  private lastComparedUri: { readonly uri: string; readonly isSame: boolean } | undefined;
  private removedLinkCount = 0;
  private truncatedCount = 0;

  constructor(
    private readonly capacity: number,
    private readonly uri: string | undefined,
  ) {
    this.packedRanges = new Float64Array(capacity * rangeNumbersPerItem);
    this.packedTexts = new Int32Array(capacity * textNumbersPerItem);
  }

  get isFull(): boolean {
    return this.itemCount === itemLimits.items || this.joinedText.length >= itemLimits.answer;
  }

  /** Reads an item. Annotations of B and C have an `item`, and items of A have a `title`, for any method. */
  readItem(value: unknown): void {
    const isAnnotation = isObject(value) && 'item' in value;
    const item = isAnnotation ? value.item : value;
    if (isAnnotation && this.isOtherFile(value.uri)) this.otherFileCount++;
    else if (
      isObject(value) &&
      isObject(item) &&
      this.readRange(value.range) &&
      this.readTexts(item, hintsOf(value, item))
    )
      this.itemCount++;
    else this.malformedCount++;
  }

  /** Whether a URI is that of another document. An annotation without a URI belongs to the requested document. */
  private isOtherFile(uri: unknown): boolean {
    if (this.uri === undefined || typeof uri !== 'string' || uri === this.uri) return false;
    if (this.lastComparedUri?.uri !== uri) this.lastComparedUri = { uri, isSame: isSameUri(uri, this.uri) };
    return !this.lastComparedUri.isSame;
  }

  toPackedItems(total: number): PackedItems {
    const { capacity, itemCount, packedRanges: ranges, packedTexts: texts, joinedText: text } = this;
    return {
      ranges: itemCount === capacity ? ranges : ranges.slice(0, itemCount * rangeNumbersPerItem),
      texts: itemCount === capacity ? texts : texts.slice(0, itemCount * textNumbersPerItem),
      text,
      notes: this.describeProblems(total - itemCount - this.malformedCount - this.otherFileCount),
    };
  }

  private describeProblems(skipped: number): string[] {
    return [
      ...countNote(this.malformedCount, 'item', 'skipped because of an invalid format.'),
      ...countNote(this.otherFileCount, 'item', 'skipped: the URI is of another file.'),
      ...countNote(skipped, 'item', `skipped: there are more than ${itemLimits.items}, or the texts are too long.`),
      ...countNote(this.truncatedCount, 'text', 'truncated.'),
      ...countNote(this.removedLinkCount, 'link', 'removed. Only http, https, mailto and file links are supported.'),
    ];
  }

  /** Stores the range of an item. Returns false if it is invalid. Ranges outside the document are adapted later. */
  private readRange(range: unknown): boolean {
    const { packedRanges: ranges, itemCount } = this;
    const at = itemCount * rangeNumbersPerItem;
    if (range === undefined || range === null) {
      ranges.fill(NaN, at, at + rangeNumbersPerItem);
      return true;
    }
    if (!isObject(range)) return false;
    return readPosition(range.start, ranges, at) && readPosition(range.end, ranges, at + 2);
  }

  /** Stores the texts of an item. Returns false and stores nothing if a text is invalid. */
  private readTexts(item: Fields, hints: unknown): boolean {
    const { title, url } = item;
    const ui = optionalFields(item.ui);
    const hover = ui && optionalFields(ui.hover);
    const ai = optionalFields(item.ai);
    if (!hover || !ai) return false;
    const { markdown, text } = hover;
    const { content } = ai;
    if (typeof title !== 'string' || !isOptionalText(url) || !isOptionalText(markdown)) return false;
    if (!isOptionalText(text) || !isOptionalText(content)) return false;
    const at = this.itemCount * textNumbersPerItem;
    this.packedTexts[at] = this.joinedText.length;
    this.packedTexts[at + 1] = this.addText(title, itemLimits.title);
    this.packedTexts[at + 2] = this.addOptionalText(this.safeLink(url), itemLimits.url);
    this.packedTexts[at + 3] = this.addOptionalText(markdown, itemLimits.hover);
    this.packedTexts[at + 4] = this.addOptionalText(text, itemLimits.hover);
    this.packedTexts[at + 5] = this.addOptionalText(content, itemLimits.aiContent);
    this.packedTexts[at + 6] = prefersLink(hints) ? 1 : 0;
    return true;
  }

  private safeLink(url: string | null | undefined): string | undefined {
    if (!url) return undefined;
    if (isSafeLink(url)) return url;
    this.removedLinkCount++;
    return undefined;
  }

  /** Adds a text. @returns its length, or -1 if it is absent or empty */
  private addOptionalText(text: string | null | undefined, maxLength: number): number {
    return text ? this.addText(text, maxLength) : -1;
  }

  private addText(text: string, maxLength: number): number {
    const isTooLong = text.length > maxLength;
    if (isTooLong) this.truncatedCount++;
    const piece = isTooLong ? `${text.slice(0, maxLength - 1)}…` : text;
    this.joinedText += piece;
    return piece.length;
  }
}

/** Members that an object in an answer can have. Their values are not validated yet. */
interface Fields {
  readonly item?: unknown;
  readonly uri?: unknown;
  readonly presentationHints?: unknown;
  readonly range?: unknown;
  readonly start?: unknown;
  readonly end?: unknown;
  readonly line?: unknown;
  readonly character?: unknown;
  readonly title?: unknown;
  readonly url?: unknown;
  readonly ui?: unknown;
  readonly hover?: unknown;
  readonly markdown?: unknown;
  readonly text?: unknown;
  readonly ai?: unknown;
  readonly content?: unknown;
}

const noFields: Fields = {};

/** Returns the display hints of an item. In B and C, they are in the annotation. In A, they are in `ui`. */
function hintsOf(value: Fields, item: Fields): unknown {
  return value.presentationHints ?? (isObject(item.ui) ? item.ui.presentationHints : undefined);
}

function prefersLink(hints: unknown): boolean {
  return Array.isArray(hints) && hints.includes('prefer-link-over-detail');
}

/** Whether two URIs are equal after parsing, because a provider may return the same URI in a different spelling. */
function isSameUri(one: string, other: string): boolean {
  const spelled = (uri: string): string => decodePercentEscapes(URL.parse(uri)?.href ?? uri);
  return spelled(one) === spelled(other);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null;
}

/** Returns an object, which is empty if the value is absent. Undefined if the value is anything else. */
function optionalFields(value: unknown): Fields | undefined {
  if (value === undefined || value === null) return noFields;
  return isObject(value) ? value : undefined;
}

function isOptionalText(value: unknown): value is string | null | undefined {
  return typeof value === 'string' || value === undefined || value === null;
}

/** Stores the line at `numbers[at]` and the character after it. Returns false if the position is invalid. */
function readPosition(position: unknown, numbers: Float64Array, at: number): boolean {
  if (!isObject(position)) return false;
  const { line, character } = position;
  if (typeof line !== 'number' || typeof character !== 'number') return false;
  if (!Number.isFinite(line) || !Number.isFinite(character)) return false;
  numbers[at] = line;
  numbers[at + 1] = character;
  return true;
}
