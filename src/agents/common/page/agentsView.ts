import { toVisibleText } from '../../../base/common/text/visibleText';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { agentsAndTheirAccounts } from '../agentAccounts';
import type { InstalledAgent } from '../install/agentInstall';
import type { InstallJob } from '../install/installJobs';
import type { RegistryAgent } from '../registry/registryAgent';
import type { AgentAction, AgentActionKind, AgentCard, AgentsView } from './agentsApi';
import type { AgentsSituation, ListedBackend, RegistryState } from './agentsSituation';
import { cardStateOfBackend, cardStateOfInstallJob } from './agentCardState';
import { isNewerVersion } from './newerVersion';
import { backendIdentityOf, isAvailableOn, isListedAs, installOriginOf, installedOriginOf } from './agentOrigin';

/** The agent of a card. The host needs it to run the card's actions. */
export interface AgentOfCard {
  readonly key: string;
  /** The id of the agent as a backend, also if it is not one yet. */
  readonly backendId: string;
  readonly backend: ListedBackend | undefined;
  readonly installed: InstalledAgent | undefined;
  /** The name of a further account of an installed agent, whose card this is. */
  readonly account?: string;
  /** Absent if the registry does not list it. */
  readonly listed: RegistryAgent | undefined;
  /** The entry of the registry that describes this agent; absent if the registry lists another program with its id. */
  readonly described: RegistryAgent | undefined;
}

/** All agents: those on this machine, then the popular ones and all others in the registry. */
export function listCardAgents(situation: AgentsSituation): readonly AgentOfCard[] {
  const { backendIdOf, backends, installed, jobs, platform, registry } = situation;
  const listedById = new Map(registry.agents.map((agent) => [agent.id, agent]));
  const own = agentsAndTheirAccounts(installed).map(({ account, ...agent }): AgentOfCard => {
    const backendId = backendIdOf({ ...agent, account });
    const entry = listedById.get(agent.id);
    return {
      key: account === undefined ? installedKey(agent.id) : `${installedKey(agent.id)}~${account}`,
      backendId,
      backend: backends.find(({ id, source }) => source === 'installed' && id === backendId),
      installed: agent,
      listed: entry,
      described: entry && isListedAs(agent, entry, platform) ? entry : undefined,
      ...withoutUndefined({ account }),
    };
  });
  const backendIdOfListed = (agent: RegistryAgent): string | undefined => {
    const identity = backendIdentityOf(agent, platform);
    return identity && backendIdOf(identity);
  };
  const listedByBackendId = new Map(registry.agents.map((agent) => [backendIdOfListed(agent), agent]));
  const others = otherSources
    .flatMap((origin) => backends.filter(({ source }) => source === origin))
    .map((backend): AgentOfCard => {
      const listed = backend.source === 'found' ? listedByBackendId.get(backend.id) : undefined;
      const isInstalled = listed !== undefined && installed.some(({ id }) => id === listed.id);
      const entry = isInstalled ? undefined : listed;
      const { id } = backend;
      return { key: backendKey(id), backendId: id, backend, installed: undefined, listed: entry, described: entry };
    });
  const shown = new Set([...own, ...others].flatMap(({ listed }) => (listed ? [listed.id] : [])));
  const isAvailable = (agent: RegistryAgent): boolean =>
    !shown.has(agent.id) && (jobs.has(agent.id) || isAvailableOn(agent, platform));
  const available = registry.agents.filter(isAvailable).map((listed): AgentOfCard => ({
    key: installedKey(listed.id),
    backendId: backendIdOfListed(listed) ?? listed.id,
    backend: undefined,
    installed: undefined,
    listed,
    described: listed,
  }));
  return [...own, ...others, ...available.toSorted(byPopularityAndName)];
}

/** Sources of backends that Backline has not installed. What the user has added comes first, the demo agent last. */
const otherSources: readonly ListedBackend['source'][] = ['configured', 'found', 'demo'];

/**
 * Ids of the agents that most people look for, in the order of the page. They are ids of backends, which only the known
 * package or download has: another program that a registry lists with such an id or name is not among them.
 */
const popularIds: readonly string[] = ['claude', 'codex', 'gemini', 'copilot', 'cursor', 'opencode'];

function byPopularityAndName(one: AgentOfCard, other: AgentOfCard): number {
  return rankOf(one) - rankOf(other) || nameOf(one).localeCompare(nameOf(other), 'en');
}

/** The place among the popular agents. All others have the same, after these. */
function rankOf({ backendId }: AgentOfCard): number {
  const place = popularIds.indexOf(backendId);
  return place < 0 ? popularIds.length : place;
}

export function agentsView(situation: AgentsSituation): AgentsView {
  const { isChecking, isTrusted, registry } = situation;
  const { isOffline, problem } = registry;
  return {
    cards: listCardAgents(situation).map((subject) => agentCard(subject, situation)),
    registry: {
      checked: checkedText(registry),
      isChecking,
      ...(problem === undefined || isOffline ? {} : { problem: toVisibleText(problem) }),
    },
    isUntrusted: !isTrusted,
  };
}

/** The registry id of the agent that a card would install, update or remove. */
export function registryIdOf({ installed, listed }: AgentOfCard): string | undefined {
  return installed?.id ?? listed?.id;
}

/** Whether the registry lists a newer version than the one that is installed. Accounts are updated with their agent. */
export function hasUpdate({
  account,
  installed,
  listed,
}: Pick<AgentOfCard, 'account' | 'installed' | 'listed'>): boolean {
  return (
    account === undefined &&
    installed !== undefined &&
    listed !== undefined &&
    isNewerVersion(listed.version, installed.version)
  );
}

// An agent keeps its key when it is installed or removed, so that its card keeps the focus.
const installedKey = (registryId: string): string => `registry:${registryId}`;
const backendKey = (backendId: string): string => `backend:${backendId}`;

function agentCard(subject: AgentOfCard, situation: AgentsSituation): AgentCard {
  const { backend, backendId, described, installed, key, listed } = subject;
  const version = installed?.version ?? (backend ? runningVersion(backend) : listed?.version);
  const facts = [
    described?.authors.join(', '),
    described?.license,
    version === undefined ? undefined : `version ${version}`,
  ].flatMap((fact) => (fact === undefined || fact === '' ? [] : [toVisibleText(fact)]));
  const registryId = registryIdOf(subject);
  const job = registryId === undefined || subject.account !== undefined ? undefined : situation.jobs.get(registryId);
  return {
    key,
    group: groupOf(subject),
    backendId,
    name: toVisibleText(nameOf(subject)),
    description: toVisibleText(described?.description ?? (backend?.source === 'demo' ? backend.description : '')),
    facts,
    origin: toVisibleText(originText(subject, situation)),
    keywords: [registryId, backend?.id, installed?.package].filter((word) => word !== undefined).join(' '),
    state: stateOf(subject, situation, job),
    actions: actionsOf(subject, situation, job),
  };
}

function nameOf({ account, backend, installed, listed }: AgentOfCard): string {
  if (backend) return backend.title;
  const name = installed?.name ?? listed?.name ?? '';
  return account === undefined ? name : `${name} (${account})`;
}

function groupOf({ backend, backendId, installed }: AgentOfCard): AgentCard['group'] {
  if (installed || backend) return 'here';
  return popularIds.includes(backendId) ? 'popular' : 'others';
}

function originText({ backend, installed, listed }: AgentOfCard, { platform }: AgentsSituation): string {
  if (installed) return installedOriginOf(installed);
  if (backend?.source === 'demo') return 'Comes with Backline';
  if (backend) return backend.description;
  return listed ? installOriginOf(listed, platform) : '';
}

function runningVersion({ state }: ListedBackend): string | undefined {
  return state?.kind === 'ready' ? state.version : undefined;
}

function stateOf(subject: AgentOfCard, situation: AgentsSituation, job: InstallJob | undefined): AgentCard['state'] {
  if (job) return cardStateOfInstallJob(job);
  const { backend, described, installed, listed } = subject;
  if (!backend && !installed) return { kind: 'available', text: 'Not installed' };
  if (!backend) {
    const text = 'Installed. An agent with the same name in your settings is used instead';
    return { kind: 'installed', text };
  }
  if (!situation.isTrusted) return { kind: 'installed', text: 'Starts only in a workspace that you trust' };
  const isOutdated = situation.outdated.has(backend.id);
  const update = listed && hasUpdate(subject) ? updateText(listed, described, situation) : undefined;
  return cardStateOfBackend(backend, { update, isOutdated, installedVersion: installed?.version });
}

function updateText(
  listed: RegistryAgent,
  described: RegistryAgent | undefined,
  { platform }: AgentsSituation,
): string {
  const text = `Update available: version ${listed.version}`;
  return described ? text : `${text}, from another source (${installOriginOf(listed, platform)})`;
}

const labels: Readonly<Record<AgentActionKind, string>> = {
  install: 'Install',
  cancel: 'Cancel',
  update: 'Update',
  remove: 'Remove…',
  addAccount: 'Add Account…',
  removeAccount: 'Remove Account…',
  signIn: 'Sign In…',
  chat: 'Start Conversation',
  restart: 'Restart',
  llmProviders: 'LLM Providers…',
  allow: 'Allow…',
  edit: 'Edit…',
  openWebsite: 'Open Website',
};

function actionsOf(subject: AgentOfCard, situation: AgentsSituation, job: InstallJob | undefined): AgentAction[] {
  const { described } = subject;
  const kinds: AgentActionKind[] =
    job?.kind === 'installing'
      ? ['cancel']
      : [...useActions(subject, situation), ...installActions(subject, situation)];
  const website: AgentActionKind[] = (described?.website ?? described?.repository) === undefined ? [] : ['openWebsite'];
  return [...kinds, ...website].map((kind) => ({
    kind,
    label: kind === 'install' && job?.kind === 'failed' ? 'Try Again…' : labels[kind],
  }));
}

/** Returns the actions for an agent that conversations can use. */
function useActions({ backend, ...subject }: AgentOfCard, situation: AgentsSituation): AgentActionKind[] {
  if (!backend) return [];
  if (!situation.isTrusted) return [];
  if (backend.needsPermission) return ['allow'];
  const providers: AgentActionKind[] = backend.hasLlmProviders ? ['llmProviders'] : [];
  return [...startActions({ backend, ...subject }, situation), ...providers];
}

function startActions(
  { backend, ...subject }: AgentOfCard & { readonly backend: ListedBackend },
  { outdated }: AgentsSituation,
): AgentActionKind[] {
  const { state } = backend;
  const update: AgentActionKind[] = hasUpdate(subject) ? ['update'] : [];
  if (state?.kind === 'failed') return [...update, 'restart', 'chat'];
  if (backend.problem !== undefined) return update;
  if (state?.kind === 'authRequired' || backend.needsSignIn) return ['signIn', ...update, 'chat'];
  const isRunning = state?.kind === 'ready' || state?.kind === 'starting';
  if (outdated.has(backend.id)) return ['restart', 'chat'];
  return [...update, 'chat', ...(isRunning ? (['restart'] as const) : [])];
}

function installActions(
  { account, backend, installed, listed }: AgentOfCard,
  { isTrusted, ownIds, platform }: AgentsSituation,
): AgentActionKind[] {
  if (account !== undefined) return ['removeAccount'];
  if (installed) return [...(isTrusted && backend ? (['addAccount'] as const) : []), 'remove'];
  if (backend?.source === 'configured') return ownIds.has(backend.id) ? ['edit', 'remove'] : [];
  return isTrusted && listed && isAvailableOn(listed, platform) ? ['install'] : [];
}

/** Says which list is shown, in sentences without the last full stop. */
function checkedText({ checkedAt, isOffline, origin }: RegistryState): string {
  const offline = isOffline ? 'Offline. ' : '';
  if (checkedAt !== undefined) {
    const at = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'short' }).format(checkedAt);
    return `${offline}List checked on ${at}`;
  }
  return origin === 'snapshot' ? `${offline}Showing the list that ships with Backline` : `${offline}Not checked yet`;
}
