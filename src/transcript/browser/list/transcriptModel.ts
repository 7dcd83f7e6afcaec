import type { Disposable } from '../../../base/common/disposable';
import type { Entry } from '../../common/entries';
import type { TranscriptPatch } from '../../common/patch';
import { canFold, groupRuns, isInvisible, type ListItem } from './runs';

/** The top-level entries of one turn in reading order. The object stays the same as long as its entries do. */
export interface TranscriptTurn {
  readonly key: string;
  readonly turnNumber: number;
  readonly entryIds: readonly string[];
  /** The same entries, with runs of them as one item. */
  readonly items: readonly ListItem[];
}

export interface TranscriptChange {
  /** Whether all entries were replaced, by those of another conversation or by the same ones read again. */
  readonly isReset: boolean;
  /** Entries added at the end. Empty for a reset. */
  readonly addedEntries: readonly Entry[];
  /** Replaced entries, before and after the change. */
  readonly changedEntries: readonly { readonly from: Entry; readonly to: Entry }[];
  /** Number of earlier entries that were loaded. */
  readonly olderCount: number;
  /** Number of later entries that were loaded. */
  readonly laterCount: number;
  /** Number of top-level entries that were added at the end of the transcript but are not loaded here. */
  readonly unloadedAddedCount: number;
  /** The prompts, ends of turns and notices among these. */
  readonly addedElsewhere: readonly Entry[];
}

/** The loaded part of a transcript. Components subscribe to single entries: a change redraws only that entry. */
export class TranscriptModel {
  private readonly entriesById = new Map<string, Entry>();
  private entryIds: string[] = [];
  private readonly stepsByParent = new Map<string, readonly ListItem[]>();
  private currentTurns: readonly TranscriptTurn[] = [];
  private readonly entryListenersById = new Map<string, Set<() => void>>();
  private readonly willChangeListeners = new Set<(patch: TranscriptPatch) => void>();
  private readonly changeListeners = new Set<(change: TranscriptChange) => void>();
  private unloadedCountBefore = 0;
  private unloadedCountAfter = 0;

  get unloadedOlderCount(): number {
    return this.unloadedCountBefore;
  }

  get unloadedLaterCount(): number {
    return this.unloadedCountAfter;
  }

  get turns(): readonly TranscriptTurn[] {
    return this.currentTurns;
  }

  get size(): number {
    return this.entryIds.length;
  }

  get topLevelCount(): number {
    return this.currentTurns.reduce((sum, { entryIds }) => sum + entryIds.length, 0);
  }

  get(id: string): Entry | undefined {
    return this.entriesById.get(id);
  }

  entries(): readonly Entry[] {
    return this.entryIds.flatMap((id) => this.entriesById.get(id) ?? []);
  }

  /** Returns the ids of the entries of a call's subagent. */
  childIdsOf(id: string): readonly string[] {
    return this.stepItemsOf(id).flat();
  }

  /** The same entries, with runs of them as one item. The array stays the same as long as its entries do. */
  stepItemsOf(id: string): readonly ListItem[] {
    return this.stepsByParent.get(id) ?? noItems;
  }

  /** Calls the listener when the entry or its children change. */
  onDidChangeEntry(id: string, listener: () => void): Disposable {
    const listeners = this.entryListenersById.get(id) ?? new Set();
    this.entryListenersById.set(id, listeners.add(listener));
    return {
      dispose: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.entryListenersById.get(id) === listeners) this.entryListenersById.delete(id);
      },
    };
  }

  /** Fires before a patch is applied, so that listeners can measure the layout. */
  onWillChange(listener: (patch: TranscriptPatch) => void): Disposable {
    this.willChangeListeners.add(listener);
    return { dispose: () => this.willChangeListeners.delete(listener) };
  }

  /** Fires after a patch was applied and listeners of single entries were called. */
  onDidChange(listener: (change: TranscriptChange) => void): Disposable {
    this.changeListeners.add(listener);
    return { dispose: () => this.changeListeners.delete(listener) };
  }

  apply(patch: TranscriptPatch): void {
    for (const listener of [...this.willChangeListeners]) listener(patch);
    const touched = new Set<string>();
    const added: Entry[] = [];
    const changedEntries: { from: Entry; to: Entry }[] = [];
    const sizeBefore = this.entryIds.length;
    const isReset = patch.reset ?? false;
    if (isReset) this.clear(touched);
    this.removeEntries([...(patch.remove ?? []), ...(patch.unload ?? [])], touched);

    let isReordered = isReset || this.entryIds.length !== sizeBefore;
    const later = (patch.later ?? []).filter(({ id }) => !this.entriesById.has(id));
    for (const entry of later) {
      this.entriesById.set(entry.id, entry);
      this.entryIds.push(entry.id);
      isReordered = true;
    }
    for (const entry of patch.put ?? []) {
      const from = this.entriesById.get(entry.id);
      this.entriesById.set(entry.id, entry);
      touched.add(entry.id);
      isReordered ||=
        !from || from.parent !== entry.parent || from.turn !== entry.turn || foldsDifferently(from, entry);
      if (from) {
        changedEntries.push({ from, to: entry });
        continue;
      }
      this.entryIds.push(entry.id);
      isReordered = true;
      if (!isReset) added.push(entry);
    }
    for (const { id, text } of patch.append ?? []) {
      const from = this.entriesById.get(id);
      if (from?.kind !== 'answer' && from?.kind !== 'thinking') continue;
      const to = { ...from, text: from.text + text };
      this.entriesById.set(id, to);
      isReordered ||= foldsDifferently(from, to);
      touched.add(id);
      changedEntries.push({ from, to });
    }
    const older = (patch.older ?? []).filter(({ id }) => !this.entriesById.has(id));
    for (const entry of older) this.entriesById.set(entry.id, entry);
    if (older.length > 0) this.entryIds = [...older.map(({ id }) => id), ...this.entryIds];
    this.unloadedCountBefore = patch.before;
    this.unloadedCountAfter = patch.after ?? 0;

    if (isReordered || older.length > 0) this.rebuildTurnsAndChildren(touched);
    for (const id of touched) for (const listener of [...(this.entryListenersById.get(id) ?? [])]) listener();
    const change = {
      isReset,
      addedEntries: added,
      changedEntries,
      olderCount: older.length,
      laterCount: later.length,
      unloadedAddedCount: patch.unloadedAddedCount ?? 0,
      addedElsewhere: patch.addedElsewhere ?? [],
    };
    for (const listener of [...this.changeListeners]) listener(change);
  }

  private removeEntries(ids: readonly string[], touchedIds: Set<string>): void {
    if (ids.length === 0) return;
    for (const id of ids) if (this.entriesById.delete(id)) touchedIds.add(id);
    this.entryIds = this.entryIds.filter((id) => this.entriesById.has(id));
  }

  private clear(touchedIds: Set<string>): void {
    for (const id of this.entryIds) touchedIds.add(id);
    this.entriesById.clear();
    this.entryIds = [];
  }

  /** Groups the entries by turn and by parent. A child whose parent is not loaded becomes a top-level entry. */
  private rebuildTurnsAndChildren(touchedIds: Set<string>): void {
    const children = new Map<string, Entry[]>();
    const turns: { turn: number; entries: Entry[] }[] = [];
    for (const entry of this.entries()) {
      const { id, parent, turn } = entry;
      if (parent !== undefined && parent !== id && this.entriesById.has(parent)) {
        const siblings = children.get(parent) ?? [];
        children.set(parent, siblings);
        siblings.push(entry);
        continue;
      }
      const last = turns.at(-1);
      if (last?.turn === turn) last.entries.push(entry);
      else turns.push({ turn, entries: [entry] });
    }
    const group = (entries: readonly Entry[]): ListItem[] => groupRuns(entries, (id) => children.has(id));
    this.updateSteps(new Map([...children].map(([id, entries]) => [id, group(entries)])), touchedIds);
    this.currentTurns = reuseTurns(
      this.currentTurns,
      turns.map(({ turn, entries }) => ({ turn, items: group(entries) })),
    );
  }

  private updateSteps(newStepsByParent: ReadonlyMap<string, readonly ListItem[]>, touchedIds: Set<string>): void {
    for (const id of new Set([...this.stepsByParent.keys(), ...newStepsByParent.keys()])) {
      const now = newStepsByParent.get(id);
      const before = this.stepsByParent.get(id);
      if (before && now && areSameItems(before, now)) continue;
      touchedIds.add(id);
      if (now) this.stepsByParent.set(id, now);
      else this.stepsByParent.delete(id);
    }
  }
}

const noItems: readonly ListItem[] = [];

/** Whether two lists have the same ids, grouped in the same way. */
function areSameItems(a: readonly ListItem[], b: readonly ListItem[]): boolean {
  return a.length === b.length && a.every((item, index) => isSameItem(item, b[index]));
}

function isSameItem(a: ListItem, b: ListItem | undefined): boolean {
  if (typeof a === 'string' || typeof b === 'string' || !b) return a === b;
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

/** Whether a change of the entry, or of what is shown of it, can change which entries form a run. */
function foldsDifferently(from: Entry, to: Entry): boolean {
  return canFold(from) !== canFold(to) || isInvisible(from) !== isInvisible(to);
}

function reuseTurns(
  known: readonly TranscriptTurn[],
  turns: readonly { turn: number; items: readonly ListItem[] }[],
): readonly TranscriptTurn[] {
  const knownByKey = new Map(known.map((turn) => [turn.key, turn]));
  const seen = new Map<number, number>();
  return turns.map(({ turn, items }) => {
    const nth = seen.get(turn) ?? 0;
    seen.set(turn, nth + 1);
    const key = nth === 0 ? `${turn}` : `${turn}.${nth}`;
    const before = knownByKey.get(key);
    return before && areSameItems(before.items, items)
      ? before
      : { key, turnNumber: turn, entryIds: items.flat(), items };
  });
}
