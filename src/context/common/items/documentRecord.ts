import type { ProviderRef } from './contextItem';
import { ItemList, type ItemGroup } from './itemList';
import { shiftItems, type TextChange } from './itemShift';
import { weightOfPacked, type PackedItems } from './packedItems';
import type { ProviderHandle } from '../providers/providerHandle';

interface ProviderNotes {
  readonly provider: ProviderRef;
  readonly notes: readonly string[];
}

export interface ContextAnswer {
  readonly uri: string;
  /** Version of the text that the ranges refer to. */
  readonly version: number;
  /** In the order of the settings, then in the provider's order. */
  readonly items: ItemList;
  /** Whether every provider has answered for this version. */
  readonly isComplete: boolean;
  /** Providers that have not answered yet. `onDidChange` fires when they do. */
  readonly waitingFor: readonly ProviderRef[];
  /** Why providers were not asked about the document, if so. */
  readonly note?: string;
  /** What was adjusted or skipped in the items. */
  readonly providerNotes: readonly ProviderNotes[];
}

/** A request that a provider has not answered yet. */
export interface Asking {
  /** Resolves when the request has ended, even if it failed. */
  done: Promise<void>;
  readonly controller: AbortController;
  /** Number of callers that still wait for it. */
  waiters: number;
  /** A caller timed out while waiting, so the answer is still wanted. */
  isLate: boolean;
}

interface Slot {
  /** The version that the items are for; undefined if outdated for another reason. */
  readonly answered: number | undefined;
  readonly group: ItemGroup;
}

/** The latest items of each provider for one document, moved along with edits. */
export class DocumentRecord {
  version: number | undefined;
  /** Set while the user is typing. */
  settling: { dispose(): void } | undefined;
  /** Why providers are not asked about the document, if so. */
  note: string | undefined;
  readonly asking = new Map<string, Asking>();
  private readonly slots = new Map<string, Slot>();
  private memo: ContextAnswer | undefined;
  /** Approximate, in UTF-16 units. */
  weight = 0;

  constructor(readonly uri: string) {}

  /** Whether there is an answer of this provider, possibly for an earlier text. */
  knows(id: string): boolean {
    return this.slots.has(id);
  }

  isFresh(id: string): boolean {
    return this.version !== undefined && this.slots.get(id)?.answered === this.version;
  }

  /** Switches to a version without knowing the edits in between, which discards all items. */
  moveTo(version: number): void {
    if (this.version === version) return;
    this.abandon();
    this.slots.clear();
    this.weight = 0;
    this.version = version;
    this.note = undefined;
    this.changed();
  }

  shift(version: number, changes: readonly TextChange[]): void {
    this.abandon();
    for (const [id, { answered, group }] of this.slots)
      this.setSlot(id, { answered, group: { ...group, packed: shiftItems(group.packed, changes) } });
    this.version = version;
    this.note = undefined;
    this.changed();
  }

  skip(note: string): void {
    this.note = note;
    this.changed();
  }

  startAsking(id: string, asking: Asking): void {
    this.asking.set(id, asking);
    this.changed();
  }

  endAsking(id: string): void {
    this.asking.delete(id);
    this.changed();
  }

  takeBack(id: string, asking: Asking): void {
    asking.controller.abort();
    if (this.asking.get(id) === asking) this.endAsking(id);
  }

  /** Stores the answer to a request. Its ranges are for the current version. */
  fill(provider: ProviderRef, packed: PackedItems): void {
    const { id } = provider;
    this.asking.delete(id);
    this.setSlot(id, { answered: this.version, group: { provider, packed } });
    this.changed();
  }

  /** Makes the provider be asked again. Its items stay until then. */
  outdate(id: string): void {
    const slot = this.slots.get(id);
    if (slot) this.slots.set(id, { ...slot, answered: undefined });
    this.asking.get(id)?.controller.abort();
    this.asking.delete(id);
    this.changed();
  }

  /** Removes the items of all other providers. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of [...this.asking.keys()].filter((each) => !ids.has(each))) this.outdate(id);
    for (const id of [...this.slots.keys()]) {
      if (ids.has(id)) continue;
      this.weight -= this.weightOfSlot(id);
      this.slots.delete(id);
    }
    this.changed();
  }

  abandon(): void {
    for (const { controller } of this.asking.values()) controller.abort();
    this.asking.clear();
  }

  answer(handles: readonly ProviderHandle[]): ContextAnswer {
    this.memo ??= this.makeAnswer(handles);
    return this.memo;
  }

  private setSlot(id: string, slot: Slot): void {
    this.weight += weightOfPacked(slot.group.packed) - this.weightOfSlot(id);
    this.slots.set(id, slot);
  }

  private weightOfSlot(id: string): number {
    const slot = this.slots.get(id);
    return slot ? weightOfPacked(slot.group.packed) : 0;
  }

  private changed(): void {
    this.memo = undefined;
  }

  private makeAnswer(handles: readonly ProviderHandle[]): ContextAnswer {
    const groups = handles.flatMap(({ ref }) => this.slots.get(ref.id)?.group ?? []);
    const providerNotes = groups
      .filter(({ packed }) => packed.notes.length > 0)
      .map(({ provider, packed }) => ({ provider, notes: packed.notes }));
    return {
      uri: this.uri,
      version: this.version ?? 0,
      items: new ItemList(groups),
      isComplete: this.note === undefined && handles.every(({ ref }) => this.isFresh(ref.id)),
      waitingFor: handles.filter(({ ref }) => this.asking.has(ref.id)).map(({ ref }) => ref),
      ...(this.note === undefined ? {} : { note: this.note }),
      providerNotes,
    };
  }
}
