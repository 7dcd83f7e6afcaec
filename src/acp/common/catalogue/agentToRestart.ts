import type { SessionBackend } from '../../../session/common/sessionBackend';

type Restartable = Pick<SessionBackend, 'id' | 'title' | 'state'>;

type AgentToRestart<Backend> =
  | { readonly kind: 'one'; readonly backend: Backend }
  | { readonly kind: 'oneOf'; readonly backends: readonly Backend[] }
  | { readonly kind: 'none'; readonly message: string };

export function findAgentToRestart<Backend extends Restartable>(
  backends: readonly Backend[],
  id: unknown,
): AgentToRestart<Backend> {
  const runningBackends = backends.filter(({ state }) => state.kind !== 'stopped');
  if (id !== undefined) {
    const backend = runningBackends.find((each) => each.id === id);
    if (backend) return { kind: 'one', backend };
    const title = backends.find((each) => each.id === id)?.title ?? 'The agent';
    return { kind: 'none', message: `${title} is not running. It starts with your next prompt.` };
  }
  if (runningBackends.length > 0) return { kind: 'oneOf', backends: runningBackends };
  return {
    kind: 'none',
    message: 'No agent is running. An agent starts with your next prompt.',
  };
}
