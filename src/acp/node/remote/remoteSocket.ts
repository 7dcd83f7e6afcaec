import type { WebSocketConstructor } from '@agentclientprotocol/sdk/experimental/ws-client';
import type { WebSocket } from 'ws';
import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import type { OutgoingHttp } from '../../../wire/node/outgoingHttp';
import { OutgoingWebSocket } from '../../../wire/node/outgoingWebSocket';
import { RemoteAgentError, statusError } from './remoteErrors';
import type { RemoteLimits } from './remoteLimits';

interface RemoteSocketDeps {
  readonly http: OutgoingHttp;
  readonly where: string;
  readonly clock: Clock;
  readonly limits: RemoteLimits;
  /** Removes secrets from the server's reason for closing the connection. */
  readonly redact: (text: string) => string;
  readonly onCreate: (socket: Pick<WebSocket, 'terminate'>) => void;
}

/**
 * The WebSocket that the SDK's client uses. Failures other than network errors are reported as `error` with a RemoteAgentError.
 */
export function remoteSocketClass(deps: RemoteSocketDeps): WebSocketConstructor {
  const { clock, http, limits, onCreate, redact, where } = deps;
  return class RemoteSocket extends OutgoingWebSocket {
    private pingTimer: Disposable | undefined;
    private isAlive = true;

    constructor(url: string, protocols: string | string[] = [], options: { headers?: Record<string, string> } = {}) {
      super(http, url, protocols, {
        ...options,
        handshakeTimeout: limits.connectTimeoutMs,
        maxPayload: limits.maxMessageBytes,
      });
      onCreate(this);
      // The SDK stops listening after the first error, but more can follow.
      this.on('error', () => undefined);
      this.on('unexpected-response', (_request, response) => {
        response.destroy();
        this.fail(statusError(response.statusCode ?? 0, where));
      });
      this.on('open', () => this.startHeartbeatTimer());
      for (const sign of ['message', 'ping', 'pong'] as const) this.on(sign, () => this.recordHeartbeat());
      this.on('close', (code, reason) => {
        this.pingTimer?.dispose();
        this.emit('error', closeError(code, redact(reason.toString('utf8')), where));
      });
    }

    private recordHeartbeat(): void {
      this.isAlive = true;
    }

    private startHeartbeatTimer(): void {
      this.pingTimer = clock.setTimer(limits.pingMs, () => {
        if (this.isAlive) {
          this.isAlive = false;
          this.ping();
          this.startHeartbeatTimer();
        } else {
          const message = `The connection to ${where} was lost: the server did not answer for ${limits.pingMs / 1000} seconds.`;
          this.fail(new RemoteAgentError('silent', message));
        }
      });
    }

    private fail(error: RemoteAgentError): void {
      this.emit('error', error);
      this.terminate();
    }
  };
}

const tooBig = 1009;
const policyViolation = 1008;

function closeError(code: number, reason: string, where: string): RemoteAgentError {
  if (code === tooBig) return new RemoteAgentError('tooLarge', `A message was too large for ${where}.`);
  if (code === policyViolation) return new RemoteAgentError('refused', `${where} ended the connection (${code}).`);
  const words = /^[\p{L}\p{N} .,'[\]-]{1,80}$/u.test(reason) ? `, ${reason}` : '';
  return new RemoteAgentError('lost', `The connection to ${where} was lost (${code}${words}).`);
}
