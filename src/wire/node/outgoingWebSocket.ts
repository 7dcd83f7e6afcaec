import { WebSocket, type ClientOptions } from 'ws';
import type { OutgoingHttp } from './outgoingHttp';

/**
 * A WebSocket to another program. `ws` opens it with `node:http` and `node:https`, so it has the same proxy and trusts the same
 * certificates as all requests (`OutgoingHttp`). Redirects are not followed, and messages are not compressed.
 */
export class OutgoingWebSocket extends WebSocket {
  constructor(http: OutgoingHttp, url: string | URL, protocols: string | string[], options: ClientOptions) {
    super(url, protocols, { ...options, ...http.tlsOptions, followRedirects: false, perMessageDeflate: false });
  }
}
