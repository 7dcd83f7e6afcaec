import type { FileTextId } from '../changes/fileTexts';
import type { AuthorStep, AuthorTurn } from './authorSteps';

/** How many earlier names of a file are followed. */
const maxNames = 10;
/** How long after its text was written elsewhere a file that a turn has moved is removed at most, in milliseconds. */
const maxRenameMs = 60 * 60_000;

/** Knows by the path of a file what turns of all conversations have written to it. Holds ids of texts, no texts. */
export class AuthorIndex {
  private readonly stepsByConversation = new Map<string, readonly AuthorStep[]>();
  /** By the removal of a file, the step that says only which text it had. The same one each time. */
  private readonly lastTexts = new WeakMap<AuthorStep, AuthorStep>();
  private byPath: ReadonlyMap<string, readonly AuthorStep[]> | undefined;

  /** Sets the steps of a conversation, in the order of its log. */
  set(conversation: string, steps: readonly AuthorStep[]): void {
    this.stepsByConversation.set(conversation, steps);
    this.byPath = undefined;
  }

  delete(conversation: string): void {
    if (this.stepsByConversation.delete(conversation)) this.byPath = undefined;
  }

  get conversations(): readonly string[] {
    return [...this.stepsByConversation.keys()];
  }

  /** Absolute paths of all files that agents have written. */
  get paths(): readonly string[] {
    return [...this.pathIndex.keys()];
  }

  /**
   * Returns what has happened to a file until now, oldest first, also under its earlier names. `now`: id of its text, by which a
   * file is found that was moved by somebody else.
   */
  stepsOf(path: string, now?: FileTextId): readonly AuthorStep[] {
    return this.stepsUntil([path], Infinity, now);
  }

  /** Returns the turns that have written the file, newest first. */
  turnsOf(path: string, now?: FileTextId): readonly AuthorTurn[] {
    const writes = this.stepsOf(path, now).filter(({ kind }) => kind === 'write');
    return [...new Set(writes.map(({ turn }) => turn))].reverse();
  }

  /** `names`: those of the file, the earliest one last. */
  private stepsUntil(names: readonly string[], end: number, now?: FileTextId): readonly AuthorStep[] {
    const path = names.at(-1) ?? '';
    const steps = (this.pathIndex.get(path) ?? []).filter(({ at }) => at <= end);
    if (names.length >= maxNames) return steps;
    // What the path had before is another file.
    const rename = steps.findLastIndex(({ renamedFrom = path }) => !names.includes(renamedFrom));
    const renamed = steps[rename];
    if (renamed?.renamedFrom !== undefined) {
      const { at, renamedFrom, turn } = renamed;
      const before = this.stepsUntil([...names, renamedFrom], at + maxRenameMs);
      // The old file was removed by the same turn, and had this text until then.
      const removal = before.findLastIndex((step) => step.left === null && step.turn === turn);
      const removed = before[removal];
      const earlier = removed
        ? [...before.slice(0, removal), this.untilRemoved(removed)]
        : before.filter((step) => step.at < at);
      return [...earlier, ...steps.slice(rename)];
    }
    const [first] = steps;
    const found = first ? first.found : now;
    const until = first?.at ?? end;
    const former = typeof found === 'string' ? this.formerPath(names, found, until) : undefined;
    return former === undefined ? steps : [...this.stepsUntil([...names, former], until), ...steps];
  }

  private untilRemoved(removal: AuthorStep): AuthorStep {
    const known = this.lastTexts.get(removal) ?? { ...removal, left: removal.found };
    this.lastTexts.set(removal, known);
    return known;
  }

  /** Returns the only other file that had this text last. */
  private formerPath(names: readonly string[], text: string, until: number): string | undefined {
    const found = [...this.pathIndex].filter(
      ([other, steps]) => !names.includes(other) && steps.findLast(({ at }) => at < until)?.left === text,
    );
    return found.length === 1 ? found[0]?.[0] : undefined;
  }

  private get pathIndex(): ReadonlyMap<string, readonly AuthorStep[]> {
    this.byPath ??= indexByPath([...this.stepsByConversation.values()].flat());
    return this.byPath;
  }
}

function indexByPath(all: readonly AuthorStep[]): ReadonlyMap<string, readonly AuthorStep[]> {
  const byPath = new Map<string, AuthorStep[]>();
  const seen = new Set<string>();
  // A fork has copies of the records before it. They belong to the conversation from which they come, while that exists.
  const originalsFirst = [...all].sort((one, other) => Number(one.isCopy ?? false) - Number(other.isCopy ?? false));
  for (const step of originalsFirst) {
    const { at, kind, left, path, turn } = step;
    const key = JSON.stringify([at, kind, path, left ?? null, turn.startedAt]);
    if (step.isCopy === true && seen.has(key)) continue;
    seen.add(key);
    const steps = byPath.get(path);
    if (steps) steps.push(step);
    else byPath.set(path, [step]);
  }
  for (const steps of byPath.values()) steps.sort((one, other) => one.at - other.at);
  return byPath;
}
