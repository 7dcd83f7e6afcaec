import { toVisibleText } from '../../../base/common/text/visibleText';
import type { InstallJob } from '../install/installJobs';
import type { AgentCardState } from './agentsApi';
import type { ListedBackend } from './agentsSituation';

export function cardStateOfInstallJob(job: InstallJob): AgentCardState {
  if (job.kind === 'installing') {
    const { fraction, stage } = job;
    return { kind: 'installing', text: toVisibleText(stage), ...(fraction === undefined ? {} : { fraction }) };
  }
  const { advice, message } = job;
  return {
    kind: 'broken',
    text: toVisibleText(message),
    ...(advice === undefined ? {} : { advice: toVisibleText(advice) }),
  };
}

interface Versions {
  /** Describes the update that the registry lists. */
  readonly update: string | undefined;
  /** Whether the agent is running an older version than the installed one. */
  readonly isOutdated: boolean;
  readonly installedVersion: string | undefined;
}

/** Says where an agent is from, not that it is ready: whether it needs a sign-in is known only after its start. */
const sourceTexts: Readonly<Record<ListedBackend['source'], string>> = {
  configured: 'Added in settings',
  demo: 'Ready',
  found: 'Found on your PATH',
  installed: 'Installed',
  server: 'Server',
};

export function cardStateOfBackend(
  backend: ListedBackend,
  { installedVersion, isOutdated, update }: Versions,
): AgentCardState {
  const { needsPermission, needsSignIn, problem, source, state } = backend;
  if (problem !== undefined) {
    return { kind: needsPermission ? 'signIn' : 'broken', text: toVisibleText(problem) };
  }
  switch (state?.kind) {
    case 'failed':
      return { kind: 'broken', text: toVisibleText(state.message), advice: 'Restart it to try again.' };
    case 'authRequired':
      return { kind: 'signIn', text: 'Sign-in required' };
    case 'starting':
      return { kind: 'starting', text: 'Starting…' };
    case 'ready':
    case 'stopped':
    case undefined:
      break;
  }
  if (needsSignIn) return { kind: 'signIn', text: 'Sign-in required' };
  if (isOutdated) {
    return { kind: 'update', text: `Restart to use version ${installedVersion ?? ''}`.trimEnd() };
  }
  if (update !== undefined) return { kind: 'update', text: toVisibleText(update) };
  return state?.kind === 'ready'
    ? { kind: 'ready', text: 'Running' }
    : { kind: 'installed', text: sourceTexts[source] };
}
