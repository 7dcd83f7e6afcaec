import type { Disposable } from '../../../../base/common/disposable';
import type { AmplifierApiError } from '../../../common/api/apiErrors';
import type { StreamMessage } from '../../../common/api/sseEvents';

/** One connection to a session's events, over SSE or the WebSocket alternative. Nothing is called after `onEnd` or `dispose`. */
export interface EventConnectionHandlers {
  readonly onOpen: () => void;
  /** Whatever came, keep-alives included. */
  readonly onActivity: () => void;
  /** Something came that says only that the server is there. */
  readonly onKeepAlive: () => void;
  readonly onMessage: (message: StreamMessage) => void;
  /** An event over the cap was thrown away; the connection goes on. */
  readonly onOversize: () => void;
  readonly onId: (id: string) => void;
  /** What the server asks clients to wait before they connect again. */
  readonly onRetry: (delayMs: number) => void;
  /** Called once; an error without `httpStatus` is one of the way to the server. */
  readonly onEnd: (error: AmplifierApiError) => void;
}

export interface EventConnectionRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly lastEventId?: string;
  /** UTF-16 units of one event. */
  readonly maxEventLength: number;
  /** For the answer's head to come. */
  readonly connectTimeoutMs: number;
  /** Takes secrets out of what the server says. */
  readonly redact: (text: string) => string;
}

/** Opens a connection; dispose the result to close it. */
export type OpenEventConnection = (request: EventConnectionRequest, handlers: EventConnectionHandlers) => Disposable;

/** Bytes; a longer id is not worth a request that is refused for its size. */
const maxIdLength = 1024;

/** Says after which event to go on: in UTF-8, as browsers say it. Nothing where no header can hold the id. */
export function lastEventIdHeader(id: string | undefined): Readonly<Record<string, string>> {
  const bytes = Buffer.from(id ?? '', 'utf8');
  const isFit = bytes.length > 0 && bytes.length <= maxIdLength && !/\p{Cc}/u.test(id ?? '');
  // A header is written byte by byte from the characters of its text.
  return isFit ? { 'Last-Event-ID': bytes.toString('latin1') } : {};
}
