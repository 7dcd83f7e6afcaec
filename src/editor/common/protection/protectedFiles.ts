import { GlobRules, normalizedPaths, type InvalidPattern, type WorkspacePath, type GlobTarget } from '../globRules';
import { gitNameOf } from './gitFolder';
import { normalizeSpelling } from './normalizeSpelling';
import { canAffectWhatRuns } from './packageManifest';
import { protectionReasonByVscodeFile, protectedDefaults } from './protectedDefaults';
import type { TextBeforeAndAfter, Protection } from './protection';

export const defaultProtectedFiles: readonly string[] = protectedDefaults.map(({ glob }) => glob);

const reasons: ReadonlyMap<string, string> = new Map(protectedDefaults.map(({ glob, reason }) => [glob, reason]));
const manifestGlob = 'package.json';

/**
 * Globs of protected files. See `GlobRules` for the syntax. A glob without a slash, or with a leading `**` and slash,
 * is also matched against the last two names of the workspace folder's path, so that `.vscode` stays protected when it
 * is opened as the workspace folder.
 * Names that a file system may treat as equal are equal: case, Unicode compatibility forms, ignorable characters, and
 * trailing dots and spaces make no difference.
 */
export class ProtectedFiles {
  /** Invalid patterns, which protect nothing. */
  readonly invalidPatterns: readonly InvalidPattern[];
  private readonly rules: GlobRules;

  constructor(patterns: readonly string[] = defaultProtectedFiles) {
    this.rules = new GlobRules(patterns);
    this.invalidPatterns = this.rules.invalidPatterns;
  }

  /**
   * Returns the protection of a file with these names, or undefined. A `package.json` is protected if the change can affect
   * what runs, and a `HEAD` if it can make its folder a Git folder. Without a `change`, both are.
   */
  protectionOf(names: readonly WorkspacePath[], change?: TextBeforeAndAfter): Protection | undefined {
    const all = [...names, ...names.flatMap((name) => gitNameOf(name, change) ?? [])];
    for (const target of all.flatMap(targetsOf)) {
      const rule = this.rules.findLastMatch(target);
      if (!rule || rule.isException) continue;
      if (rule.pattern === manifestGlob && change && !canAffectWhatRuns(change)) continue;
      return { reason: reasonOf(rule.pattern, target.forRelativeGlobs) };
    }
    return undefined;
  }
}

function reasonOf(pattern: string, below: string): string {
  const fileName = below.slice(below.lastIndexOf('/') + 1).toLowerCase();
  const ofFile = pattern === '.vscode' ? protectionReasonByVscodeFile.get(fileName) : undefined;
  return ofFile ?? reasons.get(pattern) ?? `it matches “${pattern}” in backline.protectedFiles`;
}

function targetsOf(name: WorkspacePath): GlobTarget[] {
  const { whole, below } = normalizedPaths(name);
  const folder = below === '' ? whole : whole.slice(0, -below.length);
  const outer = folder.split('/').filter(Boolean).slice(-2);
  const wide = [...outer, below].join('/');
  const target = targetOf(wide, below, whole);
  if (!unusualSpelling.test(wide)) return [target];
  const plain = normalizeSpelling(wide);
  return [target, targetOf(plain, normalizeSpelling(below), normalizeSpelling(whole))];
}

function targetOf(wide: string, below: string, whole: string): GlobTarget {
  return { forNameGlobs: wide, forRelativeGlobs: below, forSuffixGlobs: wide, forAbsoluteGlobs: whole };
}

const unusualSpelling = /[^ -~]|[. ](?:\/|$)/;
