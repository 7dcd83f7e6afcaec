import picomatch from 'picomatch';
import { messageOf } from '../../../base/common/errors';
import type { RunWithTimeLimit } from '../../../base/common/runWithTimeLimit';
import { TimedGlobs } from '../../../editor/common/timedGlobs';

export interface SelectorGlob {
  readonly isMatch: (path: string) => boolean;
  readonly isNegated: boolean;
}

/** The globs of one provider. A glob that is invalid or too slow matches nothing and is reported as a problem. */
export class SelectorGlobSet {
  private readonly foundProblems: string[] = [];
  private readonly globs: TimedGlobs;

  constructor(runWithTimeLimit: RunWithTimeLimit) {
    this.globs = new TimedGlobs(runWithTimeLimit, { dot: true, maxLength: 1_000 });
  }

  get problems(): readonly string[] {
    return [...this.foundProblems];
  }

  compile(path: string): SelectorGlob | undefined {
    const glob = path.replace(/^(!?)\//, '$1');
    try {
      const matches = this.globs.compile([glob], () => this.addSlowProblem(path));
      return { isMatch: (candidate) => matches(candidate) ?? false, isNegated: picomatch.scan(glob).negated };
    } catch (error) {
      this.addProblem(path, messageOf(error));
      return undefined;
    }
  }

  private addSlowProblem(path: string): void {
    this.addProblem(path, 'it takes too long. Simplify it');
    if (this.globs.hasTooManySlowGlobs)
      this.foundProblems.push('Other complex globs of this provider are also ignored.');
  }

  private addProblem(path: string, why: string): void {
    this.foundProblems.push(`The selector’s glob "${path.slice(0, 200)}" cannot be used: ${why}.`);
  }
}
