import { isRecord } from '../../../base/common/isRecord';
import { visibleWords } from '../../../base/common/visibleText';
import { BackendError } from '../../../session/common/sessionBackend';
import type { BroughtFact, BroughtThing } from '../../../consent/common/broughtThing';
import type { Consent, ConsentDecision } from '../../../consent/common/consentDesk';
import { hashNamedFiles, hashOf, type HashedFile } from '../../../consent/node/contentHash';
import { settingIds } from '../../../manifest';
import { environmentEffect } from '../../../permissions/common/requests/environmentVariables';
import type { AgentSetting } from '../../common/catalogue/agentSettings';
import type { CatalogueEntry } from './agentCatalogue';
import { withFolder } from './mcpServers';

interface WorkspacePlaces {
  /** Absolute: where commands run that are not told another folder. */
  readonly cwd: string;
  /** Absolute paths of the workspace's folders. */
  readonly folders: readonly string[];
}

/**
 * What of an agent needs the user's permission, as it is now: what the workspace brings, and an agent of the user's settings
 * that runs files of the workspace. Undefined for others. @throws for files that cannot be read
 */
export async function broughtAgent(entry: CatalogueEntry, places: WorkspacePlaces): Promise<BroughtThing | undefined> {
  const { brought } = entry;
  if (!brought) return entry.source === 'configured' ? await ownAgentWithCode(entry, places) : undefined;
  const { name, setting, file } = brought;
  const cwd = entry.cwd ?? places.cwd;
  const files = await filesOf([
    { words: wordsOf(setting), cwd, folders: places.folders },
    ...serverPlaces(setting.mcpServers, { cwd, folders: places.folders }),
  ]);
  return {
    kind: 'agent',
    name,
    id: entry.id,
    source: { file, keys: [settingIds.acpAgents, name] },
    facts: [
      ...agentFacts(setting, cwd),
      ...otherFacts(setting),
      ...files.map((each) => ({ label: 'Runs the file', value: each.file })),
    ],
    hash: hashOf({ kind: 'agent', name, cwd, setting, files }),
    lookAgain: () => broughtAgent(entry, places),
  };
}

/** In each workspace the same words of the user run other code, so that they are asked for by that code. */
async function ownAgentWithCode(entry: CatalogueEntry, places: WorkspacePlaces): Promise<BroughtThing | undefined> {
  const { args, command, env, id, mcpServers } = entry;
  const cwd = entry.cwd ?? places.cwd;
  const { folders } = places;
  const words = [...programWords(command, args), ...Object.values(env).filter(isPathLike)];
  const ofServers = serverPlaces(mcpServers, { cwd, folders });
  const named = [
    { words, cwd, folders, onlyNamed: true },
    ...ofServers.map((each) => ({ ...each, words: each.words.filter(isPathLike), onlyNamed: true })),
  ];
  const files = await filesOf(named);
  if (files.length === 0) return undefined;
  return {
    kind: 'agent',
    name: id,
    id,
    // The file of the user's settings is nothing of the workspace; what there is to read is the code.
    source: { file: files[0]?.file, keys: [settingIds.acpAgents, id] },
    facts: [
      ...agentFacts(entry, cwd),
      ...files.map((each) => ({ label: 'Runs the file of this workspace', value: each.file })),
    ],
    hash: hashOf({ kind: 'agent', of: 'user', id, cwd, command, args, env, mcpServers, files }),
    lookAgain: () => broughtAgent(entry, places),
  };
}

const interpreters =
  /^(?:node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|bash|sh|zsh|pwsh|powershell)(?:\.exe)?$/i;

/** Of words such as `acp` only an interpreter makes a file's name. */
function programWords(command: string, args: readonly string[]): string[] {
  const program = command.split(/[\\/]/).at(-1) ?? command;
  return [command, ...args].filter((word, at) => isPathLike(word) || (at > 0 && interpreters.test(program)));
}

function isPathLike(word: string): boolean {
  return /[\\/]|\.\w+$/.test(word);
}

/**
 * Of a server as `.vscode/mcp.json` has it: `cwd` stands for its `${workspaceFolder}`. Agents start servers in the folder of
 * their session, so that relative names are looked for in every folder. @throws for files that cannot be read
 */
export async function broughtServer(
  name: string,
  written: Readonly<Record<string, unknown>>,
  { cwd, file, folders }: WorkspacePlaces & { readonly file: string },
): Promise<BroughtThing> {
  const server = Object.fromEntries(Object.entries(written).map(([key, value]) => [key, withFolder(value, cwd)]));
  const files = await filesOf([cwd, ...folders].map((start) => ({ words: textsIn(server), cwd: start, folders })));
  return {
    kind: 'mcpServer',
    name,
    source: { file, keys: ['servers', name] },
    facts: [...serverFacts('', server), ...files.map((each) => ({ label: 'Runs the file', value: each.file }))],
    hash: hashOf({ kind: 'mcpServer', name, cwd, server, files }),
    lookAgain: () => broughtServer(name, written, { cwd, file, folders }),
  };
}

export interface AgentPermission {
  readonly consent: Consent;
  readonly places: () => WorkspacePlaces;
}

/** What was answered for an agent as it is now; asks nobody. */
export async function decisionFor(entry: CatalogueEntry, permission: AgentPermission): Promise<ConsentDecision> {
  const thing = await seenAgent(entry, permission);
  return thing ? permission.consent.decide(thing) : 'allowed';
}

/**
 * Asks the user where it is needed. What was allowed is looked at once more after the question, which may have been open for
 * long. @throws BackendError `notReady` when it may not run
 */
export async function requirePermission(entry: CatalogueEntry, permission: AgentPermission): Promise<void> {
  const { consent } = permission;
  for (;;) {
    const thing = await seenAgent(entry, permission);
    if (!thing || consent.decide(thing) === 'allowed') return;
    const decision = await consent.ask(thing, 'user');
    if (decision !== 'allowed') throw new BackendError('notReady', permissionMessage(decision));
  }
}

/** One that runs nothing of the workspace any more waits for no answer. */
async function seenAgent(
  entry: CatalogueEntry,
  { consent, places }: AgentPermission,
): Promise<BroughtThing | undefined> {
  const thing = await broughtAgent(entry, places());
  if (!thing) consent.keepOnly(['agent'], ({ id }) => id !== entry.id);
  return thing;
}

export function permissionMessage(decision: Exclude<ConsentDecision, 'allowed'>): string {
  return decision === 'denied'
    ? 'You have not allowed this agent. Run "Backline: Review What This Workspace Runs" to change that.'
    : 'Needs your permission because this workspace defines it or contains code that it runs. You are asked when you use the agent.';
}

function wordsOf({ command, args, env }: AgentSetting): string[] {
  return [command, ...args, ...Object.values(env)];
}

interface NamingPlace extends WorkspacePlaces {
  readonly words: readonly string[];
  readonly onlyNamed?: boolean;
}

/** The session's folder, which `${workspaceFolder}` stands for, can be each folder of the workspace. */
function serverPlaces(servers: unknown, { cwd, folders }: WorkspacePlaces): NamingPlace[] {
  return [cwd, ...folders].map((start) => ({ words: textsIn(withFolder(servers, start)), cwd: start, folders }));
}

/** Each file once, in the order of their paths. */
async function filesOf(places: readonly NamingPlace[]): Promise<readonly HashedFile[]> {
  const found = new Map<string, HashedFile>();
  for (const { words, ...options } of places)
    for (const each of await hashNamedFiles(words, options)) found.set(each.file, each);
  return [...found.values()].sort((one, other) => (one.file < other.file ? -1 : 1));
}

function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

type Started = Pick<CatalogueEntry, 'command' | 'args' | 'env' | 'mcpServers'>;

function agentFacts({ command, args, env, mcpServers }: Started, cwd: string): BroughtFact[] {
  return [
    { label: 'Command', value: visibleWords([command, ...args]) },
    { label: 'Folder', value: cwd },
    ...variableFacts(env),
    ...Object.entries(mcpServers).flatMap(([server, value]) => serverFacts(`MCP server ${server}`, value)),
  ];
}

function variableFacts(env: Readonly<Record<string, unknown>>): BroughtFact[] {
  return Object.entries(env).map(([name, value]) => {
    const warning = environmentEffect(name, process.platform === 'win32');
    return { label: `Variable ${name}`, value: String(value), ...(warning === undefined ? {} : { warning }) };
  });
}

/** Whatever is written is shown: what is not known here may mean something to whoever gets it. */
function serverFacts(title: string, server: object): BroughtFact[] {
  const prefix = title === '' ? '' : `${title}, `;
  const members = new Map<string, unknown>(Object.entries(server));
  const { command, args, env } = Object.fromEntries(members);
  const facts: BroughtFact[] = [];
  if (typeof command === 'string') {
    const list = Array.isArray(args) ? args.map(String) : [];
    facts.push({ label: `${prefix}Command`, value: visibleWords([command, ...list]) });
  }
  if (isRecord(env)) facts.push(...variableFacts(env).map((fact) => ({ ...fact, label: `${prefix}${fact.label}` })));
  for (const [key, value] of members) {
    const isShown =
      key === 'env' ? isRecord(env) : typeof command === 'string' && (key === 'command' || key === 'args');
    if (isShown) continue;
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    facts.push({
      label: `${prefix}${key}`,
      value: text,
      ...(isPlainHttp(key, value) ? { warning: 'not encrypted' } : {}),
    });
  }
  return facts;
}

function otherFacts(setting: AgentSetting): BroughtFact[] {
  const shown = new Set(['command', 'args', 'env', 'cwd', 'mcpServers']);
  return Object.entries(setting).flatMap(([key, value]) =>
    shown.has(key) || (key === 'dialect' && value === 'v1') || value === undefined
      ? []
      : [{ label: key, value: typeof value === 'string' ? value : JSON.stringify(value) }],
  );
}

function isPlainHttp(key: string, value: unknown): boolean {
  return key === 'url' && typeof value === 'string' && value.toLowerCase().startsWith('http:');
}
