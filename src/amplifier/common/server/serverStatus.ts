import type { FeatureStatus, StatusAction } from '../../../base/common/feature';
import { ownServerMessage } from './serverUrl';
import type { ServerNews } from './serverWatch';

export interface ServerSituation {
  readonly isTrusted: boolean;
  /** The server of the settings, or what is wrong with them and what to do. */
  readonly server: { readonly url: URL } | { readonly problem: string };
  readonly news: ServerNews;
  /** The server of the settings is the one of this window. */
  readonly isOwn?: boolean;
  /** Why the API key that there is is not sent to this server, and what to do. */
  readonly keyProblem?: string | undefined;
}

/** Commands that help; named by the caller, who knows how they are registered. */
export type ServerActions = Readonly<
  Record<'openSettings' | 'setApiKey' | 'setToken' | 'chooseContext' | 'manageTrust', StatusAction>
>;

/**
 * What the status list says of the Amplifier server. That none answers wants nobody's attention until somebody uses it: most
 * people have none.
 */
export function serverStatus(
  { isTrusted, server, news, isOwn = false, keyProblem }: ServerSituation,
  actions: ServerActions,
): Pick<FeatureStatus, 'state' | 'summary' | 'actions'> {
  const { openSettings, setApiKey, setToken, chooseContext, manageTrust } = actions;
  if (!isTrusted) {
    const summary = 'Amplifier is not used in an untrusted workspace.';
    return { state: 'off', summary, actions: [manageTrust] };
  }
  if ('problem' in server) return { state: 'attention', summary: server.problem, actions: [openSettings] };
  const { origin } = server.url;
  if (isOwn) return { state: 'off', summary: ownServerMessage(server.url), actions: [openSettings] };
  switch (news.kind) {
    case 'notAsked':
      return { state: 'off', summary: `Checking for a server at ${origin}…`, actions: [openSettings] };
    case 'answers': {
      const summary = `${news.version === undefined ? 'A server' : `Version ${news.version}`} answers at ${origin}.`;
      if (keyProblem !== undefined) {
        return { state: 'attention', summary: `${summary} ${keyProblem}`, actions: [openSettings, setApiKey] };
      }
      return { state: 'ready', summary, actions: [setApiKey, chooseContext, openSettings] };
    }
    case 'unreachable': {
      const summary = `No server answers at ${server.url.host}. Start it, or change the settings.`;
      return { state: 'off', summary, actions: [openSettings, setToken, setApiKey] };
    }
    case 'needsToken':
    case 'unusable':
      return { state: 'off', summary: news.message, actions: [setToken, openSettings] };
    case 'missed':
      return { state: 'attention', summary: news.message, actions: [openSettings, setToken] };
  }
}
