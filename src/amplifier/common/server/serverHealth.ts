import type { BackendHealth } from '../../../session/common/backendRegistry';
import type { ServerNews } from './serverWatch';

/** What who chooses a backend is told of the server at `url`. */
export function serverHealth(news: ServerNews, url: URL): BackendHealth {
  switch (news.kind) {
    case 'notAsked':
      return { kind: 'asking' };
    case 'answers':
      return news;
    case 'unreachable': {
      const what = `No Amplifier server answers at ${url.host}.`;
      return {
        kind: 'silent',
        message: `${what} Start it, or correct amplifier.server.host and amplifier.server.port.`,
      };
    }
    case 'needsToken':
      return news;
    case 'unusable':
    case 'missed':
      return { kind: 'silent', message: news.message };
  }
}
