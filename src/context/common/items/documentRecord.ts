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
  /** Of the text that the ranges are for. */
  readonly version: number;
  /** In the order of the providers in the settings, of each in its own order. */
  readonly items: ItemList;
  /** Whether every provider has answered for just this version. */
  readonly isComplete: boolean;
  /** Whose answer is on its way; `onDidChange` tells when it is there. */
  readonly waitingFor: readonly ProviderRef[];
  /** Why the document as a whole was not asked about, if it was not. */
  readonly note?: string;
  /** What was mended or left out of the items. */
  readonly providerNotes: readonly ProviderNotes[];
}

/** A question that a provider has not answered yet. */
export interface Asking {
  /** Resolves when it ended in whatever way. */
  done: Promise<void>;
  readonly controller: AbortController;
  /** Who still waits for it. */
  waiters: number;
  /** Somebody waited in vain: the answer is wanted, even though nobody waits any more. */
  isLate: boolean;
}

interface Slot {
  /** The version its items were made for; undefined once they are outdated for another reason. */
  readonly answered: number | undefined;
  readonly group: ItemGroup;
}

/** What is known of one document: the last items of each provider, at the places where they are now. */
export class DocumentRecord {
  version: number | undefined;
  /** Set while the user is typing. */
  settling: { dispose(): void } | undefined;
  /** Why it is not asked about, if it is not. */
  note: string | undefined;
  readonly asking = new Map<string, Asking>();
  private readonly slots = new Map<string, Slot>();
  private memo: ContextAnswer | undefined;
  /** In UTF-16 units, roughly. */
  weight = 0;

  constructor(readonly uri: string) {}

  /** Whether there is an answer of it, be it to an older text. */
  knows(id: string): boolean {
    return this.slots.has(id);
  }

  isFresh(id: string): boolean {
    return this.version !== undefined && this.slots.get(id)?.answered === this.version;
  }

  /** To a version that nobody told the way to: nothing is known of where items are in it. */
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

  /** Nobody wants to know any more. */
  takeBack(id: string, asking: Asking): void {
    asking.controller.abort();
    if (this.asking.get(id) === asking) this.endAsking(id);
  }

  /** The answer to what is being asked; its ranges are of this version. */
  fill(provider: ProviderRef, packed: PackedItems): void {
    const { id } = provider;
    this.asking.delete(id);
    this.setSlot(id, { answered: this.version, group: { provider, packed } });
    this.changed();
  }

  /** Its items stay until better ones come. */
  outdate(id: string): void {
    const slot = this.slots.get(id);
    if (slot) this.slots.set(id, { ...slot, answered: undefined });
    this.asking.get(id)?.controller.abort();
    this.asking.delete(id);
    this.changed();
  }

  /** Forgets the providers that are not among these. */
  keepOnly(ids: ReadonlySet<string>): void {
    for (const id of [...this.asking.keys()].filter((each) => !ids.has(each))) this.outdate(id);
    for (const id of [...this.slots.keys()]) {
      if (ids.has(id)) continue;
      this.weight -= this.weightOfSlot(id);
      this.slots.delete(id);
    }
    this.changed();
  }

  /** Ends all questions that are on their way. */
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
