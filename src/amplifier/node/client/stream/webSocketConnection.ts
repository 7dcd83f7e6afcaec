import type { RawData, WebSocket } from 'ws';
import * as z from 'zod';
import { toDisposable } from '../../../../base/common/disposable';
import { parseJson } from '../../../../base/common/parseJson';
import { OutgoingWebSocket } from '../../../../wire/node/outgoingWebSocket';
import { AmplifierApiError } from '../../../common/api/apiErrors';
import { lastEventIdHeader, type EventConnectionRequest, type EventConnectionOpener } from './eventConnection';
import { readErrorResponse, toTransportError } from '../http/httpRequest';

/** Opens a WebSocket, which is the alternative to SSE in the API reference. Each message is one event. */
export const openWebSocketConnection: EventConnectionOpener = (options, handlers) => {
  const socket = open(options);
  let isOpen = false;
  let ended = false;
  const close = (): boolean => {
    if (ended) return false;
    ended = true;
    socket.terminate();
    return true;
  };
  const end = (error: AmplifierApiError): void => {
    if (close()) handlers.onEnd(error);
  };
  socket.on('open', () => {
    isOpen = true;
    if (!ended) handlers.onOpen();
  });
  socket.on('message', (data) => {
    if (ended) return;
    handlers.onActivity();
    const text = textOf(data);
    const id = idOf(text);
    if (id !== undefined) handlers.onId(id);
    handlers.onMessage({ data: text });
  });
  socket.on('ping', () => {
    if (ended) return;
    handlers.onActivity();
    handlers.onKeepAlive();
  });
  // If a message is too long, `ws` closes the connection, and the stream reconnects.
  socket.on('close', (code) => {
    if (code === tooBig && !ended) handlers.onOversize();
    end(new AmplifierApiError('CONNECTION_LOST', 'The server closed the stream'));
  });
  socket.on('unexpected-response', (_request, response) => {
    void readErrorResponse(response, options.redact).then(end);
  });
  socket.on('error', (error) => {
    if (!ended && 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') handlers.onOversize();
    end(toTransportError(error, options.url, isOpen));
  });
  return toDisposable(() => void close());
};

const tooBig = 1009;
const closeTimeoutMs = 1000;

/** Stops the turn over a separate WebSocket. @throws AmplifierApiError if the server has no WebSocket */
export function sendStopOverWebSocket(request: EventConnectionRequest): Promise<void> {
  const socket = open(request);
  return new Promise((resolve, reject) => {
    socket.on('open', () => {
      socket.send(JSON.stringify({ action: 'stop' }));
      socket.close();
      setTimeout(() => socket.terminate(), closeTimeoutMs).unref();
    });
    socket.on('close', () => resolve());
    socket.on('unexpected-response', (_request, response) => {
      void readErrorResponse(response, request.redact).then((error) => {
        reject(error);
        socket.terminate();
      });
    });
    socket.on('error', (error) => reject(toTransportError(error, request.url, false)));
  });
}

function open(request: EventConnectionRequest): WebSocket {
  const { http, headers, maxEventLength, connectTimeoutMs, lastEventId } = request;
  const url = new URL(request.url);
  const lastId = lastEventIdHeader(lastEventId);
  // The id is in the header and in the query, because some servers and proxies only pass on one of them.
  if (lastEventId !== undefined && 'Last-Event-ID' in lastId) url.searchParams.set('last_event_id', lastEventId);
  return new OutgoingWebSocket(http, url, [], {
    headers: { ...headers, ...lastId },
    handshakeTimeout: connectTimeoutMs,
    maxPayload: maxEventLength,
  });
}

const Numbered = z.object({ id: z.union([z.string().regex(/^[\x20-\x7e]{1,200}$/u), z.number().int()]) });

/** Returns the event id in a message, if the server numbers its events. */
function idOf(text: string): string | undefined {
  // This check avoids parsing every message twice.
  if (!text.includes('"id"')) return undefined;
  return Numbered.safeParse(parseJson(text)).data?.id.toString();
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString('utf8');
}
