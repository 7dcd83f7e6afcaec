import { WebSocket, type RawData } from 'ws';
import { toDisposable } from '../../../base/common/disposable';
import { AmplifierApiError, parseApiError } from '../../common/apiErrors';
import { ControlMessage } from '../../common/apiSchema';
import type { EventConnectionRequest, OpenEventConnection } from './eventConnection';
import { transportError } from './httpRequest';

/** The WebSocket alternative of the API reference: one event a message. */
export const openWebSocketConnection: OpenEventConnection = (options, handlers) => {
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
    handlers.onMessage({ data: textOf(data) });
  });
  socket.on('ping', () => {
    if (ended) return;
    handlers.onActivity();
    handlers.onKeepAlive();
  });
  // A message over the cap closes a WebSocket by its protocol; the stream opens another.
  socket.on('close', (code) => {
    if (code === tooBig && !ended) handlers.onOversize();
    end(new AmplifierApiError('CONNECTION_LOST', 'The server closed the stream'));
  });
  socket.on('unexpected-response', (_request, response) => {
    response.resume();
    end(parseApiError(response.statusCode ?? 0, ''));
  });
  socket.on('error', (error) => {
    if (!ended && 'code' in error && error.code === 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH') handlers.onOversize();
    end(transportError(error, options.url, isOpen));
  });
  return toDisposable(() => void close());
};

const tooBig = 1009;
const closeTimeoutMs = 1000;

/**
 * Opens the WebSocket alternative only to say one thing. Resolves when it is said and the server, if it does within a second,
 * has closed. @throws AmplifierApiError when there is no WebSocket.
 */
export function sendControl(request: EventConnectionRequest, message: ControlMessage): Promise<void> {
  const socket = open(request);
  return new Promise((resolve, reject) => {
    socket.on('open', () => {
      socket.send(JSON.stringify(ControlMessage.parse(message)));
      socket.close();
      setTimeout(() => socket.terminate(), closeTimeoutMs).unref();
    });
    socket.on('close', () => resolve());
    socket.on('unexpected-response', (_request, response) => {
      response.resume();
      reject(parseApiError(response.statusCode ?? 0, ''));
      socket.terminate();
    });
    socket.on('error', (error) => reject(transportError(error, request.url, false)));
  });
}

function open({ url, headers, maxEventLength, connectTimeoutMs }: EventConnectionRequest): WebSocket {
  return new WebSocket(url, {
    headers: { ...headers },
    handshakeTimeout: connectTimeoutMs,
    maxPayload: maxEventLength,
    perMessageDeflate: false,
    followRedirects: false,
  });
}

function textOf(data: RawData): string {
  if (Array.isArray(data)) return Buffer.concat(data).toString('utf8');
  return (data instanceof ArrayBuffer ? Buffer.from(data) : data).toString('utf8');
}
