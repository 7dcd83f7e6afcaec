import * as z from 'zod';
import { oneLine } from '../../../base/common/text/oneLine';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { parseNpmSpec, parsePythonSpec } from '../install/packageSpec';
import { platformKeys, type BinaryTarget, type Distribution, type RegistryAgent } from './registryAgent';

const maxAgents = 2_000;

/** Text from the registry that is shown: one line, without invisible characters. */
const shownText = (maxLength: number): z.ZodType<string> =>
  z
    .string()
    .max(maxLength)
    .transform((text) => showHiddenCharacters(oneLine(text.toWellFormed())))
    .pipe(z.string().min(1));

const Address = z.url({ protocol: /^https?$/ }).max(2_048);
/** Omits an invalid member, so that the agent is still listed. */
const optional = <T>(schema: z.ZodType<T>): z.ZodType<T | undefined> => schema.optional().catch(undefined);

const StartOptions = {
  args: z.array(z.string().max(4_096)).max(64).default([]),
  env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/), z.string().max(4_096)).default({}),
};
const PackageDistribution = z.object({
  package: z.string(),
  cmd: z
    .string()
    .regex(/^[\w.-]+$/)
    .optional(),
  ...StartOptions,
});
const Target = z.object({
  archive: Address,
  cmd: z.string().min(1).max(1_024),
  sha256: z
    .string()
    .regex(/^[a-fA-F0-9]{64}$/)
    .transform((hash) => hash.toLowerCase())
    .optional(),
  ...StartOptions,
});

const Agent = z.object({
  id: z.string().regex(/^[a-z][a-z0-9-]{0,63}$/),
  name: shownText(100),
  version: z.string().regex(/^\d(?:[0-9A-Za-z.+-]{0,62}[0-9A-Za-z])?$/),
  description: shownText(2_000),
  authors: z.array(shownText(200)).max(50).catch([]),
  license: optional(shownText(100)),
  repository: optional(Address),
  website: optional(Address),
  icon: optional(Address),
  distribution: z.record(z.string(), z.unknown()),
});
const Registry = z.object({ agents: z.array(z.unknown()).max(maxAgents) });

export interface ParsedRegistry {
  /** By name. An agent whose entry is invalid is left out. */
  readonly agents: readonly RegistryAgent[];
  readonly leftOut: number;
}

/** Reads the registry's document. Undefined if it is invalid. */
export function parseRegistry(value: unknown): ParsedRegistry | undefined {
  const registry = Registry.safeParse(value);
  if (!registry.success) return undefined;
  const byId = new Map<string, RegistryAgent>();
  for (const entry of registry.data.agents) {
    const agent = Agent.safeParse(entry).data;
    if (agent && !byId.has(agent.id)) byId.set(agent.id, toRegistryAgent(agent));
  }
  const agents = [...byId.values()].sort((a, b) => a.name.localeCompare(b.name, 'en'));
  return { agents, leftOut: registry.data.agents.length - agents.length };
}

function toRegistryAgent(agent: z.infer<typeof Agent>): RegistryAgent {
  const { id, name, version, description, authors, license, repository, website, icon: iconUrl } = agent;
  return {
    id,
    name,
    version,
    description,
    authors,
    distributions: toDistributions(agent.distribution),
    ...withoutUndefined({ license, repository, website, iconUrl }),
  };
}

/** Omits distributions of unknown kinds, and those without an exact version. */
function toDistributions(members: Readonly<Record<string, unknown>>): Distribution[] {
  return Object.entries(members).flatMap(([kind, member]): Distribution[] => {
    if (kind === 'binary') return toBinaryDistribution(member);
    const parsed = PackageDistribution.safeParse(member).data;
    if (!parsed) return [];
    const { cmd, ...start } = parsed;
    if (kind === 'npx' && parseNpmSpec(parsed.package)) return [{ kind, ...start, ...withoutUndefined({ cmd }) }];
    if (kind === 'uvx' && parsePythonSpec(parsed.package)) return [{ kind, ...start, ...withoutUndefined({ cmd }) }];
    return [];
  });
}

function toBinaryDistribution(member: unknown): Distribution[] {
  const found = z.record(z.string(), z.unknown()).safeParse(member).data ?? {};
  const targets = platformKeys.flatMap((key): [string, BinaryTarget][] => {
    const target = Target.safeParse(found[key]).data;
    if (!target) return [];
    const { sha256, ...rest } = target;
    return [[key, { ...rest, ...withoutUndefined({ sha256 }) }]];
  });
  return targets.length === 0 ? [] : [{ kind: 'binary', targets: Object.fromEntries(targets) }];
}
