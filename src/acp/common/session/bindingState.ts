import type { AgentAbilities } from './agentMessages';

/** State of a session's binding to its agent. `Client` is the connection to the agent's process. */
export type BindingState<Client> = BindingFields &
  (
    | { readonly kind: 'detached' }
    /** The agent was asked to restore the session, and may replay its history. */
    | { readonly kind: 'restoring'; readonly client: Client; readonly history: HistoryKnowledge }
    /** The agent no longer has the session and was asked for a new one. */
    | {
        readonly kind: 'recreating';
        readonly client: Client;
        /** Whether a stopped turn still runs in the earlier session, so that it can't be used if this fails. */
        readonly isAbandoned: boolean;
      }
    | AttachedState<Client>
    /** A stopped turn does not end in this process, so the session cannot be used there. */
    | { readonly kind: 'abandoned'; readonly client: Client }
    | { readonly kind: 'closed' }
  );

interface BindingFields {
  /** The agent's id of the session; changes when it is recreated. */
  readonly agentSessionId: string;
  /** Whether the session was recreated and the agent has not received a summary of the conversation yet. */
  readonly hasForgotten: boolean;
}

export interface AttachedState<Client> extends BindingFields {
  readonly kind: 'attached';
  readonly client: Client;
}

/** Whether the history that the agent replays is already in the transcript. */
export type HistoryKnowledge = 'known' | 'unknown';

export type BindingEvent<Client> =
  | { readonly kind: 'restoreRequested'; readonly client: Client; readonly history: HistoryKnowledge }
  | { readonly kind: 'recreateRequested'; readonly client: Client }
  | { readonly kind: 'restored'; readonly client: Client }
  | { readonly kind: 'recreated'; readonly client: Client; readonly agentSessionId: string }
  | { readonly kind: 'failed'; readonly client: Client }
  | { readonly kind: 'processLost' }
  /** A stopped turn of the session does not end. */
  | { readonly kind: 'abandoned' }
  /** That turn has ended after all. */
  | { readonly kind: 'freed' }
  /** The agent has received the summary of the earlier conversation. */
  | { readonly kind: 'reminded' }
  | { readonly kind: 'close' };

export function nextBindingState<Client>(
  state: BindingState<Client>,
  event: BindingEvent<Client>,
): BindingState<Client> {
  const { agentSessionId, hasForgotten } = state;
  const same = { agentSessionId, hasForgotten };
  if (state.kind === 'closed') return state;
  switch (event.kind) {
    case 'restoreRequested':
      return { ...same, kind: 'restoring', client: event.client, history: event.history };
    case 'recreateRequested':
      return {
        ...same,
        kind: 'recreating',
        client: event.client,
        isAbandoned: state.kind === 'abandoned' && state.client === event.client,
      };
    case 'restored':
      return isWith(state, 'restoring', event.client) ? { ...same, kind: 'attached', client: event.client } : state;
    case 'recreated':
      if (!isWith(state, 'recreating', event.client)) return state;
      return { kind: 'attached', client: event.client, agentSessionId: event.agentSessionId, hasForgotten: true };
    case 'failed':
      if (!isWith(state, 'restoring', event.client) && !isWith(state, 'recreating', event.client)) return state;
      return state.kind === 'recreating' && state.isAbandoned
        ? { ...same, kind: 'abandoned', client: event.client }
        : { ...same, kind: 'detached' };
    case 'processLost':
      return { ...same, kind: 'detached' };
    case 'abandoned':
      return state.kind === 'attached' ? { ...same, kind: 'abandoned', client: state.client } : state;
    case 'freed':
      if (state.kind === 'recreating') return { ...state, isAbandoned: false };
      return state.kind === 'abandoned' ? { ...same, kind: 'attached', client: state.client } : state;
    case 'reminded':
      return { ...state, hasForgotten: false };
    case 'close':
      return { ...same, kind: 'closed' };
  }
}

/** Whether to drop updates, because the agent replays a known history. */
export function shouldDropUpdates(state: BindingState<unknown>): boolean {
  return state.kind === 'restoring' && state.history === 'known';
}

/** Returns how to restore a session: by loading it if its history is needed, else by resuming it, if supported. */
export function restoreMethodOf(
  { load, resume }: Pick<AgentAbilities, 'load' | 'resume'>,
  history: HistoryKnowledge,
): 'load' | 'resume' | undefined {
  if (history === 'unknown') return load ? 'load' : resume ? 'resume' : undefined;
  return resume ? 'resume' : load ? 'load' : undefined;
}

function isWith<Client>(state: BindingState<Client>, kind: 'restoring' | 'recreating', client: Client): boolean {
  return state.kind === kind && state.client === client;
}
