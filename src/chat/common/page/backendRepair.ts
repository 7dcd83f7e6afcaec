import { commandIds } from '../../../manifest';
import type { BackendView } from '../chatView';

/** `signIn`: a turn has failed because the agent requires a sign-in, even if its state does not say so. */
export type RepairKind = 'install' | 'edit' | 'signIn';

/** What helps against what is wrong with a backend. `offer`: the user chooses between installation and settings. */
type BackendRepair =
  | { readonly kind: 'command'; readonly command: string; readonly id?: string }
  | { readonly kind: 'install'; readonly title: string; readonly command: string }
  | { readonly kind: 'offer'; readonly view: BackendView }
  | { readonly kind: 'editSettings' };

/** Returns the suitable remedy, or the wanted one if it is possible. `view`: undefined if the backend is not known any more. */
export function backendRepair(view: BackendView | undefined, isTrusted: boolean, wanted?: RepairKind): BackendRepair {
  if (!isTrusted) return { kind: 'command', command: 'workbench.trust.manage' };
  if (!view) return { kind: 'editSettings' };
  const { health, id, install, needsPermission, source, state, title } = view;
  if (needsPermission) return { kind: 'command', command: commandIds.reviewWorkspace, id };
  if (health?.kind === 'needsToken') return { kind: 'command', command: commandIds.amplifierSetToken };
  if (wanted === 'install' && install !== undefined) return { kind: 'install', title, command: install };
  if (wanted === 'signIn' && source === 'server') {
    // A server that answers has accepted the token, so that the key of its model service is missing or wrong.
    const { amplifierSetApiKey, amplifierSetToken } = commandIds;
    return { kind: 'command', command: health?.kind === 'answers' ? amplifierSetApiKey : amplifierSetToken };
  }
  const canSignIn = wanted === 'signIn' && state !== 'unavailable';
  if (canSignIn || state === 'authRequired') return { kind: 'command', command: commandIds.acpSignIn, id };
  if (source === 'server') return { kind: 'command', command: commandIds.showStatus };
  if (state === 'failed') return { kind: 'command', command: commandIds.acpRestartAgent, id };
  return wanted !== 'edit' && state === 'unavailable' ? { kind: 'offer', view } : { kind: 'editSettings' };
}
