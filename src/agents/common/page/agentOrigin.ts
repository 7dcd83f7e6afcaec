import type { InstalledAgent } from '../install/agentInstall';
import { listedTermsOf, type RecordedTerms } from '../terms/installTerms';
import type { Distribution, PlatformKey, RegistryAgent } from '../registry/registryAgent';
import type { BackendIdentity } from './agentsSituation';

/** Whether this agent has a distribution for this system. */
export function isAvailableOn({ distributions }: RegistryAgent, platform: PlatformKey | undefined): boolean {
  return distributions.some((distribution) => isFor(distribution, platform));
}

/** Describes where an agent would be installed from. */
export function installOriginOf(agent: RegistryAgent, platform: PlatformKey | undefined): string {
  const first = agent.distributions.find((distribution) => isFor(distribution, platform));
  const terms = first && listedTermsOf(first, agent.version, platform);
  return terms ? originText(terms) : 'Not available for this system';
}

/** Describes where an installed agent came from, whatever the registry lists now. */
export function installedOriginOf({ terms }: InstalledAgent): string {
  return originText(terms);
}

/** Whether the registry lists the program that is installed, and not another one with the same id. */
export function isListedAs(
  { terms }: InstalledAgent,
  { distributions, version }: RegistryAgent,
  platform: PlatformKey | undefined,
): boolean {
  return distributions.some((distribution) => {
    const listed = distribution.kind === terms.kind ? listedTermsOf(distribution, version, platform) : undefined;
    return listed !== undefined && (terms.source === undefined || terms.source === listed.source);
  });
}

function originText({ kind, source }: Pick<RecordedTerms, 'kind' | 'source'>): string {
  if (kind === 'npx') return `npm: ${source ?? 'unknown package'}`;
  if (kind === 'uvx') return `Python: ${source ?? 'unknown package'}`;
  return source === undefined ? 'Download' : `Download from ${source.replace(/^https?:\/\//, '')}`;
}

/** Returns the properties by which the agent is recognized once it is installed. */
export function backendIdentityOf(
  { distributions, id, version }: RegistryAgent,
  platform: PlatformKey | undefined,
): BackendIdentity | undefined {
  for (const kind of ['npx', 'binary', 'uvx']) {
    const distribution = distributions.find((one) => one.kind === kind);
    const terms = distribution && listedTermsOf(distribution, version, platform);
    if (terms) return { id, terms };
  }
  return undefined;
}

function isFor(distribution: Distribution, platform: PlatformKey | undefined): boolean {
  return distribution.kind !== 'binary' || (platform !== undefined && distribution.targets[platform] !== undefined);
}
