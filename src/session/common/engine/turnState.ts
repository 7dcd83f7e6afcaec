import type { SessionTurn } from '../sessionTurn';

/** A turn, from the event that begins it to the event that ends it. */
export type OpenTurn =
  /** Of a prompt that this session has sent. */
  | { readonly kind: 'own'; readonly requestId: string }
  /** Of a prompt of another client, or of a replayed one. */
  | { readonly kind: 'other' }
  /** What the agent does without a prompt. */
  | { readonly kind: 'agent' };

/** What a session knows about its turns. At most one is open. */
export interface TurnState {
  readonly open?: OpenTurn;
  /** Whether the agent says that it works. It may do so before the first event of a turn and after the last. */
  readonly isAgentWorking: boolean;
  /** Whether the user has stopped a turn that was not of this session. Until the next prompt, the agent may ask nothing. */
  readonly isStopped: boolean;
  readonly isClosed: boolean;
}

export type TurnInput =
  | { readonly type: 'prompted'; readonly requestId: string }
  /** Another client has sent a prompt, or the history repeats one. */
  | { readonly type: 'othersPrompted' }
  /** The agent does something that belongs to a turn. */
  | { readonly type: 'acted' }
  /** The end of the open turn is reported. */
  | { readonly type: 'ended' }
  | { readonly type: 'working'; readonly isWorking: boolean }
  /** The user stops a turn that is not of this session. */
  | { readonly type: 'stopped' }
  | { readonly type: 'closed' };

export const noTurn: TurnState = { isAgentWorking: false, isStopped: false, isClosed: false };

const closed: TurnState = { ...noTurn, isClosed: true };

/** Returns the next state. What an agent does without a prompt opens a turn, but never replaces one. */
export function nextTurn(state: TurnState, input: TurnInput): TurnState {
  if (state.isClosed) return state;
  switch (input.type) {
    case 'prompted':
      return { ...state, open: { kind: 'own', requestId: input.requestId }, isStopped: false };
    case 'othersPrompted':
      return { ...state, open: { kind: 'other' }, isStopped: false };
    case 'acted':
      return state.open ? state : { ...state, open: { kind: 'agent' } };
    case 'ended': {
      const { open, ...others } = state;
      return open ? others : state;
    }
    case 'working':
      return { ...state, isAgentWorking: input.isWorking };
    case 'stopped':
      return { ...state, isStopped: true };
    case 'closed':
      return closed;
  }
}

/** Whose turn runs. An agent that works without an open turn has begun one of its own. */
export function turnOf({ isAgentWorking, open }: TurnState): SessionTurn {
  return open?.kind ?? (isAgentWorking ? 'agent' : 'none');
}

/** Whether an unprompted turn is open whose end the agent will not report, because it did not report its work. */
export function endsBySilence({ isAgentWorking, open }: TurnState): boolean {
  return open?.kind === 'agent' && !isAgentWorking;
}
