import type { FileTextId } from '../changes/fileTexts';
import type { AuthorStep, AuthorTurn } from './authorSteps';
import type { LineAuthorChain } from './lineAuthors';

/** How many earlier names of a file are followed. */
const maxNames = 10;

/** Knows by the path of a file what turns of all conversations have written to it. Holds ids of texts, no texts. */
export class AuthorIndex {
  private readonly stepsByConversation = new Map<string, readonly AuthorStep[]>();
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
    return this.stepsUntil(path, Infinity, now, maxNames);
  }

  /** Returns the turns that have written the file, newest first. */
  turnsOf(path: string, now?: FileTextId): readonly AuthorTurn[] {
    const writes = this.stepsOf(path, now).filter(({ kind }) => kind === 'write');
    return [...new Set(writes.map(({ turn }) => turn))].reverse();
  }

  private stepsUntil(path: string, end: number, now: FileTextId, names: number): readonly AuthorStep[] {
    const steps = (this.pathIndex.get(path) ?? []).filter(({ at }) => at <= end);
    const [first] = steps;
    if (names === 0) return steps;
    if (first?.renamedFrom !== undefined) {
      const { at, renamedFrom, turn } = first;
      const before = this.stepsUntil(renamedFrom, at, undefined, names - 1);
      // The old file was removed by the same turn.
      const kept = before.findLastIndex((step) => step.left !== null || step.turn !== turn) + 1;
      return [...before.slice(0, kept), ...steps];
    }
    const found = first ? first.found : now;
    const former = typeof found === 'string' ? this.formerPath(path, found, first?.at ?? end) : undefined;
    return former === undefined
      ? steps
      : [...this.stepsUntil(former, first?.at ?? end, undefined, names - 1), ...steps];
  }

  /** Returns the only other file that had this text last. */
  private formerPath(path: string, text: string, until: number): string | undefined {
    const found = [...this.pathIndex].filter(
      ([other, steps]) => other !== path && steps.findLast(({ at }) => at < until)?.left === text,
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

/** Applies one more step. `textOf` returns undefined for a text that is missing. */
export function applyStep(
  chain: LineAuthorChain<AuthorTurn>,
  { found, isByCommand = false, isDoubtful = false, kind, left, renamedFrom, turn }: AuthorStep,
  textOf: (id: string) => string | undefined,
): void {
  const text = (id: FileTextId): string | undefined =>
    typeof id === 'string' ? textOf(id) : id === null ? '' : undefined;
  const [before, after] = [text(found), text(left)];
  const isRenamed = renamedFrom !== undefined;
  if (kind === 'undo') {
    if (before !== undefined) chain.observe(before);
    chain.undo(after);
    return;
  }
  if (before !== undefined && !isRenamed) chain.observe(before);
  if (after === undefined) return;
  if (before === undefined && !isRenamed) chain.observe(after);
  else chain.write(after, { turn, isByCommand, isDoubtful });
}
