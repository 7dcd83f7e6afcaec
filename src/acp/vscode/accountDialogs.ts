import { ProviderCommands, type ProviderCommandsDeps } from './providers/providerCommands';
import { KeyCommands, type KeyCommandsDeps } from './signIn/keyCommands';
import { SignInFlow } from './signIn/signInFlow';

export { askUserForAgent } from './elicitation';

/** What asks the user about sign-ins, keys, LLM providers and what an agent wants to know. A bundle of its own, because most windows never ask. */

export interface SignInDialogs {
  readonly flow: SignInFlow;
  readonly keyCommands: KeyCommands;
}

export function createSignInDialogs(deps: Omit<KeyCommandsDeps, 'flow'>): SignInDialogs {
  const flow = new SignInFlow(deps);
  return { flow, keyCommands: new KeyCommands({ ...deps, flow }) };
}

export function createProviderCommands(deps: ProviderCommandsDeps): ProviderCommands {
  return new ProviderCommands(deps);
}
