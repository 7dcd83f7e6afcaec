import { StringDecoder } from 'node:string_decoder';
import { toDisposable } from '../../../../base/common/disposable';
import { AmplifierApiError } from '../../../common/api/apiErrors';
import { lastEventIdHeader, type EventConnectionOpener } from './eventConnection';
import { readErrorResponse, toTransportError } from '../http/httpRequest';
import { SseReader } from './sseReader';

const keepAliveMs = 30_000;

/** Opens an SSE connection. Not with `fetch`, which closes streams that are silent for some time. */
export const openSseConnection: EventConnectionOpener = (options, handlers) => {
  const { http, url, headers, lastEventId, maxEventLength, connectTimeoutMs, redact } = options;
  const request = http.request(url, {
    // The connection is not pooled, because a stream never returns its socket to the pool.
    agent: false,
    headers: {
      ...headers,
      Accept: 'text/event-stream',
      'Cache-Control': 'no-cache',
      ...lastEventIdHeader(lastEventId),
    },
  });
  let ended = false;
  let activity: NodeJS.Immediate | undefined;
  const connectTimer = setTimeout(
    () => end(new AmplifierApiError('TIMEOUT', `The stream did not open within ${connectTimeoutMs / 1000} s`)),
    connectTimeoutMs,
  );
  const close = (): boolean => {
    if (ended) return false;
    ended = true;
    clearTimeout(connectTimer);
    clearImmediate(activity);
    request.destroy();
    return true;
  };
  const end = (error: AmplifierApiError): void => {
    if (close()) handlers.onEnd(error);
  };
  let isOpen = false;
  request.on('error', (error) => end(toTransportError(error, url, isOpen)));
  request.on('socket', (socket) => socket.setKeepAlive(true, keepAliveMs).setNoDelay(true));
  request.on('response', (response) => {
    const status = response.statusCode ?? 0;
    const contentType = response.headers['content-type'] ?? '';
    response.on('error', (error) => end(toTransportError(error, url, true)));
    if (status !== 200) {
      void readErrorResponse(response, redact).then(end);
      return;
    }
    if (!/^text\/event-stream\b/iu.test(contentType)) {
      const message = `The server responded with "${redact(contentType).slice(0, 80)}" instead of an event stream`;
      end(new AmplifierApiError('UNEXPECTED_CONTENT_TYPE', message, status));
      return;
    }
    clearTimeout(connectTimer);
    isOpen = true;
    const reader = new SseReader(maxEventLength, handlers);
    const decoder = new StringDecoder('utf8');
    handlers.onOpen();
    response.on('data', (chunk: Buffer) => {
      if (ended) return;
      reader.feed(decoder.write(chunk));
      // Readers of the events must not wait for the bookkeeping.
      activity ??= setImmediate(() => {
        activity = undefined;
        if (!ended) handlers.onActivity();
      });
    });
    response.on('end', () => end(new AmplifierApiError('CONNECTION_LOST', 'The server closed the stream')));
  });
  request.end();
  return toDisposable(() => void close());
};
