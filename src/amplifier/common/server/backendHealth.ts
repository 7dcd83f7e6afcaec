import type { BackendHealth } from '../../../session/common/backendRegistry';
import type { ServerAvailability } from './serverMonitor';

/** Converts what is known of the server at `url` for the list of backends. */
export function toBackendHealth(news: ServerAvailability, url: URL): BackendHealth {
  switch (news.kind) {
    case 'notAsked':
      return { kind: 'asking' };
    case 'answers':
      return news;
    case 'unreachable': {
      const hint = 'Start it, or check amplifier.server.host and amplifier.server.port.';
      return { kind: 'silent', message: `No Amplifier server is running at ${url.host}. ${hint}` };
    }
    case 'needsToken':
      return news;
    case 'unusable':
    case 'missed':
      return { kind: 'silent', message: news.message };
  }
}
