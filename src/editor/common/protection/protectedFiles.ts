import { GlobRules, slashed, type BadPattern, type FileName, type GlobOptions, type GlobTarget } from '../globRules';
import { changesWhatRuns } from './packageManifest';
import { editorFileReasons, protectedDefaults } from './protectedDefaults';
import type { ContentChange, Protection } from './protection';

export const defaultProtectedFiles: readonly string[] = protectedDefaults.map(({ glob }) => glob);

const reasons: ReadonlyMap<string, string> = new Map(protectedDefaults.map(({ glob, reason }) => [glob, reason]));
const known: ReadonlySet<string> = new Set(defaultProtectedFiles);
const manifestGlob = 'package.json';

/**
 * Files that make things run, by globs (`GlobRules`). A glob that starts with `**` + slash, or has no slash, is also matched
 * against the last two names of the workspace folder: `.vscode` stays protected when it is opened as a folder.
 * Of a file with several names one is enough. Names that a file system takes for the same one are the same here: case,
 * compatible and ignorable characters of Unicode, dots and spaces at the end.
 */
export class ProtectedFiles {
  /** Patterns that are not globs; they protect nothing. */
  readonly bad: readonly BadPattern[];
  private readonly rules: GlobRules;

  constructor(patterns: readonly string[] = defaultProtectedFiles, options: GlobOptions = {}) {
    this.rules = new GlobRules(patterns, known, options);
    this.bad = this.rules.bad;
  }

  /**
   * Undefined for a file that may be changed without asking. A `package.json` is only protected where the change is about
   * what runs; without a `change` it counts as protected, since nobody can tell.
   */
  protectionOf(names: readonly FileName[], change?: ContentChange): Protection | undefined {
    for (const name of names) {
      const protection = this.protectionOfName(name, change);
      if (protection) return protection;
    }
    return undefined;
  }

  private protectionOfName(name: FileName, change: ContentChange | undefined): Protection | undefined {
    for (const target of targetsOf(name)) {
      const rule = this.rules.decisive(target);
      if (!rule?.isOn) continue;
      if (rule.pattern === manifestGlob && change && !changesWhatRuns(change)) continue;
      return { reason: reasonOf(rule.pattern, target.below) };
    }
    return undefined;
  }
}

function reasonOf(pattern: string, below: string): string {
  const fileName = below.slice(below.lastIndexOf('/') + 1).toLowerCase();
  const ofFile = pattern === '.vscode' ? editorFileReasons.get(fileName) : undefined;
  return ofFile ?? reasons.get(pattern) ?? `it is on the list of the setting backline.protectedFiles (“${pattern}”)`;
}

function targetsOf(name: FileName): GlobTarget[] {
  const { whole, below } = slashed(name);
  const folder = below === '' ? whole : whole.slice(0, -below.length);
  const outer = folder.split('/').filter(Boolean).slice(-2);
  const wide = [...outer, below].join('/');
  const target = { names: wide, below, anywhere: wide, whole };
  if (!isSpeltOddly.test(wide)) return [target];
  const plain = plainSpelling(wide);
  return [target, { names: plain, below: plainSpelling(below), anywhere: plain, whole: plainSpelling(whole) }];
}

const isSpeltOddly = /[^ -~]|[. ](?:\/|$)/;

/** What file systems that ignore such differences would look for. Upper case folds more than lower case does (`ſ`, `ﬁ`). */
function plainSpelling(path: string): string {
  const folded = path
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase();
  return folded
    .split('/')
    .map((name) => name.replace(/[. ]+$/, ''))
    .join('/');
}
