import { BoundedMap } from '../../../base/common/boundedMap';
import { textVersion } from '../../../editor/common/text/textVersion';

/** A problem in a file, with the text that describes it without its line number. */
export interface KnownProblem {
  /** Absolute path. */
  readonly path: string;
  readonly text: string;
}

/** The problems at one moment. Files are read in the order of their paths, up to a limit. */
export interface ProblemSnapshot<P extends KnownProblem> {
  readonly problems: readonly P[];
  /** Path of the last file that was read. Undefined if all were read. */
  readonly readUpTo?: string | undefined;
}

export interface ProblemChanges<P extends KnownProblem> {
  readonly added: readonly P[];
  readonly gone: readonly KnownProblem[];
  /** Whether some files were not read, so that their changes are unknown. */
  readonly isIncomplete: boolean;
}

interface RememberedAnswer extends ProblemSnapshot<KnownProblem> {
  readonly question: string;
}

const maxVersions = 30;
/** Limit of all remembered problems, in UTF-16 units of their texts. */
const maxRemembered = 4 * 1_024 * 1_024;

/** Remembers the problems in answers, so that a model can ask what has changed since. A moved line is not a change. */
export class ProblemVersions {
  private readonly answerByVersion = new BoundedMap<string, RememberedAnswer>({
    maxEntries: maxVersions,
    maxWeight: maxRemembered,
    weigh: ({ problems }) => problems.reduce((sum, { path, text }) => sum + path.length + text.length, 0),
  });

  /**
   * Returns the version of these problems. It belongs to the `question` that they answer. Equal answers have the same
   * version.
   */
  remember(question: string, { problems, readUpTo }: ProblemSnapshot<KnownProblem>): string {
    const keys = problems.map(keyOf).sort();
    const version = textVersion(JSON.stringify([question, readUpTo ?? '', ...keys]));
    const remembered = problems.map(({ path, text }) => ({ path, text }));
    this.answerByVersion.set(version, { question, problems: remembered, readUpTo });
    return version;
  }

  /** Returns undefined if the version belongs to another question, or was forgotten. */
  changesSince<P extends KnownProblem>(
    version: string,
    question: string,
    { problems, readUpTo }: ProblemSnapshot<P>,
  ): ProblemChanges<P> | undefined {
    const before = this.answerByVersion.get(version);
    if (before?.question !== question) return undefined;
    return {
      // In a file that one of the snapshots has not read, a problem may have been there before, or may still be there.
      added: without(problems, before.problems).filter(isWithin(before.readUpTo)),
      gone: without(before.problems, problems).filter(isWithin(readUpTo)),
      isIncomplete: (before.readUpTo ?? readUpTo) !== undefined,
    };
  }
}

function isWithin(readUpTo: string | undefined): (problem: KnownProblem) => boolean {
  return ({ path }) => readUpTo === undefined || path <= readUpTo;
}

/** Returns the problems that occur more often in `all` than in `known`. */
function without<P extends KnownProblem>(all: readonly P[], known: readonly KnownProblem[]): readonly P[] {
  const counts = new Map<string, number>();
  for (const problem of known) counts.set(keyOf(problem), (counts.get(keyOf(problem)) ?? 0) + 1);
  return all.filter((problem) => {
    const count = counts.get(keyOf(problem)) ?? 0;
    counts.set(keyOf(problem), count - 1);
    return count <= 0;
  });
}

function keyOf({ path, text }: KnownProblem): string {
  return `${path}\n${text}`;
}
