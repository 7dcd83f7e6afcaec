import { isRecord } from '../../base/common/isRecord';
import { ClientMessage } from './ampSchema';

/** `document`: the method is in `method`, the result in `result`. `cli`: both are in a member with that name. */
export type AmpDialect = 'document' | 'cli';

export interface AmpRequest {
  /** The ID as JSON text. In frames up to `maxExactIdLength`, numbers keep their original spelling. */
  readonly idJson: string;
  readonly dialect: AmpDialect;
  readonly method: string;
  /** Parameters that were not validated yet. */
  readonly params: unknown;
}

/** A frame that is not a valid request. `idJson` is `null` unless the frame had a usable ID. */
interface InvalidRequest {
  readonly idJson: string;
  readonly error: RequestError;
}

export const ampErrorCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
} as const;

/** A request that is answered with an error. The message explains what to send instead. */
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

/** Parses a frame as a request of either dialect. Never throws. */
export function parseRequest(frame: string): AmpRequest | InvalidRequest {
  let json: unknown;
  try {
    json = JSON.parse(frame);
  } catch {
    return invalidRequest('null', ampErrorCodes.parseError, 'Not JSON: send one JSON object in each message.');
  }
  const message = ClientMessage.safeParse(json);
  if (!message.success) {
    return invalidShape('null', 'send {"clientRequest":{"id":…,…}} with a string or a number as the id.');
  }
  const { clientRequest } = message.data;
  const { id } = clientRequest;
  const idJson = typeof id === 'string' ? JSON.stringify(id) : originalNumber(id, frame);
  const inside = clientRequest['method'];
  const isDocumentDialect = isRecord(inside);
  const methods = isDocumentDialect ? inside : clientRequest;
  const names = Object.keys(methods).filter((key) => isDocumentDialect || key !== 'id');
  const [method] = names;
  if (method === undefined || names.length > 1) {
    return invalidShape(idJson, 'clientRequest needs its id and exactly one method, for example {"readFile":{…}}.');
  }
  return { idJson, dialect: isDocumentDialect ? 'document' : 'cli', method, params: methods[method] };
}

export function formatResult({ dialect, idJson, method }: AmpRequest, result: object): string {
  const member = dialect === 'document' ? 'result' : method;
  // Concatenated texts are copied again before they are sent, which takes long for a large file.
  const id = plainString.test(idJson) ? idJson.slice(1, -1) : undefined;
  if (id !== undefined) return JSON.stringify({ serverResponse: { id, [member]: result } });
  return `{"serverResponse":{"id":${idJson},${JSON.stringify(member)}:${JSON.stringify(result)}}}`;
}

/** A JSON string without escapes. */
const plainString = /^"[^"\\]*"$/u;

export function formatError(idJson: string, error: RequestError): string {
  const { code, message, data } = error;
  return `{"serverResponse":{"id":${idJson},"error":${JSON.stringify({ code, message, data })}}}`;
}

function invalidRequest(idJson: string, code: number, message: string): InvalidRequest {
  return { idJson, error: new RequestError(code, message) };
}

function invalidShape(idJson: string, advice: string): InvalidRequest {
  return invalidRequest(idJson, ampErrorCodes.invalidRequest, `Not a request: ${advice}`);
}

/** Maximum length of a frame whose tokens are read again, in UTF-16 units. A larger one would block the editor. */
const maxExactIdLength = 64 * 1024;

/** Returns a numeric ID as it was written. Only done for unusual numbers, because reading the source text is slow. */
function originalNumber(id: number, frame: string): string {
  if (frame.length > maxExactIdLength) return JSON.stringify(id);
  const isPlain = Number.isSafeInteger(id) && new RegExp(`"id"\\s*:\\s*${id}\\s*[,}]`, 'u').test(frame);
  if (isPlain) return JSON.stringify(id);
  return sourceOfRequestId(frame) ?? JSON.stringify(id);
}

const jsonTokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:,]|[^\s{}[\]:,"]+/gu;

/**
 * Returns the source text of a numeric `clientRequest.id` in a frame that is valid JSON; of the last one if there are several,
 * as `JSON.parse` does. Reads the tokens one by one, because a recursive reader fails for deeply nested frames.
 */
function sourceOfRequestId(frame: string): string | undefined {
  let depth = 0;
  let isInRequest = false;
  let found: string | undefined;
  let previous = '';
  /** The latest key of the message, and of the request. */
  const keys: unknown[] = [];
  for (const [token] of frame.matchAll(jsonTokens)) {
    if (token === ':') {
      if (depth <= 2) keys[depth] = JSON.parse(previous);
    } else if (token === '{' || token === '[') {
      depth++;
      if (depth === 2) isInRequest = token === '{' && keys[1] === 'clientRequest';
    } else if (token === '}' || token === ']') depth--;
    else if (token !== ',' && depth === 2 && isInRequest && keys[2] === 'id' && previous === ':') found = token;
    previous = token;
  }
  return found;
}
