/** A place in a file that an agent reads or edits. */
export interface FollowedPlace {
  readonly path: string;
  /** 0-based. */
  readonly line?: number;
  /** Text to look for if the line is not known. */
  readonly text?: string;
}

/** The state of Follow. It is on in every state but `off`. */
export type FollowState =
  | { readonly kind: 'off' }
  /** No turn runs. */
  | { readonly kind: 'idle' }
  /** A turn runs, and every place that it touched was shown. */
  | { readonly kind: 'waiting' }
  /** An editor is being opened. `next` is the newest place that was touched meanwhile. */
  | { readonly kind: 'opening'; readonly next?: FollowedPlace }
  /** An editor was opened just now, so `next` waits. */
  | { readonly kind: 'resting'; readonly next?: FollowedPlace };

export type FollowInput =
  | { readonly type: 'toggled' }
  /** Whether a turn of any conversation runs. */
  | { readonly type: 'turn'; readonly isRunning: boolean }
  | { readonly type: 'touched'; readonly place: FollowedPlace }
  /** The effect `open` is done, or has failed. */
  | { readonly type: 'opened' }
  /** The effect `rest` is done. */
  | { readonly type: 'rested' }
  /** The user has typed, clicked or scrolled in an editor, or has shown another one. */
  | { readonly type: 'acted' };

export type FollowEffect =
  /** Followed by `opened`. */
  | { readonly type: 'open'; readonly place: FollowedPlace }
  /** Followed by `rested` after a pause. */
  | { readonly type: 'rest' };

interface FollowStep {
  readonly state: FollowState;
  readonly effect?: FollowEffect;
}

export const followOff: FollowState = { kind: 'off' };

/** Returns the next state. One editor is opened at a time, with a pause after it; places in between are skipped. */
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
