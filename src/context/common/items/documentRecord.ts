import type { ProviderRef } from './contextItem';
import { ItemList, type ItemGroup } from './itemList';
import { shiftItems, type TextChange } from './itemShift';
import { packedItemsWeight, type PackedItems } from './packedItems';
import type { ProviderHandle } from '../providers/providerHandle';

interface ProviderNotes {
  readonly provider: ProviderRef;
  readonly notes: readonly string[];
}

export interface ContextAnswer {
  readonly uri: string;
  /** Version of the text to which the ranges refer. */
  readonly version: number;
  /** The items, in the order of providers in the settings and of items in their answers. */
  readonly items: ItemList;
  readonly isComplete: boolean;
  /** Providers that have not answered yet. When they do, `onDidChangeItems` fires. */
  readonly pendingProviders: readonly ProviderRef[];
  readonly note?: string;
  /** Notes about items that were adjusted or skipped. */
  readonly providerNotes: readonly ProviderNotes[];
}

export interface PendingRequest {
  /** Resolves when the request has ended, even if it failed. */
  whenEnded: Promise<void>;
  readonly controller: AbortController;
  waiterCount: number;
  /** Whether a caller's waiting timed out. The request then continues even if nobody waits for it. */
  isWantedLate: boolean;
}

interface ProviderAnswer {
  /** Document version to which the items belong. Undefined if they are outdated although the version is the same. */
  readonly answeredVersion: number | undefined;
  readonly group: ItemGroup;
}

/** The latest items of each provider for one document. They move along with edits. */
export class DocumentRecord {
  version: number | undefined;
  settleTimer: { dispose(): void } | undefined;
  note: string | undefined;
  readonly pendingRequests = new Map<string, PendingRequest>();
  private readonly answers = new Map<string, ProviderAnswer>();
  private cachedCombinedAnswer: ContextAnswer | undefined;
  /** Approximate size of all items, in UTF-16 units. */
  totalWeight = 0;

  constructor(readonly uri: string) {}

  /** Whether there is an answer from this provider. It may belong to an earlier text. */
  hasAnswer(id: string): boolean {
    return this.answers.has(id);
  }

  isFresh(id: string): boolean {
    return this.version !== undefined && this.answers.get(id)?.answeredVersion === this.version;
  }

  /** Changes to a version. All items are discarded, because the edits since the earlier version are unknown. */
  resetTo(version: number): void {
    if (this.version === version) return;
    this.cancelRequests();
    this.answers.clear();
    this.totalWeight = 0;
    this.version = version;
    this.note = undefined;
    this.clearCache();
  }

  applyEdit(version: number, changes: readonly TextChange[]): void {
    this.cancelRequests();
    for (const [id, { answeredVersion, group }] of this.answers)
      this.setProviderAnswer(id, { answeredVersion, group: { ...group, packed: shiftItems(group.packed, changes) } });
    this.version = version;
    this.note = undefined;
    this.clearCache();
  }

  setNote(note: string): void {
    this.note = note;
    this.clearCache();
  }

  addRequest(id: string, request: PendingRequest): void {
    this.pendingRequests.set(id, request);
    this.clearCache();
  }

  removeRequest(id: string): void {
    this.pendingRequests.delete(id);
    this.clearCache();
  }

  cancelRequest(id: string, request: PendingRequest): void {
    request.controller.abort();
    if (this.pendingRequests.get(id) === request) this.removeRequest(id);
  }

  /** Stores the answer to a request. Its ranges refer to the current version. */
  storeAnswer(provider: ProviderRef, packed: PackedItems): void {
    const { id } = provider;
    this.pendingRequests.delete(id);
    this.setProviderAnswer(id, { answeredVersion: this.version, group: { provider, packed } });
    this.clearCache();
  }

  /** Marks the provider's items as outdated. They are kept until its next answer. */
  markOutdated(id: string): void {
    const slot = this.answers.get(id);
    if (slot) this.answers.set(id, { ...slot, answeredVersion: undefined });
    this.clearCache();
  }

  retainProviders(ids: ReadonlySet<string>): void {
    for (const [id, request] of this.pendingRequests) if (!ids.has(id)) this.cancelRequest(id, request);
    for (const id of [...this.answers.keys()]) {
      if (ids.has(id)) continue;
      this.totalWeight -= this.answerWeight(id);
      this.answers.delete(id);
    }
    this.clearCache();
  }

  cancelRequests(): void {
    for (const { controller } of this.pendingRequests.values()) controller.abort();
    this.pendingRequests.clear();
  }

  combinedAnswer(handles: readonly ProviderHandle[]): ContextAnswer {
    this.cachedCombinedAnswer ??= this.createAnswer(handles);
    return this.cachedCombinedAnswer;
  }

  private setProviderAnswer(id: string, answer: ProviderAnswer): void {
    this.totalWeight += packedItemsWeight(answer.group.packed) - this.answerWeight(id);
    this.answers.set(id, answer);
  }

  private answerWeight(id: string): number {
    const slot = this.answers.get(id);
    return slot ? packedItemsWeight(slot.group.packed) : 0;
  }

  private clearCache(): void {
    this.cachedCombinedAnswer = undefined;
  }

  private createAnswer(handles: readonly ProviderHandle[]): ContextAnswer {
    const groups = handles.flatMap(({ providerRef: ref }) => this.answers.get(ref.id)?.group ?? []);
    const providerNotes = groups
      .filter(({ packed }) => packed.notes.length > 0)
      .map(({ provider, packed }) => ({ provider, notes: packed.notes }));
    return {
      uri: this.uri,
      version: this.version ?? 0,
      items: new ItemList(groups),
      isComplete: this.note === undefined && handles.every(({ providerRef: ref }) => this.isFresh(ref.id)),
      pendingProviders: handles
        .filter(({ providerRef: ref }) => this.pendingRequests.has(ref.id))
        .map(({ providerRef: ref }) => ref),
      ...(this.note === undefined ? {} : { note: this.note }),
      providerNotes,
    };
  }
}
