import * as z from 'zod';
import type { ItemRange, ProvidedItem } from './contextItem';
import { isFollowed } from './itemLinks';
import { itemLimits } from '../limits';
import { ProviderError } from '../providers/providerError';

/**
 * Items as numbers and one text. So they come out of a worker, for a tenth of what a clone of a thousand small objects
 * costs, and so they are kept: an object is made of those that somebody looks at.
 */

/** The numbers of a range: line and character of its start, then of its end. NaN is absent. */
export const rangeWidth = 4;

/**
 * The numbers of an item's texts: where in `text` they start, then how long each one is (-1 is absent), then whether it
 * prefers its link to be opened (1 or 0).
 */
export const textWidth = 7;
const hintAt = 6;

/** What comes from a worker is this thread's own; memory that is shared could change after it was checked. */
const isOwn = ({ buffer }: Float64Array | Int32Array): boolean => buffer instanceof ArrayBuffer;

export const packedItems = z.object({
  ranges: z.instanceof(Float64Array).refine(isOwn),
  texts: z.instanceof(Int32Array).refine(isOwn),
  text: z.string(),
  /** What was wrong with the answer and could be mended, for the user to read. */
  notes: z.array(z.string().max(1_000)).max(10),
});
export type PackedItems = z.infer<typeof packedItems>;

export function noItems(): PackedItems {
  return { ranges: new Float64Array(), texts: new Int32Array(), text: '', notes: [] };
}

export function countOfPacked({ ranges }: PackedItems): number {
  return ranges.length / rangeWidth;
}

/** In UTF-16 units, roughly: the numbers of an item count like text. */
export function weightOfPacked({ ranges, texts, text }: PackedItems): number {
  return text.length + (ranges.byteLength + texts.byteLength) / 2;
}

/** Trusts nothing: the other side may have been taken over. @throws ProviderError when the parts do not fit together. */
export function checkPacked(packed: PackedItems): void {
  const { texts, text } = packed;
  const count = countOfPacked(packed);
  if (count > itemLimits.items || texts.length !== count * textWidth) throw misfit();
  let offset = 0;
  for (let at = 0; at < texts.length; at += textWidth) {
    if (texts[at] !== offset) throw misfit();
    for (let field = 1; field < hintAt; field++) {
      const length = texts[at + field] ?? 0;
      if (length < -1) throw misfit();
      if (length > 0) offset += length;
    }
    const hint = texts[at + hintAt];
    if (hint !== 0 && hint !== 1) throw misfit();
  }
  if (offset !== text.length) throw misfit();
}

/** The range that starts at `ranges[at]`. */
export function rangeAt(ranges: Float64Array, at: number): ItemRange | undefined {
  const start = { line: ranges[at] ?? NaN, character: ranges[at + 1] ?? NaN };
  const end = { line: ranges[at + 2] ?? NaN, character: ranges[at + 3] ?? NaN };
  return Number.isNaN(start.line) ? undefined : { start, end };
}

/** One item of those that were checked. */
export function itemOfPacked({ ranges, texts, text }: PackedItems, index: number): ProvidedItem {
  let at = index * textWidth;
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
  const range = rangeAt(ranges, index * rangeWidth);
  if (url !== undefined && isFollowed(url)) item.url = url;
  if (markdown !== undefined || hoverText !== undefined)
    item.hover = {
      ...(markdown === undefined ? {} : { markdown }),
      ...(hoverText === undefined ? {} : { text: hoverText }),
    };
  if (aiContent !== undefined) item.aiContent = aiContent;
  if (range) item.range = range;
  if (item.url !== undefined && texts[index * textWidth + hintAt] === 1) item.prefersLink = true;
  return item;
}

/** Only the items with these indices, which ascend; the same object when that is all of them. */
export function pickPacked(packed: PackedItems, indices: readonly number[]): PackedItems {
  if (indices.length === countOfPacked(packed)) return packed;
  const ranges = new Float64Array(indices.length * rangeWidth);
  const texts = new Int32Array(indices.length * textWidth);
  for (const [to, from] of indices.entries()) {
    ranges.set(packed.ranges.subarray(from * rangeWidth, (from + 1) * rangeWidth), to * rangeWidth);
    texts.set(packed.texts.subarray(from * textWidth, (from + 1) * textWidth), to * textWidth);
  }
  return { ...packed, ranges, texts };
}

function misfit(): ProviderError {
  return new ProviderError('The provider’s answer is damaged.');
}
