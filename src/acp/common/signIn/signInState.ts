import type { AuthMethod, BackendState } from '../../../session/common/sessionBackend';

/** The state of the user's sign-in to an agent. */
export type SignInState =
  /** The agent has not required a sign-in so far. */
  | { readonly kind: 'unknown' }
  /** `refused`: what the agent refused. If it refused a prompt, a new session does not prove that the user is signed in. */
  | { readonly kind: 'required'; readonly refused: Refused; readonly message: string }
  /** The user signs in. `before` applies again if that is canceled. */
  | {
      readonly kind: 'performing';
      readonly step: SignInStep;
      /** In the step `waiting`: the conversations with a running turn, by their last prompts. */
      readonly waitsFor?: readonly string[];
      readonly before: SignInState;
    }
  | { readonly kind: 'signedIn' };

type Refused = 'session' | 'prompt';
/** `waiting`: the agent is restarted when the turns of other conversations have ended. */
type SignInStep = 'agent' | 'terminal' | 'key' | 'waiting' | 'check';

export type SignInInput =
  | { readonly type: 'refused'; readonly what: Refused; readonly message: string }
  | { readonly type: 'accepted'; readonly what: Refused }
  | { readonly type: 'begun'; readonly step: Exclude<SignInStep, 'check' | 'waiting'> }
  /** The agent must be restarted, but works for these conversations. */
  | { readonly type: 'waiting'; readonly waitsFor: readonly string[] }
  /** The agent or the user has completed the sign-in. The next new session checks it. */
  | { readonly type: 'performed' }
  | { readonly type: 'succeeded' }
  /** `isRefused`: the agent reports that the user is not signed in. */
  | { readonly type: 'failed'; readonly message: string; readonly isRefused: boolean }
  | { readonly type: 'canceled' }
  /** The user has stopped the agent or signed out. */
  | { readonly type: 'reset' };

export const unknownSignIn: SignInState = { kind: 'unknown' };

export function nextSignIn(state: SignInState, input: SignInInput): SignInState {
  if (input.type === 'reset') return unknownSignIn;
  if (state.kind === 'performing') return duringSignIn(state, input);
  switch (input.type) {
    case 'refused':
      return { kind: 'required', refused: input.what, message: input.message };
    case 'accepted':
      return state.kind === 'required' && state.refused === 'prompt' && input.what === 'session'
        ? state
        : unknownSignIn;
    case 'begun':
      return { kind: 'performing', step: input.step, before: state };
    case 'waiting':
    case 'performed':
    case 'succeeded':
    case 'failed':
    case 'canceled':
      return state;
  }
}

function duringSignIn(state: Extract<SignInState, { kind: 'performing' }>, input: SignInInput): SignInState {
  const { before } = state;
  switch (input.type) {
    case 'begun':
      return { kind: 'performing', step: input.step, before };
    case 'waiting':
      return { kind: 'performing', step: 'waiting', waitsFor: input.waitsFor, before };
    case 'performed':
      return { kind: 'performing', step: 'check', before };
    case 'succeeded':
      return state.step === 'check' ? { kind: 'signedIn' } : state;
    case 'failed':
      if (input.isRefused) return { kind: 'required', refused: 'session', message: input.message };
      return before.kind === 'required' ? { ...before, message: input.message } : before;
    case 'canceled':
      return before;
    // Whether the sign-in works is only known after the check that follows it.
    case 'refused':
    case 'accepted':
    case 'reset':
      return state;
  }
}

const stepMessages: Readonly<Record<SignInStep, (title: string, waitsFor: readonly string[]) => string>> = {
  agent: (title) => `Waiting for ${title} to sign in. It may have opened a page in your browser.`,
  terminal: (title) => `Complete the sign-in to ${title} in its terminal.`,
  key: (title) => `Restarting ${title} with your key…`,
  waiting: (title, waitsFor) => signInWaitMessage(title, waitsFor),
  check: (title) => `Checking the sign-in to ${title}…`,
};

const maxNamed = 3;
const maxNameLength = 60;

/** Says who waits and for what. `waitsFor`: the conversations by their last prompts. */
function signInWaitMessage(title: string, waitsFor: readonly string[]): string {
  const named = waitsFor.slice(0, maxNamed).map(quotedName);
  const more = waitsFor.length - named.length;
  const all = [...named, ...(more > 0 ? [`${more} more`] : [])];
  const what =
    all.length === 0 ? 'its open requests' : `its ${waitsFor.length === 1 ? 'answer' : 'answers'} to ${all.join(', ')}`;
  return `Your sign-in to ${title} waits for ${what}. After that, ${title} restarts to use it.`;
}

/** Says also what the user can do. For a notification with the button “Restart Now”. */
export function signInWaitNotice(title: string, waitsFor: readonly string[]): string {
  const what = waitsFor.length === 0 ? 'requests' : waitsFor.length === 1 ? 'answer' : 'answers';
  return `${signInWaitMessage(title, waitsFor)} Wait, or choose Restart Now to stop the ${what} and sign in at once.`;
}

function quotedName(name: string): string {
  // A prompt may consist of an image.
  if (name === '') return 'a prompt without text';
  const characters = Array.from(name);
  if (characters.length <= maxNameLength) return `“${name}”`;
  return `“${characters.slice(0, maxNameLength).join('')}…”`;
}

/**
 * Returns the state of a backend: a missing sign-in replaces the state of its process, unless the process has failed.
 */
export function stateWithSignIn(
  process: BackendState,
  signIn: SignInState,
  title: string,
  methods: readonly AuthMethod[],
): BackendState {
  if (process.kind === 'failed' || signIn.kind === 'unknown' || signIn.kind === 'signedIn') return process;
  const message = signIn.kind === 'required' ? signIn.message : stepMessages[signIn.step](title, signIn.waitsFor ?? []);
  return { kind: 'authRequired', message, methods };
}
