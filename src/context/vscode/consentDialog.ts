import * as vscode from 'vscode';
import { describeRequest, type AllowedRequests } from '../common/allowedRequests';
import type { ConsentRequest } from '../common/providerError';
import type { ProviderState } from '../common/providerHandle';

interface ConsentPick extends vscode.QuickPickItem {
  readonly state?: ProviderState;
  /** To be taken back. */
  readonly allowed?: ConsentRequest;
}

/**
 * The command `backline.context.allow`: asks for the word that a provider waits for; without an id shows who waits, and
 * takes back what was allowed. @returns the providers to ask again
 */
export async function manageConsent(
  states: readonly ProviderState[],
  allowed: AllowedRequests,
  id: string | undefined,
): Promise<readonly ProviderState[]> {
  const waiting = states.filter(({ consent }) => consent !== undefined);
  const named = waiting.find((state) => state.id === id);
  const pick: Pick<ConsentPick, 'state' | 'allowed'> | undefined = named
    ? { state: named }
    : await choose(waiting, allowed.all);
  if (!pick) return [];
  if (pick.allowed) {
    await allowed.remove(pick.allowed);
    return states;
  }
  const consent = pick.state?.consent;
  if (!pick.state || !consent || !(await confirm(pick.state, consent))) return [];
  await allowed.add(consent);
  return [pick.state];
}

async function choose(
  waiting: readonly ProviderState[],
  allowed: readonly ConsentRequest[],
): Promise<ConsentPick | undefined> {
  const picks: ConsentPick[] = [
    ...waiting.flatMap((state) =>
      state.consent ? [{ label: describeRequest(state.consent), description: `wanted by ${state.title}`, state }] : [],
    ),
    ...allowed.map((request) => ({
      label: describeRequest(request),
      description: 'allowed; choose to take it back',
      ...(request.kind === 'remoteCode' ? { detail: request.integrity } : {}),
      allowed: request,
    })),
  ];
  return await vscode.window.showQuickPick(picks, {
    title: 'What Context Providers May Do',
    placeHolder: picks.length === 0 ? 'No provider waits for your word, and nothing was allowed' : 'Choose one',
  });
}

async function confirm({ title }: ProviderState, consent: ConsentRequest): Promise<boolean> {
  const details: Record<ConsentRequest['kind'], string> = {
    plainHttp: 'Whoever is on the way can read and change what is sent, which is the text of the files you look at.',
    remoteCode:
      'It runs with your rights: it can read and write files and use the network. Only just this version of it is allowed; a change asks again.',
    secret:
      'The settings of this workspace ask for it, not yours. Whoever has a secret can do all that it is good for.',
  };
  const integrity = consent.kind === 'remoteCode' ? `\n\n${consent.integrity}` : '';
  const what = describeRequest(consent);
  const question = what.includes(title) ? `${what}?` : `${what}, for the context provider ${title}?`;
  const options = { modal: true, detail: `${details[consent.kind]}${integrity}` };
  return (await vscode.window.showWarningMessage(question, options, 'Allow')) === 'Allow';
}
