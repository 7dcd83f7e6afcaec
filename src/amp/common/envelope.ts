import { ClientMessage } from './ampSchema';

/**
 * `document`: the method is inside `clientRequest.method` and its answer inside `serverResponse.result`.
 * `cli`: both are under the method's name, beside `id`. Errors look the same in both.
 */
export type AmpDialect = 'document' | 'cli';

export interface AmpRequest {
  /** The id as JSON text, as it came: in a frame up to `maxExactIdLength` also the spelling of a number. */
  readonly idJson: string;
  readonly dialect: AmpDialect;
  readonly method: string;
  /** Not checked yet. */
  readonly params: unknown;
}

/** A frame that is not a request. `idJson` is `null` unless the frame had an id that can be sent back. */
interface AmpRefusal {
  readonly idJson: string;
  readonly refusal: RequestError;
}

/** The JSON-RPC codes. */
export const ampErrorCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
} as const;

/** Why a request is answered with an error. The message says what to send instead. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  constructor(
    readonly code: number,
    message: string,
    readonly data?: Readonly<Record<string, unknown>>,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Takes one frame apart. Never throws. */
export function parseRequest(frame: string): AmpRequest | AmpRefusal {
  let json: unknown;
  try {
    json = JSON.parse(frame);
  } catch {
    return refuse('null', ampErrorCodes.parseError, 'Not JSON: send one JSON object in each message.');
  }
  const message = ClientMessage.safeParse(json);
  if (!message.success) {
    return refuseShape('null', 'send {"clientRequest":{"id":…,…}} with a string or a number as the id.');
  }
  const { id, ...methods } = message.data.clientRequest;
  const idJson = typeof id === 'string' ? JSON.stringify(id) : numberAsSent(id, frame);
  const inside = methods['method'];
  const dialect = isObject(inside) ? 'document' : 'cli';
  const [only, ...others] = Object.entries(isObject(inside) ? inside : methods);
  if (!only || others.length > 0) {
    return refuseShape(idJson, 'clientRequest needs its id and exactly one method, for example {"readFile":{…}}.');
  }
  return { idJson, dialect, method: only[0], params: only[1] };
}

/** The message that answers `request` with what its method returned. */
export function formatResult(request: AmpRequest, result: object): string {
  const key = request.dialect === 'document' ? '"result"' : JSON.stringify(request.method);
  return `{"serverResponse":{"id":${request.idJson},${key}:${JSON.stringify(result)}}}`;
}

export function formatError(idJson: string, error: RequestError): string {
  const { code, message, data } = error;
  return `{"serverResponse":{"id":${idJson},"error":${JSON.stringify({ code, message, data })}}}`;
}

function refuse(idJson: string, code: number, message: string): AmpRefusal {
  return { idJson, refusal: new RequestError(code, message) };
}

function refuseShape(idJson: string, advice: string): AmpRefusal {
  return refuse(idJson, ampErrorCodes.invalidRequest, `Not a request: ${advice}`);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Above this many UTF-16 units, reading the source text would keep the editor waiting: seconds for the largest frames. */
const maxExactIdLength = 64 * 1024;

/** Only the source text still says how a number was spelled. Reading it is slow, so it is done for unusual ones only. */
function numberAsSent(id: number, frame: string): string {
  if (frame.length > maxExactIdLength) return JSON.stringify(id);
  const isPlain = Number.isSafeInteger(id) && new RegExp(`"id"\\s*:\\s*${id}\\s*[,}]`, 'u').test(frame);
  if (isPlain) return JSON.stringify(id);
  const idSources = new Map<unknown, string>();
  const reviver = function (this: unknown, ...[key, value, context]: unknown[]): unknown {
    const source = key === 'id' ? sourceOf(context) : undefined;
    if (source !== undefined) idSources.set(this, source);
    return value;
  };
  try {
    const message: unknown = JSON.parse(frame, reviver);
    const holder = isObject(message) && 'clientRequest' in message ? message.clientRequest : undefined;
    return idSources.get(holder) ?? JSON.stringify(id);
  } catch {
    // Nested deeper than the reviver's recursion goes: the double's own digits have to do.
    return JSON.stringify(id);
  }
}

/** TypeScript does not know the reviver's third argument yet; Node.js has it since 21. */
function sourceOf(context: unknown): string | undefined {
  if (!isObject(context) || !('source' in context)) return undefined;
  return typeof context.source === 'string' ? context.source : undefined;
}
