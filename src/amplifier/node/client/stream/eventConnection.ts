import type { Disposable } from '../../../../base/common/disposable';
import type { OutgoingHttp } from '../../../../wire/node/outgoingHttp';
import type { AmplifierApiError } from '../../../common/api/apiErrors';
import type { StreamMessage } from '../../../common/api/streamMessages';

/** Callbacks of one SSE or WebSocket connection. None is called after `onEnd` or `dispose`. */
export interface EventConnectionHandlers {
  readonly onOpen: () => void;
  readonly onActivity: () => void;
  readonly onKeepAlive: () => void;
  readonly onMessage: (message: StreamMessage) => void;
  /** An event longer than `maxEventLength` was discarded. The connection continues. */
  readonly onOversize: () => void;
  readonly onId: (id: string) => void;
  /** The server has changed the delay before reconnecting. */
  readonly onRetry: (delayMs: number) => void;
  /** The connection has ended. Called once. An error without `httpStatus` is a connection error. */
  readonly onEnd: (error: AmplifierApiError) => void;
}

export interface EventConnectionRequest {
  readonly http: OutgoingHttp;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly lastEventId?: string;
  /** Maximum length of an event, in UTF-16 units. */
  readonly maxEventLength: number;
  readonly connectTimeoutMs: number;
  readonly redact: (text: string) => string;
}

export type EventConnectionOpener = (request: EventConnectionRequest, handlers: EventConnectionHandlers) => Disposable;

/** Maximum length of an event id, in bytes. A server could refuse a request with a longer header. */
const maxIdLength = 1024;

/**
 * Returns the header with the id of the last received event, in UTF-8 like browsers send it. Returns no header if the
 * id is too long or invalid.
 */
export function lastEventIdHeader(id: string | undefined): Readonly<Record<string, string>> {
  const bytes = Buffer.from(id ?? '', 'utf8');
  const isFit = bytes.length > 0 && bytes.length <= maxIdLength && !/\p{Cc}/u.test(id ?? '');
  // Node.js writes header values in the encoding latin1, which keeps the bytes.
  return isFit ? { 'Last-Event-ID': bytes.toString('latin1') } : {};
}
