import { GlobRules, slashed, type BadPattern, type GlobOptions } from './globRules';

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

const known: ReadonlySet<string> = new Set(defaultExclude);

/** Files that no peer may see, by globs (`GlobRules`); those that start with `**` + slash hold whichever folder is open. */
export class ExcludeList {
  /** Patterns that are not globs; they exclude nothing. */
  readonly bad: readonly BadPattern[];
  private readonly rules: GlobRules;

  constructor(patterns: readonly string[], options: GlobOptions = {}) {
    this.rules = new GlobRules(patterns, known, options);
    this.bad = this.rules.bad;
  }

  /** `path` is absolute; `relativePath` is its tail below the workspace folder, empty for the folder itself. */
  excludes(path: string, relativePath: string): boolean {
    const { whole, below } = slashed({ path, relativePath });
    return this.rules.decisive({ names: below, below, anywhere: whole, whole })?.isOn ?? false;
  }
}
