import type { Entry } from './entries';
import type { EntryOutline } from './entryStore';

/** The order of top-level entries, and the steps of each. An entry whose parent does not exist is a top-level entry, too. */
export class TopLevelIndex {
  private topLevelIds: string[] = [];
  /** All steps of a top-level entry at any depth, in their order. */
  private readonly stepIdsByTopLevelId = new Map<string, string[]>();
  private readonly topLevelIdByStepId = new Map<string, string>();
  /** Parents that do not exist. */
  private readonly missingParentIds = new Set<string>();
  /** Undefined until it is needed. */
  private indexById: Map<string, number> | undefined;

  constructor(private readonly entryOf: (id: string) => EntryOutline | undefined) {}

  get ids(): readonly string[] {
    return this.topLevelIds;
  }

  stepsOf(topLevelId: string): readonly string[] {
    return this.stepIdsByTopLevelId.get(topLevelId) ?? [];
  }

  isTopLevel(id: string): boolean {
    return !this.topLevelIdByStepId.has(id);
  }

  indexOf(id: string): number {
    const topLevelId = this.topLevelIdByStepId.get(id) ?? id;
    const { length } = this.topLevelIds;
    // Most searches are for the last entries, for example while an answer is streamed.
    for (let index = length - 1; index >= Math.max(0, length - recentCount); index--)
      if (this.topLevelIds[index] === topLevelId) return index;
    this.indexById ??= new Map(this.topLevelIds.map((other, index) => [other, index]));
    return this.indexById.get(topLevelId) ?? -1;
  }

  /** Adds the entry at the end. Returns false if its order depends on other entries, which need `rebuild`. */
  add({ id, parent }: Entry): boolean {
    if (this.missingParentIds.has(id)) return false;
    const isStep = parent !== undefined && this.existingParentOf(id) === parent;
    this.append(id, isStep ? (this.topLevelIdByStepId.get(parent) ?? parent) : id);
    return true;
  }

  /** Removes an entry that no longer exists. Returns false if other entries may be its steps, which need `rebuild`. */
  remove(id: string): boolean {
    const topLevelId = this.topLevelIdByStepId.get(id);
    const steps = this.stepIdsByTopLevelId.get(topLevelId ?? id) ?? [];
    if (steps.some((step) => this.entryOf(step)?.parent === id)) return false;
    if (topLevelId === undefined) {
      this.topLevelIds.splice(this.topLevelIds.lastIndexOf(id), 1);
      this.indexById = undefined;
    } else steps.splice(steps.indexOf(id), 1);
    this.topLevelIdByStepId.delete(id);
    return true;
  }

  rebuild(entryIds: readonly string[]): void {
    this.topLevelIds = [];
    this.stepIdsByTopLevelId.clear();
    this.topLevelIdByStepId.clear();
    this.missingParentIds.clear();
    this.indexById = undefined;
    for (const id of entryIds) this.append(id, this.findTopLevelId(id));
  }

  /** `topLevelId` is the id itself if the entry is not a step. */
  private append(id: string, topLevelId: string): void {
    if (topLevelId === id) {
      const parent = this.entryOf(id)?.parent;
      if (parent !== undefined && parent !== id) this.missingParentIds.add(parent);
      this.indexById?.set(id, this.topLevelIds.length);
      this.topLevelIds.push(id);
      return;
    }
    this.topLevelIdByStepId.set(id, topLevelId);
    const steps = this.stepIdsByTopLevelId.get(topLevelId);
    if (steps) steps.push(id);
    else this.stepIdsByTopLevelId.set(topLevelId, [id]);
  }

  private findTopLevelId(id: string): string {
    const parent = this.existingParentOf(id);
    if (parent === undefined) return id;
    const seen = new Set([id]);
    let at = parent;
    for (let next = this.existingParentOf(at); next !== undefined; next = this.existingParentOf(at)) {
      // Entries that are inside of each other are top-level entries.
      if (seen.has(at)) return id;
      seen.add(at);
      at = next;
    }
    return at;
  }

  private existingParentOf(id: string): string | undefined {
    const parent = this.entryOf(id)?.parent;
    return parent !== undefined && parent !== id && this.entryOf(parent) ? parent : undefined;
  }
}

/** Number of entries at the end that are searched without a map. */
const recentCount = 32;
