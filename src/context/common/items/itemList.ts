import type { ContextItem, ItemRange, ProviderRef } from './contextItem';
import { packedItemCount, unpackItem, rangeNumbersPerItem, type PackedItems } from './packedItems';

/** The items of one provider for a document. All ranges are inside the document. */
export interface ItemGroup {
  readonly provider: ProviderRef;
  readonly packed: PackedItems;
}

/** Number of array elements in a block. A search can skip a whole block. */
const blockWidth = 64 * rangeNumbersPerItem;

/** Items of a document, grouped by provider. Item objects are created only on access. */
export class ItemList implements Iterable<ContextItem> {
  static readonly empty = new ItemList([]);
  readonly length: number;
  private readonly blockLineSpansByGroup = new Map<ItemGroup, Float64Array>();

  constructor(private readonly groups: readonly ItemGroup[]) {
    this.length = groups.reduce((sum, { packed }) => sum + packedItemCount(packed), 0);
  }

  *[Symbol.iterator](): Generator<ContextItem> {
    for (const group of this.groups)
      for (let index = 0; index < packedItemCount(group.packed); index++) yield itemOf(group, index);
  }

  itemsTouching(range: ItemRange): readonly ContextItem[] {
    return this.groups.flatMap((group) =>
      indicesTouching(group.packed, this.lineSpansOfItemBlocks(group), range).map((index) => itemOf(group, index)),
    );
  }

  wholeFileItems(): readonly ContextItem[] {
    return this.groups.flatMap((group) => indicesWithoutRange(group.packed).map((index) => itemOf(group, index)));
  }

  /** Returns up to `max` matching items. Takes them from the groups in turn, so that no group displaces the others. */
  takeEvenlyFromGroups(max: number, isWanted: (item: ContextItem) => boolean): readonly ContextItem[] {
    const taken: ContextItem[] = [];
    const longest = Math.max(0, ...this.groups.map(({ packed }) => packedItemCount(packed)));
    for (let index = 0; index < longest; index++) {
      for (const group of this.groups) {
        if (taken.length === max) return taken;
        if (index >= packedItemCount(group.packed)) continue;
        const item = itemOf(group, index);
        if (isWanted(item)) taken.push(item);
      }
    }
    return taken;
  }

  private lineSpansOfItemBlocks(group: ItemGroup): Float64Array {
    const blocks = this.blockLineSpansByGroup.get(group) ?? blockLines(group.packed);
    this.blockLineSpansByGroup.set(group, blocks);
    return blocks;
  }
}

/**
 * Returns the indices of items whose ranges touch a range. Skips whole blocks, because there may be many items and the
 * user is waiting for a hover.
 */
function indicesTouching({ ranges }: PackedItems, blocks: Float64Array, { start, end }: ItemRange): number[] {
  const indices: number[] = [];
  for (let block = 0; block < blocks.length / 2; block++) {
    if (!((blocks[2 * block] ?? NaN) <= end.line && (blocks[2 * block + 1] ?? NaN) >= start.line)) continue;
    const blockEnd = Math.min(ranges.length, (block + 1) * blockWidth);
    for (let at = block * blockWidth; at < blockEnd; at += rangeNumbersPerItem) {
      const line = ranges[at] ?? NaN;
      const endLine = ranges[at + 2] ?? NaN;
      if (!(line <= end.line && endLine >= start.line)) continue;
      if (line === end.line && (ranges[at + 1] ?? NaN) > end.character) continue;
      if (endLine === start.line && (ranges[at + 3] ?? NaN) < start.character) continue;
      indices.push(at / rangeNumbersPerItem);
    }
  }
  return indices;
}

/** Returns the first and last line of each block. For a block without ranges, these are `Infinity` and `-Infinity`. */
function blockLines({ ranges }: PackedItems): Float64Array {
  const blocks = new Float64Array(2 * Math.ceil(ranges.length / blockWidth));
  for (let block = 0; block < blocks.length / 2; block++) {
    let first = Infinity;
    let last = -Infinity;
    const blockEnd = Math.min(ranges.length, (block + 1) * blockWidth);
    for (let at = block * blockWidth; at < blockEnd; at += rangeNumbersPerItem) {
      // Comparisons with NaN are false, so items without a range are skipped.
      if ((ranges[at] ?? NaN) < first) first = ranges[at] ?? first;
      if ((ranges[at + 2] ?? NaN) > last) last = ranges[at + 2] ?? last;
    }
    blocks[2 * block] = first;
    blocks[2 * block + 1] = last;
  }
  return blocks;
}

function indicesWithoutRange({ ranges }: PackedItems): number[] {
  const indices: number[] = [];
  for (let at = 0; at < ranges.length; at += rangeNumbersPerItem)
    if (Number.isNaN(ranges[at])) indices.push(at / rangeNumbersPerItem);
  return indices;
}

function itemOf({ provider, packed }: ItemGroup, index: number): ContextItem {
  return { ...unpackItem(packed, index), provider };
}
