import type { ItemRange, ProvidedItem } from './contextItem';
import { isSafeLink } from './safeLink';
import { itemLimits } from '../limits';
import { ProviderError } from '../providers/providerError';

/** Items are packed into numeric arrays and one text. Workers can transfer these ten times faster than objects. */

/** Numbers for each item in `ranges`: line and character of the start, then of the end. NaN means absent. */
export const rangeNumbersPerItem = 4;

/** Numbers per item in `texts`: offset in `text`, length of each text (-1: absent), and 1 if it prefers its link. */
export const textNumbersPerItem = 7;
const linkHintOffset = 6;

export interface PackedItems {
  readonly ranges: Float64Array<ArrayBuffer>;
  readonly texts: Int32Array<ArrayBuffer>;
  readonly text: string;
  /** Messages for the user about problems in the answer that were fixed. */
  readonly notes: readonly string[];
}

export function emptyPackedItems(): PackedItems {
  return { ranges: new Float64Array(), texts: new Int32Array(), text: '', notes: [] };
}

export function packedItemCount({ ranges }: PackedItems): number {
  return ranges.length / rangeNumbersPerItem;
}

/** Returns the approximate size, in UTF-16 units. */
export function packedItemsWeight({ ranges, texts, text }: PackedItems): number {
  return text.length + (ranges.byteLength + texts.byteLength) / 2;
}

/** Validates untrusted data from a worker. @throws ProviderError if the arrays are inconsistent */
export function validatePackedItems(packed: PackedItems): void {
  const { texts, text } = packed;
  const count = packedItemCount(packed);
  if (count > itemLimits.items || texts.length !== count * textNumbersPerItem) throw damagedError();
  let offset = 0;
  for (let at = 0; at < texts.length; at += textNumbersPerItem) {
    if (texts[at] !== offset) throw damagedError();
    for (let field = 1; field < linkHintOffset; field++) {
      const length = texts[at + field] ?? 0;
      if (length < -1) throw damagedError();
      if (length > 0) offset += length;
    }
    const hint = texts[at + linkHintOffset];
    if (hint !== 0 && hint !== 1) throw damagedError();
  }
  if (offset !== text.length) throw damagedError();
}

export function readRangeAt(ranges: Float64Array, at: number): ItemRange | undefined {
  const start = { line: ranges[at] ?? NaN, character: ranges[at + 1] ?? NaN };
  const end = { line: ranges[at + 2] ?? NaN, character: ranges[at + 3] ?? NaN };
  return Number.isNaN(start.line) ? undefined : { start, end };
}

/** Creates the object of one item. The arrays must be valid. */
export function unpackItem({ ranges, texts, text }: PackedItems, index: number): ProvidedItem {
  let at = index * textNumbersPerItem;
  let offset = texts[at] ?? 0;
  const next = (): string | undefined => {
    const length = texts[++at] ?? -1;
    if (length === -1) return undefined;
    offset += length;
    return text.slice(offset - length, offset);
  };
  const item: { -readonly [K in keyof ProvidedItem]: ProvidedItem[K] } = { title: next() ?? '' };
  const url = next();
  const markdown = next();
  const hoverText = next();
  const aiContent = next();
  const range = readRangeAt(ranges, index * rangeNumbersPerItem);
  if (url !== undefined && isSafeLink(url)) item.url = url;
  if (markdown !== undefined || hoverText !== undefined)
    item.hover = {
      ...(markdown === undefined ? {} : { markdown }),
      ...(hoverText === undefined ? {} : { text: hoverText }),
    };
  if (aiContent !== undefined) item.aiContent = aiContent;
  if (range) item.range = range;
  if (item.url !== undefined && texts[index * textNumbersPerItem + linkHintOffset] === 1) item.prefersLink = true;
  return item;
}

/** Selects the items at these ascending indices. Returns the same object if all items are selected. */
export function selectPackedItems(packed: PackedItems, indices: readonly number[]): PackedItems {
  if (indices.length === packedItemCount(packed)) return packed;
  const ranges = new Float64Array(indices.length * rangeNumbersPerItem);
  const texts = new Int32Array(indices.length * textNumbersPerItem);
  for (const [to, from] of indices.entries()) {
    ranges.set(
      packed.ranges.subarray(from * rangeNumbersPerItem, (from + 1) * rangeNumbersPerItem),
      to * rangeNumbersPerItem,
    );
    texts.set(
      packed.texts.subarray(from * textNumbersPerItem, (from + 1) * textNumbersPerItem),
      to * textNumbersPerItem,
    );
  }
  return { ...packed, ranges, texts };
}

function damagedError(): ProviderError {
  return new ProviderError('The provider’s answer is damaged.');
}
