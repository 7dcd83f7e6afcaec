import picomatch from 'picomatch';
import { messageOf } from '../../../base/common/errors';
import type { RunInTime } from '../../../base/common/timedRun';
import { TimedGlobs } from '../../../editor/common/timedGlobs';

export interface Glob {
  readonly isMatch: (path: string) => boolean;
  readonly isNegated: boolean;
}

/** The globs of one provider. Globs that are invalid or too slow match nothing and are reported as problems. */
export class GlobSet {
  private readonly found: string[] = [];
  private readonly globs: TimedGlobs;

  constructor(runInTime: RunInTime) {
    this.globs = new TimedGlobs(runInTime, { dot: true, maxLength: 1_000 });
  }

  get problems(): readonly string[] {
    return [...this.found];
  }

  compile(path: string): Glob | undefined {
    const glob = path.replace(/^(!?)\//, '$1');
    try {
      const matches = this.globs.compile([glob], () => this.addSlow(path));
      return { isMatch: (candidate) => matches(candidate) ?? false, isNegated: picomatch.scan(glob).negated };
    } catch (error) {
      this.add(path, messageOf(error));
      return undefined;
    }
  }

  private addSlow(path: string): void {
    this.add(path, 'it takes too long. Make it simpler');
    if (this.globs.isGivenUp) this.found.push('Its other globs with groups or many stars are not used either.');
  }

  private add(path: string, why: string): void {
    this.found.push(`The glob "${path.slice(0, 200)}" of a selector cannot be used: ${why}.`);
  }
}
