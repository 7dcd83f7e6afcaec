import type { AgentCapabilities } from './v1Schema';

/** State of a session's binding to its agent. `Client` is the connection to the agent's process. */
export type Attachment<Client> = Conversation &
  (
    | { readonly kind: 'detached' }
    /** The agent was asked to restore the session and may replay its history. */
    | { readonly kind: 'returning'; readonly client: Client; readonly past: Past }
    /** The agent forgot the session and was asked for a new one. */
    | { readonly kind: 'recreating'; readonly client: Client }
    | Attached<Client>
    | { readonly kind: 'left' }
  );

/** Fields that survive a new process. */
interface Conversation {
  /** The agent's id of the session; changes when it is recreated. */
  readonly agentSessionId: string;
  /** Whether the session was recreated and the agent has not received a summary yet. */
  readonly hasForgotten: boolean;
}

export interface Attached<Client> extends Conversation {
  readonly kind: 'attached';
  readonly client: Client;
}

/** Whether the history that the agent replays is already known here. */
export type Past = 'known' | 'unknown';

export type AttachmentEvent<Client> =
  | { readonly kind: 'return'; readonly client: Client; readonly past: Past }
  | { readonly kind: 'recreateSession'; readonly client: Client }
  | { readonly kind: 'returned'; readonly client: Client }
  | { readonly kind: 'begunAnew'; readonly client: Client; readonly agentSessionId: string }
  | { readonly kind: 'failed'; readonly client: Client }
  | { readonly kind: 'lost' }
  /** The agent has received the summary. */
  | { readonly kind: 'reminded' }
  | { readonly kind: 'leave' };

/** Late answers change nothing. */
export function nextAttachment<Client>(state: Attachment<Client>, event: AttachmentEvent<Client>): Attachment<Client> {
  const { agentSessionId, hasForgotten } = state;
  const same = { agentSessionId, hasForgotten };
  if (state.kind === 'left') return state;
  switch (event.kind) {
    case 'return':
      return { ...same, kind: 'returning', client: event.client, past: event.past };
    case 'recreateSession':
      return { ...same, kind: 'recreating', client: event.client };
    case 'returned':
      return isWith(state, 'returning', event.client) ? { ...same, kind: 'attached', client: event.client } : state;
    case 'begunAnew':
      if (!isWith(state, 'recreating', event.client)) return state;
      return { kind: 'attached', client: event.client, agentSessionId: event.agentSessionId, hasForgotten: true };
    case 'failed':
      return isWith(state, 'returning', event.client) || isWith(state, 'recreating', event.client)
        ? { ...same, kind: 'detached' }
        : state;
    case 'lost':
      return { ...same, kind: 'detached' };
    case 'reminded':
      return { ...state, hasForgotten: false };
    case 'leave':
      return { ...same, kind: 'left' };
  }
}

/** Whether to drop updates, because the agent replays a known history. */
export function isMuted(state: Attachment<unknown>): boolean {
  return state.kind === 'returning' && state.past === 'known';
}

/** How to restore a session: by loading if its history is needed, else by resuming; undefined if unsupported. */
export function wayBack(
  { loadSession, sessionCapabilities }: AgentCapabilities,
  past: Past,
): 'load' | 'resume' | undefined {
  const canResume = sessionCapabilities?.resume === true;
  if (past === 'unknown') return loadSession ? 'load' : canResume ? 'resume' : undefined;
  return canResume ? 'resume' : loadSession ? 'load' : undefined;
}

function isWith<Client>(state: Attachment<Client>, kind: 'returning' | 'recreating', client: Client): boolean {
  return state.kind === kind && state.client === client;
}
