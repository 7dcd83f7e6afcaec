import type { FeatureStatus, StatusAction } from '../../../base/common/feature';
import { describeOwnServerProblem } from './serverUrl';
import type { ServerAvailability } from './serverMonitor';

export interface ServerStatusInput {
  readonly isTrusted: boolean;
  readonly server: { readonly url: URL } | { readonly problem: string };
  readonly news: ServerAvailability;
  readonly isOwn?: boolean;
  readonly keyProblem?: string | undefined;
}

export type ServerStatusActions = Readonly<
  Record<'openSettings' | 'setApiKey' | 'setToken' | 'chooseContext' | 'manageTrust', StatusAction>
>;

/**
 * Returns the server's entry in the status list. If the server was never used, a problem needs no attention, because
 * most users have no server.
 */
export function serverStatus(
  { isTrusted, server, news, isOwn = false, keyProblem }: ServerStatusInput,
  actions: ServerStatusActions,
): Pick<FeatureStatus, 'state' | 'summary' | 'actions'> {
  const { openSettings, setApiKey, setToken, chooseContext, manageTrust } = actions;
  if (!isTrusted) {
    const summary = 'Amplifier is disabled in untrusted workspaces.';
    return { state: 'off', summary, actions: [manageTrust] };
  }
  if ('problem' in server) return { state: 'attention', summary: server.problem, actions: [openSettings] };
  const { origin } = server.url;
  if (isOwn) return { state: 'off', summary: describeOwnServerProblem(server.url), actions: [openSettings] };
  switch (news.kind) {
    case 'notAsked':
      return { state: 'off', summary: `Checking for a server at ${origin}…`, actions: [openSettings] };
    case 'answers': {
      const summary = `${news.version === undefined ? 'A server' : `Version ${news.version}`} is running at ${origin}.`;
      if (keyProblem !== undefined) {
        return { state: 'attention', summary: `${summary} ${keyProblem}`, actions: [openSettings, setApiKey] };
      }
      return { state: 'ready', summary, actions: [setApiKey, chooseContext, openSettings] };
    }
    case 'unreachable': {
      const summary = `No Amplifier server is running at ${server.url.host}. Start it or change the settings.`;
      return { state: 'off', summary, actions: [openSettings, setToken, setApiKey] };
    }
    case 'needsToken':
    case 'unusable':
      return { state: 'off', summary: news.message, actions: [setToken, openSettings] };
    case 'missed':
      return { state: 'attention', summary: news.message, actions: [openSettings, setToken] };
  }
}
