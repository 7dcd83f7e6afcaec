import type * as http from 'node:http';
import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { createKeepAliveAgent, type OutgoingHttp } from '../../../wire/node/outgoingHttp';
import { RemoteAgentError, statusError, toRemoteError } from './remoteErrors';
import type { RemoteLimits } from './remoteLimits';

interface NodeFetchDeps {
  readonly http: OutgoingHttp;
  readonly url: URL;
  /** The URL without its secret parts, for messages. */
  readonly where: string;
  readonly clock: Clock;
  readonly limits: RemoteLimits;
  /** Whether the end of a session's stream is expected, because the session was closed. */
  readonly isSessionOver: (sessionId: string) => boolean;
}

const sessionHeader = 'acp-session-id';

/**
 * The part of `fetch` that the SDK's HTTP client uses, over `OutgoingHttp`. A stream of server-sent events that
 * ends, fails or becomes silent fails the connection, because the messages in between are lost. Dispose to close all sockets.
 */
export class NodeFetch implements Disposable {
  private readonly httpAgent: http.Agent;
  private hasAnswered = false;
  private isDisposed = false;

  constructor(private readonly deps: NodeFetchDeps) {
    // The time limit only closes sockets that no request uses.
    this.httpAgent = createKeepAliveAgent(deps.url, { maxFreeSockets: 4, timeout: deps.limits.idleSocketMs });
  }

  /** @throws RemoteAgentError */
  readonly fetch = async (_url: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const { where } = this.deps;
    const { method = 'GET' } = init;
    const headers = new Headers(init.headers);
    const answer = await this.send(method, headers, init);
    const { statusCode = 0 } = answer;
    this.hasAnswered = true;
    const isBad = statusCode < 200 || statusCode >= 300;
    // The SDK reports a failed POST. Without a stream, the connection is useless, so it ends.
    if (isBad && method === 'GET') {
      answer.destroy();
      throw statusError(statusCode, where);
    }
    if (method === 'GET') return this.toResponse(answer, this.streamOf(answer, headers.get(sessionHeader)));
    return this.toResponse(
      answer,
      bodyOf(answer, (error) => toRemoteError(error, where, true)),
    );
  };

  dispose(): void {
    this.isDisposed = true;
    this.httpAgent.destroy();
  }

  private toResponse(answer: http.IncomingMessage, body: ReadableStream<Uint8Array>): Response {
    const { headersDistinct, statusCode = 0 } = answer;
    const headers = new Headers();
    for (const [name, values = []] of Object.entries(headersDistinct)) {
      for (const value of values) headers.append(name, value);
    }
    if (statusCode === 204 || statusCode === 205) {
      answer.resume();
      return new Response(null, { status: statusCode, headers });
    }
    if (statusCode < 200 || statusCode > 599) throw statusError(statusCode, this.deps.where);
    return new Response(body, { status: statusCode, headers });
  }

  private send(method: string, headers: Headers, { body, signal }: RequestInit): Promise<http.IncomingMessage> {
    const { clock, limits, url, where } = this.deps;
    const text = typeof body === 'string' ? body : undefined;
    if (text !== undefined) headers.set('Content-Length', String(Buffer.byteLength(text)));
    return new Promise((resolve, reject) => {
      let isSettled = false;
      // The final request may follow a failure of all pooled sockets, so it gets its own socket.
      const agent = method === 'DELETE' || this.isDisposed ? false : this.httpAgent;
      const request = this.deps.http.request(url, { method, headers: Object.fromEntries(headers), agent });
      const fail = (error: unknown): void => {
        settle();
        request.destroy();
        reject(toRemoteError(error, where, this.hasAnswered));
      };
      const late = (what: string, timeoutMs: number): RemoteAgentError => {
        const kind = this.hasAnswered ? 'silent' : 'unreachable';
        return new RemoteAgentError(kind, `${where} did not ${what} within ${timeoutMs / 1000} seconds.`);
      };
      const { answerTimeoutMs, connectTimeoutMs } = limits;
      const connecting = clock.setTimer(connectTimeoutMs, () => fail(late('accept a connection', connectTimeoutMs)));
      let answering: Disposable | undefined;
      // Counts from the last progress, because a long message takes long on a slow line.
      const awaitAnswer = (): void => {
        answering?.dispose();
        // The first response waits for the agent, which has its own time limit.
        if (this.hasAnswered && !isSettled)
          answering = clock.setTimer(answerTimeoutMs, () => fail(late('answer', answerTimeoutMs)));
      };
      const abort = (): void => fail(new RemoteAgentError('lost', `The connection to ${where} was closed.`));
      const settle = (): void => {
        isSettled = true;
        connecting.dispose();
        answering?.dispose();
        signal?.removeEventListener('abort', abort);
      };
      request.on('socket', (socket) => {
        socket.setKeepAlive(true, 30_000);
        if (!socket.connecting) connecting.dispose();
        else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => connecting.dispose());
      });
      request.on('error', fail);
      request.on('response', (answer) => {
        settle();
        // The signal also ends the body of a response.
        const end = (): void => void answer.destroy();
        signal?.addEventListener('abort', end, { once: true });
        answer.once('close', () => signal?.removeEventListener('abort', end));
        resolve(answer);
      });
      if (signal?.aborted) abort();
      else signal?.addEventListener('abort', abort, { once: true });
      awaitAnswer();
      writeInPieces(request, text, awaitAnswer);
    });
  }

  /** A stream of events. Comments are keep-alives: after the first one, silence means that the connection is lost. */
  private streamOf(answer: http.IncomingMessage, sessionId: string | null): ReadableStream<Uint8Array> {
    const { clock, isSessionOver, limits, where } = this.deps;
    let lastByteAtMs = clock.monotonicNow();
    let hasSignsOfLife = false;
    let timer: Disposable | undefined;
    const watch = (): void => {
      timer = clock.setTimer(limits.silenceMs / 3, () => {
        if (hasSignsOfLife && clock.monotonicNow() - lastByteAtMs >= limits.silenceMs) {
          const message = `The connection to ${where} was lost: nothing has arrived for ${limits.silenceMs / 1000} seconds.`;
          answer.destroy(new RemoteAgentError('silent', message));
        } else watch();
      });
    };
    watch();
    answer.on('data', (chunk: Buffer) => {
      lastByteAtMs = clock.monotonicNow();
      if (chunk[0] === colon) hasSignsOfLife = true;
    });
    answer.once('close', () => timer?.dispose());
    const ended = (): Error | undefined =>
      sessionId !== null && isSessionOver(sessionId)
        ? undefined
        : new RemoteAgentError('lost', `The connection to ${where} was closed by the server.`);
    return bodyOf(answer, (error) => toRemoteError(error, where, true), ended);
  }
}

/** Size of the pieces of a body in bytes. */
const pieceBytes = 64 * 1024;

/** Sends the body of a request. Calls `onProgress` whenever the network has taken a piece of it. */
function writeInPieces(request: http.ClientRequest, text: string | undefined, onProgress: () => void): void {
  const body = Buffer.from(text ?? '');
  const writeFrom = (start: number): void => {
    if (request.destroyed) return;
    if (body.length - start <= pieceBytes) {
      request.once('finish', onProgress);
      request.end(start === body.length ? undefined : body.subarray(start));
      return;
    }
    const end = start + pieceBytes;
    request.write(body.subarray(start, end), (error) => {
      if (error) return;
      onProgress();
      writeFrom(end);
    });
  };
  writeFrom(0);
}

const colon = 0x3a;

/** Maximum number of bytes that are read from an unneeded body, so that its socket can be reused. */
const maxUnwantedBytes = 64 * 1024;

/** For a stream, `ended` returns an error if its end was not expected. */
function bodyOf(
  answer: http.IncomingMessage,
  explain: (error: unknown) => Error,
  ended?: () => Error | undefined,
): ReadableStream<Uint8Array> {
  let isSettled = false;
  let unwantedBytes = 0;
  const settle = (action: () => void): void => {
    if (isSettled) return;
    isSettled = true;
    action();
  };
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const fail = (error: Error): void => settle(() => controller.error(error));
      answer.on('data', (chunk: Buffer) => {
        if (isSettled) {
          unwantedBytes += chunk.length;
          if (unwantedBytes > maxUnwantedBytes) answer.destroy();
          return;
        }
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 0) <= 0) answer.pause();
      });
      answer.on('error', (error) => fail(explain(error)));
      answer.on('end', () => {
        const problem = ended?.();
        if (problem) fail(problem);
        else settle(() => controller.close());
      });
      // An incomplete response ends without the event `end`.
      answer.on('close', () => fail(explain(new Error('closed'))));
    },
    pull() {
      answer.resume();
    },
    cancel() {
      isSettled = true;
      if (ended) answer.destroy();
      else answer.resume();
    },
  });
}
