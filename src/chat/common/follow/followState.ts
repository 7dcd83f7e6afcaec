/** A place in a file that an agent reads or edits. */
export interface FollowedPlace {
  readonly path: string;
  /** Line number, 0-based. */
  readonly line?: number;
  /** Text to look for if the line is not known. */
  readonly text?: string;
}

/** The state of Follow. In every state but `off`, Follow is turned on. */
export type FollowState =
  | { readonly kind: 'off' }
  /** No turn is running. */
  | { readonly kind: 'idle' }
  /** A turn is running, and there is no new place to show. */
  | { readonly kind: 'waiting' }
  /** An editor is being opened. `next` is the newest place that the agent has used in the meantime. */
  | { readonly kind: 'opening'; readonly next?: FollowedPlace }
  /** An editor was opened a short time ago, so `next` must wait. */
  | { readonly kind: 'resting'; readonly next?: FollowedPlace };

export type FollowInput =
  | { readonly type: 'toggled' }
  /** Whether a turn is running in any conversation. */
  | { readonly type: 'turn'; readonly isRunning: boolean }
  | { readonly type: 'touched'; readonly place: FollowedPlace }
  /** The effect `open` has finished or failed. */
  | { readonly type: 'opened' }
  /** The pause of the effect `rest` is over. */
  | { readonly type: 'rested' }
  /** The user has typed, clicked or scrolled in an editor, or has switched to another one. */
  | { readonly type: 'acted' };

export type FollowEffect =
  /** Opens an editor. The next input is `opened`. */
  | { readonly type: 'open'; readonly place: FollowedPlace }
  /** Starts a pause. The next input is `rested`. */
  | { readonly type: 'rest' };

interface FollowStep {
  readonly state: FollowState;
  readonly effect?: FollowEffect;
}

export const followOff: FollowState = { kind: 'off' };

/** Returns the next state. Editors are opened one at a time, with pauses. Only the newest place counts. */
export function nextFollowState(state: FollowState, input: FollowInput): FollowStep {
  if (input.type === 'toggled') return { state: state.kind === 'off' ? { kind: 'idle' } : followOff };
  if (state.kind === 'off') return { state };
  switch (input.type) {
    case 'turn':
      if (!input.isRunning) return { state: state.kind === 'waiting' ? { kind: 'idle' } : state };
      return { state: state.kind === 'idle' ? { kind: 'waiting' } : state };
    case 'touched':
      if (state.kind === 'idle') return { state };
      return state.kind === 'waiting' ? open(input.place) : { state: { ...state, next: input.place } };
    case 'opened':
      return state.kind === 'opening' ? { state: { ...state, kind: 'resting' }, effect: { type: 'rest' } } : { state };
    case 'rested':
      if (state.kind !== 'resting') return { state };
      return state.next ? open(state.next) : { state: { kind: 'waiting' } };
    case 'acted':
      return { state: state.kind === 'idle' ? state : followOff };
  }
}

function open(place: FollowedPlace): FollowStep {
  return { state: { kind: 'opening' }, effect: { type: 'open', place } };
}
