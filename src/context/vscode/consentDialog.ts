import * as vscode from 'vscode';
import type { ConsentPort } from '../../consent/common/consentManager';
import { describeConsentRequest, type AllowedRequests } from '../common/providers/allowedRequests';
import type { RememberedConsentRequest } from '../common/providers/providerError';
import type { ProviderState } from '../common/providers/providerHandle';

interface ConsentPick extends vscode.QuickPickItem {
  readonly state?: ProviderState;
  readonly revocable?: RememberedConsentRequest;
}

interface ConsentPorts {
  readonly allowed: AllowedRequests;
  /** Consent for providers that the workspace defines. */
  readonly consent: Pick<ConsentPort, 'askAgain'>;
}

/** `backline.context.allow`: asks about one provider, or lists all. @returns the providers to try again */
export async function manageProviderConsent(
  states: readonly ProviderState[],
  { allowed, consent: ofWorkspace }: ConsentPorts,
  id: string | undefined,
): Promise<readonly ProviderState[]> {
  const waiting = states.filter(({ consent }) => consent !== undefined);
  const named = waiting.find((state) => state.id === id);
  const pick: Pick<ConsentPick, 'state' | 'revocable'> | undefined = named
    ? { state: named }
    : await choose(waiting, allowed.all);
  if (!pick) return [];
  if (pick.revocable) {
    await allowed.remove(pick.revocable);
    return states;
  }
  const consent = pick.state?.consent;
  if (!pick.state || !consent) return [];
  if (consent.kind === 'brought') {
    // No provider is returned, because the change event of `ofWorkspace` already causes a new attempt.
    await ofWorkspace.askAgain(consent.subject);
    return [];
  }
  if (!(await confirm(pick.state, consent))) return [];
  await allowed.add(consent);
  return [pick.state];
}

async function choose(
  waiting: readonly ProviderState[],
  allowed: readonly RememberedConsentRequest[],
): Promise<ConsentPick | undefined> {
  const picks: ConsentPick[] = [
    ...waiting.flatMap((state) =>
      state.consent
        ? [{ label: describeConsentRequest(state.consent), description: `Requested by ${state.title}`, state }]
        : [],
    ),
    ...allowed.map((request) => ({
      label: describeConsentRequest(request),
      description: 'Allowed. Select to revoke',
      ...(request.kind === 'remoteCode' ? { detail: request.integrity } : {}),
      revocable: request,
    })),
  ];
  if (picks.length === 0) {
    void vscode.window.showInformationMessage('No context provider needs permission.');
    return undefined;
  }
  return await vscode.window.showQuickPick(picks, {
    title: 'Context Provider Permissions',
    placeHolder: 'Select an entry to allow or revoke it',
  });
}

async function confirm({ title }: ProviderState, consent: RememberedConsentRequest): Promise<boolean> {
  const details: Record<RememberedConsentRequest['kind'], string> = {
    plainHttp:
      'Others on the network can read and change the data: the text of files that you open. Providers that offer mentions also receive what you type after @, queries from language models, the URI of the active file and the name of its repository.',
    remoteCode:
      'It runs with your rights: it can read and write files and use the network. Only this version is allowed. You’ll be asked again if it changes.',
    secret: 'This is requested by the settings of this workspace, not by yours. Anyone with the secret can use it.',
  };
  const what = describeConsentRequest(consent);
  const origin = what.includes(title) ? [] : [`Requested by the context provider ${title}.`];
  const options = { modal: true, detail: [...origin, details[consent.kind], ...factsOf(consent)].join('\n\n') };
  return (await vscode.window.showWarningMessage(`${what}?`, options, 'Allow')) === 'Allow';
}

/** Returns the source and the hashes of the code, so that the user can compare them. */
function factsOf(consent: RememberedConsentRequest): string[] {
  if (consent.kind !== 'remoteCode') return [];
  const { url, from, integrity, previousIntegrity } = consent;
  return [
    ...(from === undefined || from === url ? [] : [`The URL redirects to:\n${from}`]),
    ...(previousIntegrity === undefined ? [] : [`Hash of the allowed version:\n${previousIntegrity}`]),
    previousIntegrity === undefined ? `Hash:\n${integrity}` : `Hash of the new version:\n${integrity}`,
  ];
}
