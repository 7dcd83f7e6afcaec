// The dialogs in which agents and their commands ask the user. They are a bundle of their own, because most windows never show one.
import { KeyCommands, type KeyCommandsDeps } from './signIn/keyCommands';
import { SignInFlow } from './signIn/signInFlow';

export { AgentCommands } from './agentCommands';
export { askUserForAgent } from './elicitation';
export { askForMcpInput } from './mcpInputQuestion';
export { ProviderCommands } from './providers/providerCommands';

export interface SignInDialogs {
  readonly flow: SignInFlow;
  readonly keyCommands: KeyCommands;
}

export function createSignInDialogs(deps: Omit<KeyCommandsDeps, 'flow'>): SignInDialogs {
  const flow = new SignInFlow(deps);
  return { flow, keyCommands: new KeyCommands({ ...deps, flow }) };
}
