import * as path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../../base/common/errors';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { hashJson } from '../../../consent/node/contentHash';
import {
  claimOf,
  demoOrigin,
  knownOrigin,
  settingsOrigin,
  type AgentOrigin,
  type OriginClaim,
  type OriginClaims,
} from '../../common/catalogue/agentOrigins';
import {
  findKnownAgentBySource,
  identityOfProgram,
  type InstalledProgram,
} from '../../common/catalogue/installedAgents';
import {
  parseAgentSettings,
  type AgentSetting,
  type McpServerSetting,
  type ProcessAgentSetting,
  type UrlAgentSetting,
} from '../../common/catalogue/agentSettings';
import {
  demoAgentId,
  findKnownAgentByCommand,
  knownAgents,
  type KnownAgent,
  type MissingFileResult,
} from '../../common/catalogue/knownAgents';
import { secretNamesIn, type AgentHeaders } from '../../common/remote/agentHeaders';
import { CommandError, lookupCommand, type CommandFileAccess } from '../process/commandLookup';

/** An agent that Backline starts, or one that it connects to. */
export type CatalogueEntry = ProcessEntry | UrlEntry;

export interface ProcessEntry extends EntryBase {
  readonly url?: undefined;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path to run in instead of the session's folder. */
  readonly cwd?: string;
  readonly dialect: ProcessAgentSetting['dialect'];
}

export interface UrlEntry extends EntryBase {
  readonly url: string;
  /** Values may contain `${secret:NAME}`. */
  readonly headers: AgentHeaders;
  /** Path on the agent's machine that replaces the session's folder. */
  readonly cwd?: string;
}

interface EntryBase {
  /** Stable across restarts and unique within the catalogue. */
  readonly id: string;
  readonly title: string;
  readonly protocol?: AgentSetting['protocol'];
  readonly mcpServers: Readonly<Record<string, McpServerSetting>>;
  readonly missingFile: MissingFileResult;
  /** Options of new sessions; changing them does not stop the agent. */
  readonly defaults?: AgentSetting['defaults'];
  /** Whether the agent gets the tools of the window; by default it does. */
  readonly tools?: boolean;
  readonly source: 'configured' | 'installed' | 'found' | 'demo';
  /** The known agent whose program this is. */
  readonly knownAs?: string;
  /** Where the program comes from, and whether what is stored for `id` belongs to it. Absent for agents of a workspace. */
  readonly identity?: { readonly origin: AgentOrigin; readonly claim: OriginClaim };
  readonly problem?: EntryProblem;
  /** Set if the workspace defines the agent, which requires the user's permission. */
  readonly workspaceDefinition?: WorkspaceDefinition;
}

/**
 * Why the user cannot choose the LLM providers of an agent: the workspace defines it, or the requests of its dialect do
 * not include them.
 */
export type LlmProviderObstacle = 'workspace' | 'dialect';

export function llmProviderObstacle(entry: CatalogueEntry): LlmProviderObstacle | undefined {
  if (entry.workspaceDefinition) return 'workspace';
  return entry.url === undefined && entry.dialect === 'draft' ? 'dialect' : undefined;
}

/** An agent defined only in workspace settings. */
interface WorkspaceDefinition {
  readonly name: string;
  readonly setting: AgentSetting;
  /** Absolute path of the settings file; undefined if it is not on this disk. */
  readonly file: string | undefined;
}

interface EntryProblem {
  readonly message: string;
  /** More information, such as the PATH that was searched. */
  readonly details?: string;
  readonly install?: string;
}

export interface Catalogue {
  /** Configured agents first, then installed ones, then those found on PATH, then the demo agent. */
  readonly agents: readonly CatalogueEntry[];
  readonly problems: readonly string[];
}

/** The setting `backline.acp.agents` at one level: user, workspace or folder. */
export interface AgentSettingsLevel {
  readonly value: unknown;
  /** Whether it may define commands: always for user settings, otherwise only in a trusted workspace. */
  readonly isTrusted: boolean;
  /** The workspace or folder; undefined for user settings. */
  readonly origin?: { readonly name: string; readonly file: string | undefined };
}

interface CatalogueOptions {
  readonly platform: NodeJS.Platform;
  /** From user to folder. Workspace agents are added to the user's agents and never replace them. */
  readonly levels: readonly AgentSettingsLevel[];
  /** Agents that Backline has installed. */
  readonly installed?: readonly InstalledProgram[];
  /** The holders of ids; by default nothing is stored. */
  readonly origins?: OriginClaims;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path that relative commands are resolved against. */
  readonly cwd: string;
  readonly files: CommandFileAccess;
  /** The executable that runs scripts as Node.js (with ELECTRON_RUN_AS_NODE), and the demo agent's script. */
  readonly demo: { readonly execPath: string; readonly script: string; readonly stateFolder?: string };
}

export async function loadAgentCatalogue(options: CatalogueOptions): Promise<Catalogue> {
  const claims = options.origins ?? { holderOf: () => undefined };
  const programIds = new Set((options.installed ?? []).map((program) => identityOfProgram(program, claims).id));
  const levels = options.levels
    .filter(({ isTrusted }) => isTrusted)
    .map(({ origin, value }) => ({ origin, ...parseAgentSettings(value, origin !== undefined, programIds) }));
  const ownSettings = new Map(levels.flatMap(({ agents, origin }) => (origin ? [] : [...agents])));
  const configured = await Promise.all(
    [...ownSettings].map(async ([name, setting]) =>
      withOriginOfSettings(await configuredAgent(name, setting, options), claims),
    ),
  );
  const installed = await installedAgents(new Set(ownSettings.keys()), claims, options);
  const installedIds = new Set(installed.map(({ id }) => id));
  const undefinedAgents = knownAgents.filter(({ id }) => !ownSettings.has(id) && !installedIds.has(id));
  const found = await Promise.all(undefinedAgents.map((known) => detectAgent(known, claims, options)));
  const demo = ownSettings.has(demoAgentId) ? [] : [demoAgent(options.demo, claims)];
  const additions = new Map(levels.flatMap(({ found: added }) => [...added]));
  const builtIn = [...installed, ...found.filter((entry) => entry !== undefined), ...demo].map((entry) => {
    const { defaults, tools } = additions.get(entry.id) ?? {};
    return { ...entry, ...withoutUndefined({ defaults, tools }) };
  });
  const usedIds = new Set([...configured, ...builtIn].map(({ id }) => id));
  const workspaceSettings = levels.flatMap(({ agents, origin }) =>
    [...agents].flatMap(([name, setting]) =>
      // Entries that repeat the user's settings do not count as the workspace's.
      origin && !isDeepStrictEqual(setting, ownSettings.get(name)) ? [{ name, setting, origin }] : [],
    ),
  );
  const workspaceAgents = await Promise.all(
    withUniqueIds(workspaceSettings, usedIds).map(async ({ id, name, origin, setting }) =>
      workspaceAgent(await configuredAgent(name, setting, options), id, { name, setting, file: origin.file }),
    ),
  );
  return {
    agents: [...configured, ...workspaceAgents, ...builtIn],
    problems: levels.flatMap(({ problems }) => problems),
  };
}

interface WorkspaceAgentSetting {
  readonly name: string;
  readonly setting: AgentSetting;
  readonly origin: NonNullable<AgentSettingsLevel['origin']>;
}

/** Ids are `name@folder~hash`; the hash of the location separates workspaces whose folders have the same name. */
function withUniqueIds(
  agents: readonly WorkspaceAgentSetting[],
  usedIds: ReadonlySet<string>,
): (WorkspaceAgentSetting & { id: string })[] {
  return agents.map((agent) => {
    const { name, origin } = agent;
    const id = `${name}@${origin.name}~${hashJson([name, origin]).slice(0, 8)}`;
    return { ...agent, id: usedIds.has(id) ? `${id}~` : id };
  });
}

/** An entry that starts a known agent under the agent's own id is this agent. */
function withOriginOfSettings(entry: CatalogueEntry, claims: OriginClaims): CatalogueEntry {
  const origin = entry.knownAs === entry.id ? knownOrigin(entry.id) : settingsOrigin;
  return { ...entry, identity: { origin, claim: claimOf(entry.id, origin, claims) } };
}

/** Agents of a workspace cannot use the user's secrets. */
function workspaceAgent(entry: CatalogueEntry, id: string, workspaceDefinition: WorkspaceDefinition): CatalogueEntry {
  const own = { ...entry, id, title: `${workspaceDefinition.name} (workspace)`, workspaceDefinition };
  if (own.url === undefined || secretNamesIn(own.headers).length === 0) return own;
  const message =
    'Only agents in your user settings can receive secrets. Move this agent there, or remove its secrets.';
  return { ...own, problem: { message } };
}

async function configuredAgent(
  name: string,
  setting: AgentSetting,
  options: CatalogueOptions,
): Promise<CatalogueEntry> {
  return setting.url === undefined ? configuredProgram(name, setting, options) : urlAgent(name, setting);
}

function urlAgent(
  name: string,
  { cwd, defaults, headers, mcpServers, protocol, tools, url }: UrlAgentSetting,
): Promise<UrlEntry> {
  const entry = {
    id: name,
    title: name,
    url,
    headers,
    mcpServers,
    missingFile: 'error',
    source: 'configured',
  } as const;
  return Promise.resolve({ ...entry, ...withoutUndefined({ cwd, defaults, protocol, tools }) });
}

async function configuredProgram(
  name: string,
  setting: ProcessAgentSetting,
  options: CatalogueOptions,
): Promise<ProcessEntry> {
  const { command, args, defaults, env, dialect, mcpServers, protocol, tools } = setting;
  const cwd = setting.cwd === undefined ? undefined : path.resolve(options.cwd, setting.cwd);
  const known = findKnownAgentByCommand(command, args);
  const failure = await findCommandProblem(command, env, cwd ?? options.cwd, options);
  const problem = failure && toEntryProblem(failure, known);
  return {
    id: name,
    title: name,
    command,
    args,
    env,
    dialect,
    mcpServers,
    missingFile: known?.missingFileReadsAs ?? 'error',
    source: 'configured',
    ...withoutUndefined({ cwd, defaults, knownAs: known?.id, problem, protocol, tools }),
  };
}

const unconfiguredDefaults = { env: {}, dialect: 'v1', mcpServers: {} } as const;

/**
 * An agent is omitted if the settings contain an agent with its id. Of two agents with the same id, the first is used.
 */
async function installedAgents(
  configuredIds: ReadonlySet<string>,
  claims: OriginClaims,
  options: CatalogueOptions,
): Promise<readonly ProcessEntry[]> {
  const programs = options.installed ?? [];
  const entries = await Promise.all(programs.map((program) => installedAgent(program, claims, options)));
  const byId = new Map<string, ProcessEntry>();
  for (const entry of entries) if (!configuredIds.has(entry.id) && !byId.has(entry.id)) byId.set(entry.id, entry);
  return [...byId.values()];
}

async function installedAgent(
  program: InstalledProgram,
  claims: OriginClaims,
  options: CatalogueOptions,
): Promise<ProcessEntry> {
  const { account, args, command, env, name, terms } = program;
  const known = findKnownAgentBySource(terms);
  const { claim, id, origin } = identityOfProgram(program, claims);
  // Another agent has this id, and perhaps this name.
  const source = claim === 'foreign' ? terms.source : undefined;
  const remarks = [account, source].filter((remark) => remark !== undefined).join(', ');
  const failure = await findCommandProblem(command, env, options.cwd, options);
  const problem = failure && { message: `${name} is damaged: its program is missing. Remove it and install it again.` };
  return {
    ...unconfiguredDefaults,
    id,
    identity: { origin, claim },
    // The user chose the agent by this name in the list, so it keeps the name when it is installed.
    title: remarks === '' ? name : `${name} (${remarks})`,
    command,
    args,
    env,
    missingFile: known?.missingFileReadsAs ?? 'error',
    source: 'installed',
    ...withoutUndefined({ knownAs: known?.id, problem }),
  };
}

async function detectAgent(
  known: KnownAgent,
  claims: OriginClaims,
  options: CatalogueOptions,
): Promise<ProcessEntry | undefined> {
  const { id, title, command, args, missingFileReadsAs: missingFile } = known;
  const problem = await findCommandProblem(command, {}, options.cwd, options);
  if (problem?.reason === 'notFound') return undefined;
  const origin = knownOrigin(id);
  const entry: ProcessEntry = {
    ...unconfiguredDefaults,
    id,
    knownAs: id,
    identity: { origin, claim: claimOf(id, origin, claims) },
    title,
    command,
    args,
    missingFile,
    source: 'found',
  };
  return problem ? { ...entry, problem: toEntryProblem(problem, known) } : entry;
}

function demoAgent({ execPath, script, stateFolder }: CatalogueOptions['demo'], claims: OriginClaims): ProcessEntry {
  return {
    ...unconfiguredDefaults,
    id: demoAgentId,
    identity: { origin: demoOrigin, claim: claimOf(demoAgentId, demoOrigin, claims) },
    title: 'Demo agent (no model)',
    command: execPath,
    args: [script, ...(stateFolder === undefined ? [] : ['--state', stateFolder])],
    env: { ELECTRON_RUN_AS_NODE: '1' },
    missingFile: 'error',
    source: 'demo',
  };
}

async function findCommandProblem(
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
