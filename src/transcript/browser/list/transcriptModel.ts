import type { Disposable } from '../../../base/common/disposable';
import type { Entry } from '../../common/entries';
import type { TranscriptPatch } from '../../common/patch';

/** The top-level entries of one turn in reading order. The object stays the same while its entries do. */
export interface Turn {
  readonly key: string;
  readonly turn: number;
  readonly ids: readonly string[];
}

/** The effect of one patch. */
export interface TranscriptChange {
  /** Whether everything was replaced, by another conversation or the same one read again. */
  readonly isReset: boolean;
  /** Entries added at the end, without those of a reset. */
  readonly added: readonly Entry[];
  /** Replaced entries, before and after the change. */
  readonly changed: readonly { readonly from: Entry; readonly to: Entry }[];
  /** Number of existing entries loaded before all others. */
  readonly olderCount: number;
  /** Number of existing entries loaded after all others. */
  readonly laterCount: number;
  /** Number of entries added at the end of the transcript that are not loaded here. */
  readonly addedBeyond: number;
}

/**
 * The loaded part of a transcript in a page. Components subscribe to single entries, so that a change redraws only that entry.
 */
export class TranscriptModel {
  private readonly byId = new Map<string, Entry>();
  private order: string[] = [];
  private readonly children = new Map<string, readonly string[]>();
  private topLevel: readonly Turn[] = [];
  private readonly entryListeners = new Map<string, Set<() => void>>();
  private readonly willListeners = new Set<(patch: TranscriptPatch) => void>();
  private readonly listeners = new Set<(change: TranscriptChange) => void>();
  private countBefore = 0;
  private countAfter = 0;

  /** Number of entries before the first loaded one. */
  get before(): number {
    return this.countBefore;
  }

  /** Number of entries after the last loaded one. */
  get after(): number {
    return this.countAfter;
  }

  get turns(): readonly Turn[] {
    return this.topLevel;
  }

  get size(): number {
    return this.order.length;
  }

  get(id: string): Entry | undefined {
    return this.byId.get(id);
  }

  /** Returns the loaded entries in reading order. */
  entries(): readonly Entry[] {
    return this.order.flatMap((id) => this.byId.get(id) ?? []);
  }

  /** Returns the ids of the entries of a call's subagent. The array stays the same while its entries do. */
  childrenOf(id: string): readonly string[] {
    return this.children.get(id) ?? none;
  }

  /** Also fires when the children of the entry change. */
  onDidChangeEntry(id: string, listener: () => void): Disposable {
    const listeners = this.entryListeners.get(id) ?? new Set();
    this.entryListeners.set(id, listeners.add(listener));
    return {
      dispose: () => {
        listeners.delete(listener);
        if (listeners.size === 0 && this.entryListeners.get(id) === listeners) this.entryListeners.delete(id);
      },
    };
  }

  /** Fires before a patch is applied, so that listeners can measure the layout. */
  onWillChange(listener: (patch: TranscriptPatch) => void): Disposable {
    this.willListeners.add(listener);
    return { dispose: () => this.willListeners.delete(listener) };
  }

  /** Fires after a patch was applied and listeners of single entries were called. */
  onDidChange(listener: (change: TranscriptChange) => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  }

  apply(patch: TranscriptPatch): void {
    for (const listener of [...this.willListeners]) listener(patch);
    const touched = new Set<string>();
    const added: Entry[] = [];
    const changed: { from: Entry; to: Entry }[] = [];
    const sizeBefore = this.order.length;
    const isReset = patch.reset ?? false;
    if (isReset) this.forget(touched);
    for (const id of patch.remove ?? []) if (this.byId.delete(id)) touched.add(id);
    if (patch.remove) this.order = this.order.filter((id) => this.byId.has(id));

    let isReordered = isReset || this.order.length !== sizeBefore;
    const later = (patch.later ?? []).filter(({ id }) => !this.byId.has(id));
    for (const entry of later) {
      this.byId.set(entry.id, entry);
      this.order.push(entry.id);
      isReordered = true;
    }
    for (const entry of patch.put ?? []) {
      const from = this.byId.get(entry.id);
      this.byId.set(entry.id, entry);
      touched.add(entry.id);
      isReordered ||= from?.parent !== entry.parent || from?.turn !== entry.turn;
      if (from) {
        changed.push({ from, to: entry });
        continue;
      }
      this.order.push(entry.id);
      isReordered = true;
      if (!isReset) added.push(entry);
    }
    for (const { id, text } of patch.append ?? []) {
      const from = this.byId.get(id);
      if (from?.kind !== 'answer' && from?.kind !== 'thinking') continue;
      const to = { ...from, text: from.text + text };
      this.byId.set(id, to);
      touched.add(id);
      changed.push({ from, to });
    }
    const older = (patch.older ?? []).filter(({ id }) => !this.byId.has(id));
    for (const entry of older) this.byId.set(entry.id, entry);
    if (older.length > 0) this.order = [...older.map(({ id }) => id), ...this.order];
    const { after = 0 } = patch;
    const addedBeyond = isReset ? 0 : Math.max(0, after + later.length - this.countAfter);
    this.countBefore = patch.before;
    this.countAfter = after;

    if (isReordered || older.length > 0) this.arrange(touched);
    for (const id of touched) for (const listener of [...(this.entryListeners.get(id) ?? [])]) listener();
    const change = { isReset, added, changed, olderCount: older.length, laterCount: later.length, addedBeyond };
    for (const listener of [...this.listeners]) listener(change);
  }

  private forget(touched: Set<string>): void {
    for (const id of this.order) touched.add(id);
    this.byId.clear();
    this.order = [];
  }

  /** Groups the entries by turn and by parent. A child whose parent is not loaded becomes a top-level entry. */
  private arrange(touched: Set<string>): void {
    const children = new Map<string, string[]>();
    const turns: { turn: number; ids: string[] }[] = [];
    for (const { id, parent, turn } of this.entries()) {
      if (parent !== undefined && parent !== id && this.byId.has(parent)) {
        const siblings = children.get(parent) ?? [];
        children.set(parent, siblings);
        siblings.push(id);
        continue;
      }
      const last = turns.at(-1);
      if (last?.turn === turn) last.ids.push(id);
      else turns.push({ turn, ids: [id] });
    }
    this.keepChildren(children, touched);
    this.topLevel = keepTurns(this.topLevel, turns);
  }

  private keepChildren(children: ReadonlyMap<string, readonly string[]>, touched: Set<string>): void {
    for (const id of new Set([...this.children.keys(), ...children.keys()])) {
      const now = children.get(id);
      if (isSame(this.children.get(id) ?? none, now ?? none)) continue;
      touched.add(id);
      if (now) this.children.set(id, now);
      else this.children.delete(id);
    }
  }
}

const none: readonly string[] = [];

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((id, index) => id === b[index]);
}

function keepTurns(
  known: readonly Turn[],
  turns: readonly { turn: number; ids: readonly string[] }[],
): readonly Turn[] {
  const knownByKey = new Map(known.map((turn) => [turn.key, turn]));
  const seen = new Map<number, number>();
  return turns.map(({ turn, ids }) => {
    const nth = seen.get(turn) ?? 0;
    seen.set(turn, nth + 1);
    const key = nth === 0 ? `${turn}` : `${turn}.${nth}`;
    const before = knownByKey.get(key);
    return before && isSame(before.ids, ids) ? before : { key, turn, ids };
  });
}
