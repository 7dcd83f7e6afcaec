import type { Disposable } from '../../../base/common/disposable';
import type { Entry } from '../../common/entries';
import type { TranscriptPatch } from '../../common/patch';

/** The entries of one turn that stand at the top level, in reading order. The same object as long as they are the same. */
export interface Turn {
  /** Unique within the model, and stable while the turn grows at either end. */
  readonly key: string;
  readonly turn: number;
  readonly ids: readonly string[];
}

/** What one patch did, for whoever follows the whole. */
export interface TranscriptChange {
  /** All is new: another conversation, or the same one read again. */
  readonly isReset: boolean;
  /** Entries that came at the end, without those of a reset. */
  readonly added: readonly Entry[];
  /** Entries that were there, as they were and as they are. */
  readonly changed: readonly { readonly from: Entry; readonly to: Entry }[];
  /** How many came before all others. */
  readonly olderCount: number;
  /** How many came after all others that are not new, the page only did not have them. */
  readonly laterCount: number;
  /** How many new ones there are at the end that did not come here, since those before them are not here either. */
  readonly addedBeyond: number;
}

/** What a page knows of a transcript. Whoever shows one entry subscribes to that one, so that a change renders it alone. */
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

  /** How many entries there are before the first one here. */
  get before(): number {
    return this.countBefore;
  }

  /** How many entries there are after the last one here. */
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

  /** In reading order. */
  entries(): readonly Entry[] {
    return this.order.flatMap((id) => this.byId.get(id) ?? []);
  }

  /** The ids of what a call's subagent said and did; the same array as long as they are the same. */
  childrenOf(id: string): readonly string[] {
    return this.children.get(id) ?? none;
  }

  /** The caller disposes the subscription. Also called when the children of the entry change. */
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

  /** Before a patch is applied: the time to measure what is on the screen. */
  onWillChange(listener: (patch: TranscriptPatch) => void): Disposable {
    this.willListeners.add(listener);
    return { dispose: () => this.willListeners.delete(listener) };
  }

  /** After a patch was applied, and after those who follow single entries have heard of it. */
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

  /** Finds the turns, and what belongs to which call. A part of a call that is not here stands at the top level. */
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
