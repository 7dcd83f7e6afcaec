import picomatch from 'picomatch';
import { isAbsolutePath, toSlashes } from './boundary';

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

/**
 * Compiled globs (`/` separates names on every system) of files that no peer may see. Letters match in either case,
 * leading dots need no special care, and a pattern that names a folder holds for all that is in it. What a pattern is
 * matched against:
 *
 * - no slash (`.env*`): every name in the path below the workspace folder;
 * - slash inside (`config/secret.json`): the path relative to the workspace folder, from its start;
 * - `**` + slash first, or an absolute path: the absolute path, whichever folder is open.
 *
 * A `!` before a glob makes it an exception. The last pattern that matches a path decides.
 */
export class ExcludeList {
  /** Patterns that are not globs; they exclude nothing. */
  readonly bad: readonly BadPattern[];
  /** The last one first. */
  private readonly rules: readonly Rule[];

  constructor(patterns: readonly string[]) {
    const rules: Rule[] = [];
    const bad: BadPattern[] = [];
    for (const pattern of patterns) {
      try {
        rules.unshift(compile(pattern));
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

/** @throws Error when the pattern is empty or too long, or leaves a bracket open */
function compile(pattern: string): Rule {
  const isException = /^!(?!\()/.test(pattern);
  const glob = (isException ? pattern.slice(1) : pattern).replace(/\/+$/, '');
  if (glob === '') throw new Error('it is empty');
  const isAbsolute = glob.startsWith('**/') || isAbsolutePath(glob);
  const full = isAbsolute ? glob : glob.includes('/') ? glob.replace(/^\.\//, '') : `**/${glob}`;
  const options = { dot: true, nocase: true, strictBrackets: true, nonegate: true };
  return { excludes: !isException, isAbsolute, matches: picomatch([full, `${full}/**`], options) };
}
