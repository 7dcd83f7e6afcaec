import { GlobRules, normalizedPaths, type InvalidPattern } from './globRules';

/**
 * Default of `backline.exclude`: files that commonly contain secrets. Public keys and source files stay readable.
 * package.json repeats this list; a test keeps them equal.
 */
export const defaultExclude: readonly string[] = [
  // Environment files. Only the first glob matches `.env` itself, so users who turn that glob off can share the file.
  '.env*',
  '?*.env',
  '.dev.vars*',
  // Private keys and key stores
  '*.{pem,key,p8,p12,pfx,ppk,jks,keystore,kdbx}',
  '{id_rsa,id_dsa,id_ecdsa,id_ed25519}!(*.pub)',
  '**/.ssh/!(*.pub)',
  '**/.gnupg/**',
  // Credentials of tools
  '.npmrc*',
  '{.yarnrc.yml,.pypirc,.netrc,_netrc,.pgpass,.htpasswd,.git-credentials,.vault-token}',
  '**/.aws/{credentials,config}',
  '**/.azure/**',
  '**/.config/{gcloud,gh}/**',
  '**/.docker/config.json',
  '**/.kube/config',
  '**/.git/config',
  // Files named `credentials`, but not folders
  '**/credentials(?!/)',
  '{credentials,secrets}.{json,yml,yaml,toml}',
  '*credentials*.json',
  'client_secret*.json',
  '{service-account,service_account,serviceAccount}*.json',
  // Terraform stores secrets in state and variable files
  '*.{tfstate,tfvars}',
  '*.tfstate.backup',
];

/** Globs of files that peers cannot access. See `GlobRules` for the syntax. */
export class ExcludeList {
  /** Invalid patterns, which exclude nothing. */
  readonly invalidPatterns: readonly InvalidPattern[];
  private readonly rules: GlobRules;

  constructor(patterns: readonly string[]) {
    this.rules = new GlobRules(patterns);
    this.invalidPatterns = this.rules.invalidPatterns;
  }

  /** `path` is absolute. `relativePath` is relative to the workspace folder and empty for the folder itself. */
  excludes(path: string, relativePath: string): boolean {
    const { whole, below } = normalizedPaths({ path, relativePath });
    const rule = this.rules.findLastMatch({
      forNameGlobs: below,
      forRelativeGlobs: below,
      forSuffixGlobs: whole,
      forAbsoluteGlobs: whole,
    });
    return rule !== undefined && !rule.isException;
  }
}
