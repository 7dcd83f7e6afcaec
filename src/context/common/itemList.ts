import type { ContextItem, ItemRange, ProviderRef } from './contextItem';
import { countOfPacked, itemOfPacked, rangeWidth, type PackedItems } from './packedItems';

/** What one provider says of a document, at places that are in it. */
export interface ItemGroup {
  readonly provider: ProviderRef;
  readonly packed: PackedItems;
}

/** Items of a document, group by group, of each in its own order. An object is only made of an item that is asked for. */
export class ItemList implements Iterable<ContextItem> {
  static readonly empty = new ItemList([]);
  readonly length: number;

  constructor(private readonly groups: readonly ItemGroup[]) {
    this.length = groups.reduce((sum, { packed }) => sum + countOfPacked(packed), 0);
  }

  *[Symbol.iterator](): Generator<ContextItem> {
    for (const group of this.groups)
      for (let index = 0; index < countOfPacked(group.packed); index++) yield itemOf(group, index);
  }

  /** Those whose range touches `range`. */
  touching(range: ItemRange): readonly ContextItem[] {
    return this.groups.flatMap((group) => indicesTouching(group.packed, range).map((index) => itemOf(group, index)));
  }

  /** Those without a range. */
  ofWholeFile(): readonly ContextItem[] {
    return this.groups.flatMap((group) => indicesWithoutRange(group.packed).map((index) => itemOf(group, index)));
  }
}

/** There may be many, and whoever points at something waits: most are passed by with two comparisons. */
function indicesTouching({ ranges }: PackedItems, { start, end }: ItemRange): number[] {
  const indices: number[] = [];
  for (let at = 0; at < ranges.length; at += rangeWidth) {
    const line = ranges[at] ?? NaN;
    const endLine = ranges[at + 2] ?? NaN;
    if (!(line <= end.line && endLine >= start.line)) continue;
    if (line === end.line && (ranges[at + 1] ?? NaN) > end.character) continue;
    if (endLine === start.line && (ranges[at + 3] ?? NaN) < start.character) continue;
    indices.push(at / rangeWidth);
  }
  return indices;
}

function indicesWithoutRange({ ranges }: PackedItems): number[] {
  const indices: number[] = [];
  for (let at = 0; at < ranges.length; at += rangeWidth) if (Number.isNaN(ranges[at])) indices.push(at / rangeWidth);
  return indices;
}

function itemOf({ provider, packed }: ItemGroup, index: number): ContextItem {
  return { ...itemOfPacked(packed, index), provider };
}
