import { messageOf } from '../../../base/common/errors';
import { isRecord } from '../../../base/common/isRecord';
import type { Logger } from '../../../base/common/log';
import { formatProgram } from '../../../base/common/text/visibleText';
import { BackendError } from '../../../session/common/sessionBackend';
import type { ConsentFact, ConsentSubject } from '../../../consent/common/consentSubject';
import type { ConsentPort, ConsentDecision } from '../../../consent/common/consentManager';
import { hashCommandLineFiles, hashJson, type HashedFile } from '../../../consent/node/contentHash';
import { settingIds } from '../../../manifest';
import { environmentEffectOf } from '../../../permissions/common/requests/environmentVariables';
import type { AgentSetting, ProcessAgentSetting, UrlAgentSetting } from '../../common/catalogue/agentSettings';
import { stringsIn } from '../../common/catalogue/stringsIn';
import type { CatalogueEntry, ProcessEntry } from './agentCatalogue';
import { substituteWorkspaceFolder } from './mcpServers';
import type { WorkspaceServer } from './workspaceMcp';

interface WorkspaceFolders {
  /** Absolute path of the folder where commands run by default. */
  readonly cwd: string;
  readonly folders: readonly string[];
}

/**
 * Returns the consent subject of an agent that the workspace defines or provides code for.
 * @throws Error for unreadable files
 */
export async function consentSubjectOfAgent(
  entry: CatalogueEntry,
  places: WorkspaceFolders,
): Promise<ConsentSubject | undefined> {
  const { workspaceDefinition } = entry;
  if (!workspaceDefinition) {
    const isProgram = entry.source === 'configured' && entry.url === undefined;
    return isProgram ? await userAgentWithCode(entry, places) : undefined;
  }
  const { name, setting, file } = workspaceDefinition;
  const cwd = entry.cwd ?? places.cwd;
  const files = await hashedFilesOf([
    { words: wordsOfSetting(setting), cwd, folders: places.folders },
    ...serverFileSearches(setting.mcpServers, { cwd, folders: places.folders }),
  ]);
  return {
    kind: 'agent',
    name,
    id: entry.id,
    source: { file, keys: [settingIds.acpAgents, name] },
    facts: [
      ...(setting.url === undefined ? agentFacts(setting, cwd) : addressFacts(setting)),
      ...otherFacts(setting),
      ...files.map((each) => ({ label: 'Runs the file', value: each.file })),
    ],
    hash: hashJson({ kind: 'agent', name, cwd, setting, files }),
    reload: () => consentSubjectOfAgent(entry, places),
  };
}

/** A user-defined agent may run different code in each workspace, so consent is bound to that code. */
async function userAgentWithCode(entry: ProcessEntry, places: WorkspaceFolders): Promise<ConsentSubject | undefined> {
  const { args, command, env, id, mcpServers } = entry;
  const cwd = entry.cwd ?? places.cwd;
  const { folders } = places;
  const words = [...programWords(command, args), ...Object.values(env).filter(isPathLike)];
  const ofServers = serverFileSearches(mcpServers, { cwd, folders });
  const named = [
    { words, cwd, folders, onlyNamed: true },
    ...ofServers.map((each) => ({ ...each, words: each.words.filter(isPathLike), onlyNamed: true })),
  ];
  const files = await hashedFilesOf(named);
  if (files.length === 0) return undefined;
  return {
    kind: 'agent',
    name: id,
    id,
    // The source is the code, because the user's settings are not part of the workspace.
    source: { file: files[0]?.file, keys: [settingIds.acpAgents, id] },
    facts: [...agentFacts(entry, cwd), ...files.map((each) => ({ label: 'Runs the file', value: each.file }))],
    hash: hashJson({ kind: 'agent', of: 'user', id, cwd, command, args, env, mcpServers, files }),
    reload: () => consentSubjectOfAgent(entry, places),
  };
}

const interpreters =
  /^(?:node|nodejs|deno|bun|tsx|ts-node|python[\d.]*|ruby|perl|php|bash|sh|zsh|pwsh|powershell)(?:\.exe)?$/i;

/** A plain word such as `acp` counts as a file name only after an interpreter. */
function programWords(command: string, args: readonly string[]): string[] {
  const program = command.split(/[\\/]/).at(-1) ?? command;
  return [command, ...args].filter((word, at) => isPathLike(word) || (at > 0 && interpreters.test(program)));
}

function isPathLike(word: string): boolean {
  return /[\\/]|\.\w+$/.test(word);
}

/**
 * Returns the consent subject of an MCP server that the workspace defines. Its files may be in any folder.
 * @throws Error for unreadable files
 */
export async function consentSubjectOfMcpServer(
  name: string,
  written: Readonly<Record<string, unknown>>,
  { cwd, file, folders, member }: WorkspaceFolders & { readonly file: string; readonly member: string },
): Promise<ConsentSubject> {
  const server = Object.fromEntries(
    Object.entries(written).map(([key, value]) => [key, substituteWorkspaceFolder(value, cwd)]),
  );
  const files = await hashedFilesOf(
    [cwd, ...folders].map((start) => ({ words: stringsIn(server), cwd: start, folders })),
  );
  return {
    kind: 'mcpServer',
    name,
    source: { file, keys: [member, name] },
    facts: [...serverFacts('', server), ...files.map((each) => ({ label: 'Runs the file', value: each.file }))],
    hash: hashJson({ kind: 'mcpServer', name, cwd, server, files }),
    reload: () => consentSubjectOfMcpServer(name, written, { cwd, file, folders, member }),
  };
}

interface AllowedServer {
  readonly server: WorkspaceServer;
  readonly subject: ConsentSubject;
}

/** Asks about the servers of a file together. Servers that cannot be looked at are not allowed. Never rejects. */
export async function allowedMcpServers(
  servers: readonly WorkspaceServer[],
  folders: readonly string[],
  consent: Pick<ConsentPort, 'askAllIfUndecided'>,
  log: Pick<Logger, 'warn'>,
): Promise<readonly AllowedServer[]> {
  const found = await Promise.all(
    servers.map(async (server) => {
      const { file, folder, member, name } = server;
      try {
        const subject = await consentSubjectOfMcpServer(name, server.server, { cwd: folder, file, folders, member });
        return [{ server, subject }];
      } catch (error) {
        log.warn(`The MCP server "${name}" cannot be looked at: ${messageOf(error)}`);
        return [];
      }
    }),
  );
  const known = found.flat();
  const decisions = await consent.askAllIfUndecided(
    known.map(({ subject }) => subject),
    'background',
  );
  return known.filter((_, index) => decisions[index] === 'allowed');
}

export interface AgentConsentContext {
  readonly consent: ConsentPort;
  readonly places: () => WorkspaceFolders;
}

/** Returns the stored decision for an agent in its current state. Does not ask the user. */
export async function consentDecisionFor(
  entry: CatalogueEntry,
  agentConsent: AgentConsentContext,
): Promise<ConsentDecision> {
  const thing = await currentConsentThing(entry, agentConsent);
  return thing ? agentConsent.consent.registerAndDecide(thing) : 'allowed';
}

/** Asks the user if needed, and checks again, as files may change. @throws BackendError `notReady` if not allowed */
export async function requireConsent(entry: CatalogueEntry, agentConsent: AgentConsentContext): Promise<void> {
  const { consent } = agentConsent;
  for (;;) {
    const thing = await currentConsentThing(entry, agentConsent);
    if (!thing || consent.registerAndDecide(thing) === 'allowed') return;
    const decision = await consent.askIfUndecided(thing, 'user');
    if (decision !== 'allowed') throw new BackendError('notReady', missingConsentMessage(decision));
  }
}

/** Withdraws the pending request if the agent no longer needs consent. */
async function currentConsentThing(
  entry: CatalogueEntry,
  { consent, places }: AgentConsentContext,
): Promise<ConsentSubject | undefined> {
  const thing = await consentSubjectOfAgent(entry, places());
  if (!thing) consent.forgetMissing(['agent'], ({ id }) => id !== entry.id);
  return thing;
}

export function missingConsentMessage(decision: Exclude<ConsentDecision, 'allowed'>): string {
  return decision === 'denied'
    ? 'You have not allowed this agent. Run "Backline: Review What This Workspace Runs" to change that.'
    : 'Needs your permission because this workspace defines it or contains code that it runs. You will be asked when you use the agent.';
}

function wordsOfSetting(setting: AgentSetting): string[] {
  if (setting.url !== undefined) return [];
  return [setting.command, ...setting.args, ...Object.values(setting.env)];
}

interface FileSearch extends WorkspaceFolders {
  readonly words: readonly string[];
  readonly onlyNamed?: boolean;
}

/** Replaces `${workspaceFolder}` by each folder of the workspace, because the variable can stand for any of them. */
function serverFileSearches(servers: unknown, { cwd, folders }: WorkspaceFolders): FileSearch[] {
  return [cwd, ...folders].map((start) => ({
    words: stringsIn(substituteWorkspaceFolder(servers, start)),
    cwd: start,
    folders,
  }));
}

async function hashedFilesOf(places: readonly FileSearch[]): Promise<readonly HashedFile[]> {
  const found = new Map<string, HashedFile>();
  for (const { words, ...options } of places)
    for (const each of await hashCommandLineFiles(words, options)) found.set(each.file, each);
  return [...found.values()].sort((one, other) => (one.file < other.file ? -1 : 1));
}

type AgentCommandFields = Pick<ProcessAgentSetting | ProcessEntry, 'command' | 'args' | 'env' | 'mcpServers'>;

function agentFacts({ command, args, env, mcpServers }: AgentCommandFields, cwd: string): ConsentFact[] {
  return [
    { label: 'Command', value: formatProgram([command, ...args]) },
    { label: 'Folder', value: cwd },
    ...variableFacts(env),
    ...mcpServerFacts(mcpServers),
  ];
}

/** The user's prompts, and files that the agent reads, are sent to this URL. */
function addressFacts({ cwd, headers, mcpServers, url }: UrlAgentSetting): ConsentFact[] {
  return [
    { label: 'Sends prompts and files to', value: url },
    ...(cwd === undefined ? [] : [{ label: 'Folder on the agent’s machine', value: cwd }]),
    ...headerFacts(headers),
    ...mcpServerFacts(mcpServers),
  ];
}

function mcpServerFacts(servers: AgentSetting['mcpServers']): ConsentFact[] {
  return Object.entries(servers).flatMap(([server, value]) => serverFacts(`MCP server ${server}`, value));
}

function variableFacts(env: Readonly<Record<string, unknown>>): ConsentFact[] {
  return Object.entries(env).map(([name, value]) => {
    const warning = environmentEffectOf(name, process.platform === 'win32');
    return { label: `Variable ${name}`, value: String(value), ...(warning === undefined ? {} : { warning }) };
  });
}

const secretHeaders = /auth|cookie|key|pass|secret|session|token/i;

/** Hides what may be a secret, since other people may see the dialog, but names each variable whose value is sent. */
function headerFacts(headers: Readonly<Record<string, unknown>>): ConsentFact[] {
  return Object.entries(headers).map(([name, value]) => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return { label: `Header ${name}`, value: secretHeaders.test(name) ? withHiddenText(text) : text };
  });
}

/** Keeps the scheme, such as `Bearer`, and the variables, such as `${TOKEN}`. */
function withHiddenText(text: string): string {
  const scheme = /^[A-Za-z]+ (?=\S)/.exec(text)?.[0] ?? '';
  const parts = text.slice(scheme.length).split(/(\$\{[^}]*\})/);
  return scheme + parts.map((part, index) => (index % 2 === 1 || part === '' ? part : '••••••')).join('');
}

/** Includes unknown members, because they may matter to the agent. */
function serverFacts(title: string, server: object): ConsentFact[] {
  const prefix = title === '' ? '' : `${title}, `;
  const members = new Map<string, unknown>(Object.entries(server));
  const { command, args, env } = Object.fromEntries(members);
  const facts: ConsentFact[] = [];
  if (typeof command === 'string') {
    const list = Array.isArray(args) ? args.map(String) : [];
    facts.push({ label: `${prefix}Command`, value: formatProgram([command, ...list]) });
  }
  if (isRecord(env)) facts.push(...variableFacts(env).map((fact) => ({ ...fact, label: `${prefix}${fact.label}` })));
  for (const [key, value] of members) {
    if (key === 'headers' && isRecord(value)) {
      facts.push(...headerFacts(value).map((fact) => ({ ...fact, label: `${prefix}${fact.label}` })));
      continue;
    }
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

function otherFacts(setting: AgentSetting): ConsentFact[] {
  const shown = new Set(['command', 'args', 'env', 'cwd', 'mcpServers', 'url', 'headers']);
  return Object.entries(setting).flatMap(([key, value]) =>
    shown.has(key) || (key === 'dialect' && value === 'v1') || value === undefined
      ? []
      : [{ label: key, value: typeof value === 'string' ? value : JSON.stringify(value) }],
  );
}

function isPlainHttp(key: string, value: unknown): boolean {
  return key === 'url' && typeof value === 'string' && value.toLowerCase().startsWith('http:');
}
