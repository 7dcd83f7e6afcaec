import type { InstalledAgent } from '../install/agentInstall';
import type { Distribution, PlatformKey, RegistryAgent } from '../registry/registryAgent';
import type { BackendIdentity } from './agentsSituation';

/** Whether this agent has a distribution for this system. */
export function isAvailableOn({ distributions }: RegistryAgent, platform: PlatformKey | undefined): boolean {
  return distributions.some((distribution) => isFor(distribution, platform));
}

/** Describes where an agent would be installed from. */
export function installOriginOf(agent: RegistryAgent, platform: PlatformKey | undefined): string {
  const first = agent.distributions.find((distribution) => isFor(distribution, platform));
  if (!first) return 'Not available for this system';
  switch (first.kind) {
    case 'npx':
      return `npm: ${packageName(first.package)}`;
    case 'uvx':
      return `Python: ${packageName(first.package)}`;
    case 'binary': {
      const target = platform && first.targets[platform];
      return target ? `Download from ${hostOf(target.archive)}` : '';
    }
  }
}

/** Describes where an installed agent came from. */
export function installedOriginOf(
  { kind, package: name = '' }: InstalledAgent,
  listed: RegistryAgent | undefined,
  platform: PlatformKey | undefined,
): string {
  if (kind === 'npx') return `npm: ${name}`;
  if (kind === 'uvx') return `Python: ${name}`;
  const binary = listed?.distributions.filter((distribution) => distribution.kind === 'binary') ?? [];
  return listed && binary.length > 0 ? installOriginOf({ ...listed, distributions: binary }, platform) : 'Download';
}

/** Returns the properties by which the agent is recognized once it is installed. */
export function backendIdentityOf(
  { distributions, id }: RegistryAgent,
  platform: PlatformKey | undefined,
): BackendIdentity {
  const named = distributions.find((distribution) => distribution.kind === 'npx');
  if (named) return { id, package: packageName(named.package) };
  const binary = distributions.find((distribution) => distribution.kind === 'binary');
  return { id, command: platform && binary?.targets[platform]?.cmd };
}

/** Returns the name in `@scope/name@1.2.3` or `name==1.2.3`. */
function packageName(withVersion: string): string {
  return withVersion.replace(/(?<=.)(?:@|==).*$/, '');
}

function isFor(distribution: Distribution, platform: PlatformKey | undefined): boolean {
  return distribution.kind !== 'binary' || (platform !== undefined && distribution.targets[platform] !== undefined);
}

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).host : address;
}
