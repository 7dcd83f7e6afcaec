import type { AgentCapabilities } from './v1Schema';

/** Where a session of ours is with its agent, whose processes come and go. `Client` is the connection to one of them. */
export type Attachment<Client> = Conversation &
  (
    | { readonly kind: 'detached' }
    /** The agent has been asked to take the session up; `past` is the history that it may tell meanwhile. */
    | { readonly kind: 'returning'; readonly client: Client; readonly past: Past }
    /** It does not remember the session, and has been asked to begin another one in its place. */
    | { readonly kind: 'recreating'; readonly client: Client }
    | Attached<Client>
    /** Closed: it never comes back. */
    | { readonly kind: 'left' }
  );

/** What stays the same when the process changes. */
interface Conversation {
  /** The agent's name for the session; another one when it had to begin anew. */
  readonly agentSessionId: string;
  /** The agent had to begin anew, and has not been told what was said before. */
  readonly hasForgotten: boolean;
}

export interface Attached<Client> extends Conversation {
  readonly kind: 'attached';
  readonly client: Client;
}

/** Whether the history that the agent tells is `known` here. */
export type Past = 'known' | 'unknown';

export type AttachmentEvent<Client> =
  | { readonly kind: 'return'; readonly client: Client; readonly past: Past }
  | { readonly kind: 'recreateSession'; readonly client: Client }
  /** The agent has taken the session up. */
  | { readonly kind: 'returned'; readonly client: Client }
  | { readonly kind: 'begunAnew'; readonly client: Client; readonly agentSessionId: string }
  | { readonly kind: 'failed'; readonly client: Client }
  /** The process is gone. */
  | { readonly kind: 'lost' }
  /** The agent has been told what was said before. */
  | { readonly kind: 'reminded' }
  | { readonly kind: 'leave' };

/** An answer that comes when nobody waits for it any more changes nothing. */
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

/** What the agent says while it tells a history that is known is not to be told again. */
export function isMuted(state: Attachment<unknown>): boolean {
  return state.kind === 'returning' && state.past === 'known';
}

/** How the agent takes a session up: by loading it where its history is wanted; undefined when it remembers none. */
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
