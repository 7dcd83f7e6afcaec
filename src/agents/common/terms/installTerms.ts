import * as z from 'zod';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type {
  BinaryTarget,
  Distribution,
  NpxDistribution,
  PlatformKey,
  UvxDistribution,
} from '../registry/registryAgent';

export const distributionKinds = ['npx', 'uvx', 'binary'] as const;

/**
 * What the user agrees to when they install an agent: everything that decides which program runs, and how. Two versions
 * of an unchanged agent have the same terms.
 */
export const InstallTerms = z.object({
  kind: z.enum(distributionKinds),
  /** Who provides it: the package without its version, or the place of the download without what names a version. */
  source: z.string(),
  /** The origin of the server that sends it. */
  host: z.string(),
  /** The command in the package or the program in the archive; empty if the package chooses it. */
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  license: z.string().optional(),
});
export type InstallTerms = z.infer<typeof InstallTerms>;

/** The terms of an installed agent. Older versions of Backline did not record all of them. */
export const RecordedTerms = InstallTerms.partial({ source: true, host: true, command: true });
export type RecordedTerms = z.infer<typeof RecordedTerms>;

/** The terms that an entry of the registry decides; the others depend on the server that has the program. */
type ListedTerms = Omit<InstallTerms, 'host' | 'license'>;

/** Undefined if the distribution is not for this system. `version` is the agent's version in the registry. */
export function listedTermsOf(
  distribution: Distribution,
  version: string,
  platform: PlatformKey | undefined,
): ListedTerms | undefined {
  if (distribution.kind !== 'binary') return termsOfPackage(distribution);
  const target = platform && distribution.targets[platform];
  return target && termsOfDownload(target, version);
}

export function termsOfPackage(distribution: NpxDistribution | UvxDistribution): ListedTerms {
  const { args, cmd = '', env, kind } = distribution;
  return { kind, source: packageNameOf(distribution.package), command: cmd, args: [...args], env };
}

export function termsOfDownload({ archive, args, cmd, env }: BinaryTarget, version: string): ListedTerms {
  const command = withoutVersion(cmd, version);
  return { kind: 'binary', source: downloadSourceOf(archive, version), command, args: [...args], env };
}

/** Adds what only the server knows. `address` is where the program comes from. */
export function completeTerms(listed: ListedTerms, address: string, license: string | undefined): InstallTerms {
  const host = URL.parse(address)?.origin ?? address;
  return { ...listed, host, ...withoutUndefined({ license }) };
}

/** Returns the name in `@scope/name@1.2.3` or `name==1.2.3`. */
function packageNameOf(withVersion: string): string {
  return withVersion.replace(/(?<=.)(?:@|==).*$/, '');
}

/** Hosts whose first two folders are an owner and a repository. */
const repositoryHosts: ReadonlySet<string> = new Set([
  'github.com',
  'gitlab.com',
  'codeberg.org',
  'bitbucket.org',
  'raw.githubusercontent.com',
]);

/**
 * The owner and repository of a download from a known host. Elsewhere the folders before the first one that names the
 * version, or all of them.
 */
export function downloadSourceOf(address: string, version: string): string {
  const url = URL.parse(address);
  if (!url) return address;
  const folders = url.pathname.split('/').slice(1, -1);
  const part = (names: readonly string[]): string => [url.origin, ...names].join('/');
  const query = withoutVersion(url.search, version);
  if (repositoryHosts.has(url.hostname)) {
    // GitLab separates the groups of a project from its pages.
    const end = url.hostname === 'gitlab.com' && folders.includes('-') ? folders.indexOf('-') : 2;
    return part(folders.slice(0, end).map((name) => name.toLowerCase())) + query;
  }
  const versioned = folders.findIndex((name) => withoutVersion(name, version) !== name);
  return part(versioned < 0 ? folders : folders.slice(0, versioned)) + query;
}

/** Very short versions occur in other names by chance. */
function withoutVersion(text: string, version: string): string {
  return version.length < 3 ? text : text.replaceAll(version, '*');
}

/** One term that has changed, for people. */
export interface TermChange {
  readonly label: string;
  readonly before: string;
  readonly after: string;
}

/** What differs from the terms that the user has agreed to. A term that is not recorded counts as different. */
export function termChanges(before: RecordedTerms, after: InstallTerms): readonly TermChange[] {
  return termRows.flatMap(({ label, textOf }) => {
    const [old, now] = [textOf(before), textOf(after)];
    return old === now ? [] : [{ label, before: old ?? 'not known', after: now ?? 'not known' }];
  });
}

const kindNames: Readonly<Record<InstallTerms['kind'], string>> = {
  npx: 'npm package',
  uvx: 'Python package',
  binary: 'download',
};

const termRows: readonly { readonly label: string; readonly textOf: (terms: RecordedTerms) => string | undefined }[] = [
  { label: 'Kind', textOf: ({ kind }) => kindNames[kind] },
  { label: 'Source', textOf: ({ source }) => source },
  { label: 'Server', textOf: ({ host }) => host },
  { label: 'Command', textOf: ({ command }) => (command === '' ? 'chosen by the package' : command) },
  { label: 'Arguments', textOf: ({ args }) => (args.length === 0 ? 'none' : args.map(quoted).join(' ')) },
  { label: 'Environment', textOf: ({ env }) => environmentText(env) },
  { label: 'License', textOf: ({ license }) => license ?? 'not stated' },
];

function environmentText(env: InstallTerms['env']): string {
  const names = Object.keys(env).toSorted();
  return names.length === 0 ? 'none' : names.map((name) => `${name}=${quoted(env[name] ?? '')}`).join(' ');
}

/** Different lists never look the same. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : JSON.stringify(text);
}
