import type { Stream } from '@agentclientprotocol/sdk';
import { createHttpStream } from '@agentclientprotocol/sdk/experimental/http-client';
import { createWebSocketStream } from '@agentclientprotocol/sdk/experimental/ws-client';
import type { WebSocket } from 'ws';
import { withDeadline, type Clock } from '../../../base/common/async';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { MessageStream } from '../../../wire/common/messageStream';
import type { AgentHeaders } from '../../common/remote/agentHeaders';
import { isWebSocketUrl, shownUrl } from '../../common/remote/agentUrl';
import type { AgentExit } from '../process/agentProcess';
import type { RunningAgent } from '../connection/agentConnection';
import type { OutgoingHttp } from '../../../wire/node/outgoingHttp';
import { LoadAnswerDelay } from './loadAnswerDelay';
import { NodeFetch } from './nodeFetch';
import { toRemoteError } from './remoteErrors';
import { defaultRemoteLimits, type RemoteLimits } from './remoteLimits';
import { remoteSocketClass } from './remoteSocket';
import { TransportStream } from './transportStream';

interface RemoteAddress {
  readonly url: string;
  /** Headers in which references to secrets are already replaced. */
  readonly headers: AgentHeaders;
}

interface RemoteAgentDeps {
  readonly http: OutgoingHttp;
  readonly clock: Clock;
  readonly log: Logger;
  /** Removes secrets from the server's reason for ending the connection. */
  readonly redact?: (text: string) => string;
  readonly limits?: Partial<RemoteLimits>;
}

/**
 * Connects to an agent by its URL. The connection is opened with the first message, so this never fails; later failures close the
 * stream with a RemoteAgentError. The caller must stop the result.
 */
export function connectToAgent(address: RemoteAddress, deps: RemoteAgentDeps): RemoteAgentLink {
  return new RemoteAgentLink(address, deps);
}

/** One connection to a remote agent. Used like the process of a local agent. */
class RemoteAgentLink implements RunningAgent {
  readonly stream: MessageStream;
  private readonly onListenerError = (error: unknown): void =>
    this.deps.log.error('A listener of a remote agent failed', error);
  private readonly endEmitter = new Emitter<AgentExit>(this.onListenerError);
  /** Fires once, when the connection has ended. */
  readonly onDidExit = this.endEmitter.event;
  private readonly limits: RemoteLimits;
  private readonly sockets = new Set<Pick<WebSocket, 'terminate'>>();
  private readonly nodeFetch: NodeFetch | undefined;
  private readonly transport: TransportStream;
  private readonly loadAnswers: LoadAnswerDelay | undefined;
  private readonly messageEmitter = new Emitter<Record<string, unknown>>(this.onListenerError);
  private readonly closedSessions = new Set<string>();
  private hasHeard = false;

  constructor(
    { headers, url: text }: RemoteAddress,
    private readonly deps: RemoteAgentDeps,
  ) {
    const { clock, http, redact = (words: string) => words } = deps;
    const url = new URL(text);
    const where = shownUrl(text);
    const limits = (this.limits = { ...defaultRemoteLimits, ...deps.limits });
    let stream: Stream;
    if (isWebSocketUrl(url)) {
      const onCreate = (socket: Pick<WebSocket, 'terminate'>): void => void this.sockets.add(socket);
      const socketClass = remoteSocketClass({ http, where, clock, limits, redact, onCreate });
      stream = createWebSocketStream(text, { headers: { ...headers }, WebSocket: socketClass });
    } else {
      const isSessionOver = (id: string): boolean => this.closedSessions.has(id);
      this.nodeFetch = new NodeFetch({ http, url, where, clock, limits, isSessionOver });
      const { maxMessageBytes } = limits;
      stream = createHttpStream(text, { headers: { ...headers }, fetch: this.nodeFetch.fetch, maxMessageBytes });
      this.loadAnswers = new LoadAnswerDelay(clock, limits, (message) => this.messageEmitter.fire(message));
    }
    const explain = (error: unknown): Error => toRemoteError(error, where, this.hasHeard);
    this.transport = new TransportStream(stream, { explain, onListenerError: this.onListenerError });
    this.transport.onDidClose(() => {
      this.loadAnswers?.dispose();
      queueMicrotask(() => this.endEmitter.fire({ code: null, signal: null, stderrTail: '' }));
    });
    this.stream = this.createStream();
  }

  /** Empty, because a remote agent has no stderr here. */
  stderrTail(): string {
    return '';
  }

  /** Notifies the server and closes the connection. Never rejects. */
  async stop(): Promise<'closed'> {
    const { clock } = this.deps;
    const end = (): Promise<void> => this.transport.end();
    await withDeadline(clock, 'closing', this.limits.closeTimeoutMs, end).catch(() => undefined);
    this.killNow();
    return 'closed';
  }

  killNow(): void {
    this.transport.dispose();
    for (const socket of this.sockets) socket.terminate();
    this.nodeFetch?.dispose();
  }

  private createStream(): MessageStream {
    const { transport } = this;
    let isListening = false;
    return {
      onNoise: transport.onNoise,
      onDidClose: transport.onDidClose,
      onMessage: (listener) => {
        const subscription = this.messageEmitter.event(listener);
        if (!isListening) transport.onMessage((message) => this.receive(message));
        isListening = true;
        return subscription;
      },
      send: (message) => {
        this.recordSentMessage({ ...message });
        return transport.send(message);
      },
      dispose: () => transport.dispose(),
    };
  }

  private receive(message: Record<string, unknown>): void {
    this.hasHeard = true;
    if (this.loadAnswers) this.loadAnswers.receive(message);
    else this.messageEmitter.fire(message);
  }

  private recordSentMessage(message: Record<string, unknown>): void {
    const { method, params } = message;
    this.loadAnswers?.recordSentMessage(message);
    const sessionId: unknown =
      typeof params === 'object' && params !== null && 'sessionId' in params ? params.sessionId : undefined;
    if (typeof sessionId !== 'string') return;
    if (method === 'session/close' || method === 'session/delete') this.closedSessions.add(sessionId);
    else if (typeof method === 'string') this.closedSessions.delete(sessionId);
  }
}
