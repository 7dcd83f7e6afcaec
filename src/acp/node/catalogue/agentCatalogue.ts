import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { hashOf } from '../../../consent/node/contentHash';
import { parseAgentSettings, type AgentSetting, type McpServerSetting } from '../../common/catalogue/agentSettings';
import {
  demoAgentId,
  knownAgentOf,
  knownAgents,
  type KnownAgent,
  type MissingFile,
} from '../../common/catalogue/knownAgents';
import { CommandError, lookupCommand, type CommandFiles } from '../process/commandLookup';

/** An agent that the user can choose. */
export interface CatalogueEntry {
  /** Stable across restarts and unique within the catalogue. */
  readonly id: string;
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  /** What is added to the environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; where the user wants it to run instead of in the session's folder. */
  readonly cwd?: string;
  readonly dialect: AgentSetting['dialect'];
  readonly mcpServers: Readonly<Record<string, McpServerSetting>>;
  readonly missingFile: MissingFile;
  /** What the user wants new conversations to begin with; a change does not stop the agent. */
  readonly defaults?: AgentSetting['defaults'];
  readonly source: 'configured' | 'found' | 'demo';
  /** Why it cannot be started as things are. */
  readonly problem?: EntryProblem;
  /** Present when the workspace brings it, so that it needs the user's permission. */
  readonly brought?: BroughtAgent;
}

/** An agent that only settings of the workspace know. */
interface BroughtAgent {
  readonly name: string;
  /** Everything that was written there. */
  readonly setting: AgentSetting;
  /** Absolute; undefined when the settings are not on this disk. */
  readonly file: string | undefined;
}

interface EntryProblem {
  readonly message: string;
  /** For whoever wants to know more, for example where it was looked for. */
  readonly details?: string;
  /** A command line that would install it. */
  readonly install?: string;
}

export interface Catalogue {
  /** Configured ones first, then those found on PATH, then the demo agent. */
  readonly agents: readonly CatalogueEntry[];
  readonly problems: readonly string[];
}

/** The value of `backline.acp.agents` at one level: user, workspace, folder. */
export interface SettingsLevel {
  readonly value: unknown;
  /** Whether it may say what is run: always for the user's own level, for others only in a trusted workspace. */
  readonly isTrusted: boolean;
  /** Which workspace or folder it is of; absent for the user's own. */
  readonly origin?: { readonly name: string; readonly file: string | undefined };
}

interface CatalogueOptions {
  readonly platform: NodeJS.Platform;
  /** From the widest to the narrowest. What a workspace brings stands beside the user's agents and replaces none. */
  readonly levels: readonly SettingsLevel[];
  /** What agents are started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute; where relative commands start from. */
  readonly cwd: string;
  readonly files: CommandFiles;
  /** The program that runs scripts as Node.js does (with ELECTRON_RUN_AS_NODE), and the demo agent's script. */
  readonly demo: { readonly execPath: string; readonly script: string; readonly stateFolder?: string };
}

/** Reads the settings and looks for commands; starts nothing. */
export async function loadAgentCatalogue(options: CatalogueOptions): Promise<Catalogue> {
  const levels = options.levels
    .filter(({ isTrusted }) => isTrusted)
    .map(({ origin, value }) => ({ origin, ...parseAgentSettings(value, origin !== undefined) }));
  const own = new Map(levels.flatMap(({ agents, origin }) => (origin ? [] : [...agents])));
  const configured = await Promise.all([...own].map(([name, setting]) => configuredAgent(name, setting, options)));
  const wanted = knownAgents.filter(({ id }) => !own.has(id));
  const found = await Promise.all(wanted.map((known) => foundAgent(known, options)));
  const demo = own.has(demoAgentId) ? [] : [demoAgent(options.demo)];
  const ownDefaults = new Map(levels.flatMap(({ defaults }) => [...defaults]));
  const usual = [...found.filter((entry) => entry !== undefined), ...demo].map((entry) => {
    return { ...entry, ...withoutUndefined({ defaults: ownDefaults.get(entry.id) }) };
  });
  const taken = new Set([...configured, ...usual].map(({ id }) => id));
  const ofWorkspace = levels.flatMap(({ agents, origin }) =>
    [...agents].flatMap(([name, setting]) =>
      // What the user's settings say already is nothing that the workspace brings.
      origin && !isDeepStrictEqual(setting, own.get(name)) ? [{ name, setting, origin }] : [],
    ),
  );
  const brought = await Promise.all(
    withIds(ofWorkspace, taken).map(async ({ id, name, origin, setting }) => ({
      ...(await configuredAgent(name, setting, options)),
      id,
      title: `${name} (workspace)`,
      brought: { name, setting, file: origin.file },
    })),
  );
  return {
    agents: [...configured, ...brought, ...usual],
    problems: levels.flatMap(({ problems }) => problems),
  };
}

interface OfWorkspace {
  readonly name: string;
  readonly setting: AgentSetting;
  readonly origin: NonNullable<SettingsLevel['origin']>;
}

/**
 * `name@folder~hash`, with the beginning of a hash of where it is written: what is remembered for an id, such as rules, holds
 * for no other workspace whose folder has the same name.
 */
function withIds(agents: readonly OfWorkspace[], taken: ReadonlySet<string>): (OfWorkspace & { id: string })[] {
  return agents.map((agent) => {
    const { name, origin } = agent;
    const id = `${name}@${origin.name}~${hashOf([name, origin]).slice(0, 8)}`;
    return { ...agent, id: taken.has(id) ? `${id}~` : id };
  });
}

async function configuredAgent(
  name: string,
  setting: AgentSetting,
  options: CatalogueOptions,
): Promise<CatalogueEntry> {
  const { command, args, defaults, env, dialect, mcpServers } = setting;
  const cwd = setting.cwd === undefined ? undefined : path.resolve(options.cwd, setting.cwd);
  const known = knownAgentOf(command, args);
  const failure = await problemWith(command, env, cwd ?? options.cwd, options);
  const problem = failure && toEntryProblem(failure, known);
  return {
    id: name,
    title: name,
    command,
    args,
    env,
    dialect,
    mcpServers,
    missingFile: known?.missingFile ?? 'error',
    source: 'configured',
    ...withoutUndefined({ cwd, defaults, problem }),
  };
}

/** Of agents that no settings name. */
const plain = { env: {}, dialect: 'v1', mcpServers: {} } as const;

async function foundAgent(known: KnownAgent, options: CatalogueOptions): Promise<CatalogueEntry | undefined> {
  const { id, title, command, args, missingFile } = known;
  const problem = await problemWith(command, {}, options.cwd, options);
  if (problem?.reason === 'notFound') return undefined;
  const entry: CatalogueEntry = {
    ...plain,
    id,
    title,
    command,
    args,
    missingFile,
    source: 'found',
  };
  return problem ? { ...entry, problem: toEntryProblem(problem, known) } : entry;
}

function demoAgent({ execPath, script, stateFolder }: CatalogueOptions['demo']): CatalogueEntry {
  return {
    ...plain,
    id: demoAgentId,
    title: 'Demo agent (no model)',
    command: execPath,
    args: [script, ...(stateFolder === undefined ? [] : ['--state', stateFolder])],
    env: { ELECTRON_RUN_AS_NODE: '1' },
    missingFile: 'error',
    source: 'demo',
  };
}

async function problemWith(
  command: string,
  extraEnv: Readonly<Record<string, string>>,
  cwd: string,
  { platform, env, files }: CatalogueOptions,
): Promise<CommandError | undefined> {
  try {
    await lookupCommand(command, { platform, env: { ...env, ...extraEnv }, cwd, files });
    return undefined;
  } catch (error) {
    return error instanceof CommandError ? error : new CommandError('spawnFailed', messageOf(error));
  }
}

function toEntryProblem({ details, message, reason }: CommandError, known: KnownAgent | undefined): EntryProblem {
  const { npmPackage } = known ?? {};
  const install = reason === 'notFound' && npmPackage !== undefined ? `npm install -g ${npmPackage}` : undefined;
  return { message, ...withoutUndefined({ details, install }) };
}
