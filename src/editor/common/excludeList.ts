import type { RunInTime } from '../../base/common/timedRun';
import { isAbsolutePath, toSlashes } from './boundary';
import { looseMatcher, TimedGlobs } from './timedGlobs';

/**
 * What `backline.exclude` holds out of the box: files that commonly hold secrets. Public keys and sources stay readable.
 * package.json repeats this list as the default of the setting; a test holds the two together.
 */
export const defaultExclude: readonly string[] = [
  // Environment files; `.env` itself is left to the first glob alone, so that taking that one out is enough
  '.env*',
  '?*.env',
  '.dev.vars*',
  // Private keys and key stores
  '*.{pem,key,p8,p12,pfx,ppk,jks,keystore,kdbx}',
  '{id_rsa,id_dsa,id_ecdsa,id_ed25519}!(*.pub)',
  '**/.ssh/!(*.pub)',
  '**/.gnupg/**',
  // Logins and tokens of tools
  '.npmrc*',
  '{.yarnrc.yml,.pypirc,.netrc,_netrc,.pgpass,.htpasswd,.git-credentials,.vault-token}',
  '**/.aws/{credentials,config}',
  '**/.azure/**',
  '**/.config/{gcloud,gh}/**',
  '**/.docker/config.json',
  '**/.kube/config',
  '**/.git/config',
  // Not the sources in a folder of that name
  '**/credentials(?!/)',
  '{credentials,secrets}.{json,yml,yaml,toml}',
  '*credentials*.json',
  'client_secret*.json',
  '{service-account,service_account,serviceAccount}*.json',
  // Terraform writes secrets into its state and takes them from variable files
  '*.{tfstate,tfvars}',
  '*.tfstate.backup',
];

export interface BadPattern {
  readonly pattern: string;
  readonly reason: string;
}

interface Rule {
  readonly excludes: boolean;
  /** Whether it is for absolute paths, or for those below the workspace folder. */
  readonly isAbsolute: boolean;
  readonly matches: (path: string) => boolean;
}

export interface ExcludeOptions {
  /** Limits how long a glob may take. Without it no glob that may be slow is run, and more than it names is excluded. */
  readonly runInTime?: RunInTime;
  /** A glob took too long: from now on it excludes every path with the same names in it. */
  readonly onSlow?: (pattern: string) => void;
}

/**
 * Compiled globs (`/` separates names on every system) of files that no peer may see. Letters match in either case,
 * leading dots need no special care, and a pattern that names a folder holds for all that is in it. What a pattern is
 * matched against:
 *
 * - no slash (`.env*`): every name in the path below the workspace folder;
 * - slash inside (`config/secret.json`): the path relative to the workspace folder, from its start;
 * - `**` + slash first, or an absolute path: the absolute path, whichever folder is open.
 *
 * A `!` before a glob makes it an exception. The last pattern that matches a path decides. Where a pattern takes too long
 * to say, the file is excluded if it has the names of the pattern, and an exception makes none.
 */
export class ExcludeList {
  /** Patterns that are not globs; they exclude nothing. */
  readonly bad: readonly BadPattern[];
  /** The last one first. */
  private readonly rules: readonly Rule[];

  constructor(patterns: readonly string[], { runInTime, onSlow = () => undefined }: ExcludeOptions = {}) {
    const rules: Rule[] = [];
    const bad: BadPattern[] = [];
    const globs = new TimedGlobs(runInTime, globOptions);
    // Those are known to be fast, and the time of each path counts.
    const fast = new TimedGlobs((work) => work(), globOptions);
    for (const pattern of patterns) {
      try {
        rules.unshift(compile(pattern, defaultExclude.includes(pattern) ? fast : globs, onSlow));
      } catch (error) {
        bad.push({ pattern, reason: error instanceof Error ? error.message : String(error) });
      }
    }
    this.rules = rules;
    this.bad = bad;
  }

  /** `path` is absolute; `relativePath` is its tail below the workspace folder, empty for the folder itself. */
  excludes(path: string, relativePath: string): boolean {
    const whole = toSlashes(path);
    const below = relativePath === '' ? '' : whole.slice(-relativePath.length);
    const decisive = this.rules.find(({ isAbsolute, matches }) => matches(isAbsolute ? whole : below));
    return decisive?.excludes ?? false;
  }
}

const globOptions = { dot: true, nocase: true, strictBrackets: true, nonegate: true };

/** @throws Error when the pattern is empty or too long, or leaves a bracket open */
function compile(pattern: string, globs: TimedGlobs, onSlow: (pattern: string) => void): Rule {
  const isException = /^!(?!\()/.test(pattern);
  const glob = (isException ? pattern.slice(1) : pattern).replace(/\/+$/, '');
  if (glob === '') throw new Error('it is empty');
  const isAbsolute = glob.startsWith('**/') || isAbsolutePath(glob);
  const full = isAbsolute ? glob : glob.includes('/') ? glob.replace(/^\.\//, '') : `**/${glob}`;
  const matches = globs.compile([full, `${full}/**`], () => onSlow(pattern));
  const matchesLoosely = looseMatcher(full);
  return {
    excludes: !isException,
    isAbsolute,
    matches: (path) => matches(path) ?? (!isException && matchesLoosely(path)),
  };
}
