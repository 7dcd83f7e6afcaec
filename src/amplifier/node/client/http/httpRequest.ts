import type * as http from 'node:http';
import { errorCode } from '../../../../base/common/errors';
import { certificateProblemOf, proxyProblemOf } from '../../../../wire/common/connectionProblem';
import type { OutgoingHttp } from '../../../../wire/node/outgoingHttp';
import { AmplifierApiError, parseApiError, isAmplifierApiError } from '../../../common/api/apiErrors';

const maxRefusalBytes = 64 * 1024;

interface HttpRequest {
  readonly http: OutgoingHttp;
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly httpAgent: http.Agent;
  /** Time limit for the complete response. It applies to each attempt separately. */
  readonly timeoutMs: number;
  readonly maxResponseBytes: number;
  readonly signal?: AbortSignal | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

/**
 * Sends a request.
 * @throws AmplifierApiError, for example `UNREACHABLE`, `CERTIFICATE`, `CONNECTION_LOST` or `TIMEOUT`
 */
export async function sendRequest(options: HttpRequest): Promise<HttpResponse> {
  try {
    return await sendOnce(options, options.httpAgent);
  } catch (error) {
    // A server may close an idle connection just before it is reused. Only a GET can be repeated safely.
    if (options.method !== 'GET' || !(isAmplifierApiError(error) && error.code === 'CONNECTION_LOST')) throw error;
    return await sendOnce(options, false);
  }
}

/** Sends a request once. If `agent` is false, the request gets its own connection. */
function sendOnce(options: HttpRequest, agent: http.Agent | false): Promise<HttpResponse> {
  const { method, url, headers, body, timeoutMs, maxResponseBytes, signal } = options;
  return new Promise((resolve, reject) => {
    let sawResponse = false;
    const request = options.http.request(url, {
      method,
      agent,
      headers: body === undefined ? headers : { ...headers, 'Content-Length': Buffer.byteLength(body) },
    });
    const timer = setTimeout(
      () => fail(new AmplifierApiError('TIMEOUT', `The server did not respond within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
    const cancel = (): void => fail(new AmplifierApiError('CANCELLED', 'Canceled'));
    const settle = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', cancel);
    };
    const fail = (error: AmplifierApiError): void => {
      settle();
      reject(error);
      request.destroy();
    };
    request.on('error', (error) => fail(toTransportError(error, url, sawResponse || request.reusedSocket)));
    request.on('response', (response) => {
      sawResponse = true;
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > maxResponseBytes) {
          fail(new AmplifierApiError('RESPONSE_TOO_LARGE', `The response exceeds ${maxResponseBytes} bytes`));
          return;
        }
        chunks.push(chunk);
      });
      response.on('error', (error) => fail(toTransportError(error, url, true)));
      response.on('end', () => {
        settle();
        const status = response.statusCode ?? 0;
        const contentType = response.headers['content-type'] ?? '';
        resolve({ status, contentType, body: Buffer.concat(chunks).toString('utf8') });
      });
    });
    if (signal?.aborted) {
      cancel();
      return;
    }
    signal?.addEventListener('abort', cancel, { once: true });
    request.end(body);
  });
}

/** Reads the error response to a stream request, up to a limit. Never rejects. */
export async function readErrorResponse(
  response: http.IncomingMessage,
  redact: (text: string) => string,
): Promise<AmplifierApiError> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    for await (const chunk of response) {
      if (!Buffer.isBuffer(chunk) || (length += chunk.length) > maxRefusalBytes) break;
      chunks.push(chunk);
    }
  } catch {
    // If the body cannot be read, the HTTP status is used alone.
  }
  return parseApiError(response.statusCode ?? 0, redact(Buffer.concat(chunks).toString('utf8')));
}

/** Converts a connection error. The message does not contain the text of the cause. */
export function toTransportError(error: Error, { origin }: URL, wasConnected: boolean): AmplifierApiError {
  const reason = errorCode(error) ?? 'unknown reason';
  const failure = (code: string, message: string): AmplifierApiError =>
    new AmplifierApiError(code, message, undefined, undefined, { cause: error });
  const problem = certificateProblemOf(reason);
  if (problem) {
    return failure('CERTIFICATE', `Nothing was sent to ${origin}: its certificate ${problem.what}. ${problem.advice}`);
  }
  const proxyProblem = proxyProblemOf(error);
  if (proxyProblem !== undefined) return failure('PROXY', `Nothing was sent to ${origin}. ${proxyProblem}`);
  return wasConnected
    ? failure('CONNECTION_LOST', `The connection to the Amplifier server at ${origin} was lost (${reason})`)
    : failure('UNREACHABLE', `No Amplifier server is running at ${origin} (${reason})`);
}
