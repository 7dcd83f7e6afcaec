/** Operating system and processor, as the registry names them. */
export const platformKeys = [
  'darwin-aarch64',
  'darwin-x86_64',
  'linux-aarch64',
  'linux-x86_64',
  'windows-aarch64',
  'windows-x86_64',
] as const;
export type PlatformKey = (typeof platformKeys)[number];

/** How a package is started: its arguments and environment variables. */
interface StartOptions {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface NpxDistribution extends StartOptions {
  readonly kind: 'npx';
  /** An npm package with an exact version: `@scope/name@1.2.3`. */
  readonly package: string;
  /** The command of the package, if it has several. */
  readonly cmd?: string;
}

export interface UvxDistribution extends StartOptions {
  readonly kind: 'uvx';
  /** A Python package with an exact version: `name@1.2.3` or `name==1.2.3`. */
  readonly package: string;
  readonly cmd?: string;
}

export interface BinaryTarget extends StartOptions {
  /** Address of an archive, or of the program itself. */
  readonly archive: string;
  /** The program's path in the archive. */
  readonly cmd: string;
  /** Lower-case hexadecimal hash of the archive. */
  readonly sha256?: string;
}

export interface BinaryDistribution {
  readonly kind: 'binary';
  readonly targets: Readonly<Partial<Record<PlatformKey, BinaryTarget>>>;
}

export type Distribution = NpxDistribution | UvxDistribution | BinaryDistribution;

/** An agent that the registry lists. */
export interface RegistryAgent {
  readonly id: string;
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly authors: readonly string[];
  /** An SPDX identifier, or `proprietary`. */
  readonly license?: string;
  readonly repository?: string;
  readonly website?: string;
  readonly iconUrl?: string;
  /** In the order of the registry. Empty if no distribution of this agent is known here. */
  readonly distributions: readonly Distribution[];
}
