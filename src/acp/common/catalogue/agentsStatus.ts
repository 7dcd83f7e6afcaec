import type { BackendState } from '../../../session/common/sessionBackend';
import type { FeatureStatus, StatusAction } from '../../../base/common/feature';

export interface AgentsSnapshot {
  readonly isTrusted: boolean;
  /** Problems in the settings, each with advice. */
  readonly problems: readonly string[];
  readonly configuredCount: number;
  /** Agents found on PATH; undefined before the first lookup. */
  readonly foundCount: number | undefined;
  readonly unavailableCount?: number | undefined;
  /** Agents that were started in this window, even if they have exited. */
  readonly agents: readonly { readonly title: string; readonly state: BackendState }[];
}

/** Commands that the status offers. The caller defines them. */
export type AgentStatusActions = Readonly<Record<'restart' | 'signIn' | 'openSettings' | 'manageTrust', StatusAction>>;

type AgentsStatus = Pick<FeatureStatus, 'state' | 'summary' | 'actions'>;

/** Returns the status of the agents: problems that need the user first, then running agents, then available ones. */
export function agentsStatus(situation: AgentsSnapshot, actions: AgentStatusActions): AgentsStatus {
  const { isTrusted, problems, agents } = situation;
  if (!isTrusted) {
    const summary = 'Agents don’t start in an untrusted workspace.';
    return { state: 'off', summary, actions: [actions.manageTrust] };
  }
  for (const { title, state } of agents) {
    if (state.kind === 'failed') {
      return { state: 'attention', summary: `${title}: ${state.message}`, actions: [actions.restart] };
    }
    if (state.kind === 'authRequired') return { state: 'attention', summary: state.message, actions: [actions.signIn] };
  }
  const [problem] = problems;
  if (problem !== undefined) return { state: 'attention', summary: problem, actions: [actions.openSettings] };
  const starting = agents.find(({ state }) => state.kind === 'starting');
  if (starting?.state.kind === 'starting') return { state: 'starting', summary: starting.state.message };
  const running = agents.filter(({ state }) => state.kind === 'ready').map(({ title }) => title);
  if (running.length > 0) {
    return { state: 'ready', summary: `Running: ${running.join(', ')}.`, actions: [actions.restart] };
  }
  return { state: 'off', summary: idleSummary(situation), actions: [actions.openSettings] };
}

function idleSummary({
  configuredCount: configured,
  foundCount: found,
  unavailableCount: unavailable,
}: AgentsSnapshot): string {
  const known = [
    ...(configured > 0 ? [`${configured} configured`] : []),
    ...(found !== undefined && found > 0 ? [`${found} found on PATH`] : []),
    ...(unavailable !== undefined && unavailable > 0 ? [`${unavailable} unavailable`] : []),
  ];
  const which = known.length > 0 ? ` (${known.join(', ')})` : '';
  return `No agent is running. An agent starts with your next prompt${which}.`;
}
