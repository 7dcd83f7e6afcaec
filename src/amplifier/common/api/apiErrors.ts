import { proxySignInAdvice } from '../../../wire/common/connectionProblem';
import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import { BackendError, type BackendErrorCode } from '../../../session/common/sessionBackend';

interface ErrorFacts {
  /** HTTP status according to the API reference. Undefined for errors without an HTTP response. */
  readonly httpStatus?: number;
  readonly backend: BackendErrorCode;
  readonly advice: string;
}

const seeServerLog = 'Check the log of the Amplifier server.';
/** Advice for a session that the server has lost. The next prompt creates a new session. */
export const promptAgainAdvice = 'Send your prompt again to continue in a new session.';
const setKey = 'Run the command "Backline: Set Amplifier API Key".';

export const documentedErrors = {
  INVALID_REQUEST: { httpStatus: 400, backend: 'invalidRequest', advice: 'Check the profile and the model.' },
  MISSING_CREDENTIALS: { httpStatus: 401, backend: 'authRequired', advice: setKey },
  INVALID_API_KEY: { httpStatus: 401, backend: 'authRequired', advice: setKey },
  API_KEY_UNAUTHORIZED: { httpStatus: 403, backend: 'authRequired', advice: 'Use another API key or another model.' },
  RATE_LIMITED: { httpStatus: 429, backend: 'backend', advice: 'Wait a minute and try again.' },
  SESSION_NOT_FOUND: { httpStatus: 404, backend: 'notFound', advice: promptAgainAdvice },
  PROFILE_NOT_FOUND: { httpStatus: 404, backend: 'notFound', advice: 'Choose another profile.' },
  SESSION_BUSY: { httpStatus: 409, backend: 'busy', advice: 'Wait for the running turn or stop it.' },
  APPROVAL_TIMEOUT: { httpStatus: 408, backend: 'approvalResolved', advice: 'No approvals are pending.' },
  APPROVAL_INVALID: { httpStatus: 400, backend: 'approvalInvalid', advice: 'Choose one of the listed options.' },
  SERVER_ERROR: { httpStatus: 500, backend: 'backend', advice: seeServerLog },
  MODULE_LOAD_FAILED: { httpStatus: 500, backend: 'backend', advice: 'Check the modules of the profile.' },
  PROVIDER_ERROR: { httpStatus: 502, backend: 'backend', advice: 'The model provider failed. Try again.' },
  PROVIDER_UNAVAILABLE: { httpStatus: 503, backend: 'backend', advice: 'Try again later.' },
} as const satisfies Record<string, ErrorFacts>;

/** Codes of the real server that the API reference does not contain. */
const real = {
  NO_PENDING_APPROVAL: { httpStatus: 400, backend: 'approvalResolved', advice: 'No approval is pending.' },
  SESSION_CREATE_FAILED: { httpStatus: 500, backend: 'backend', advice: 'Check the profile or choose another one.' },
  PROFILE_LIST_FAILED: { httpStatus: 500, backend: 'backend', advice: 'Enter the name of a profile instead.' },
  PROFILE_LOAD_FAILED: { httpStatus: 500, backend: 'backend', advice: 'Enter the name of a profile instead.' },
  PROMPT_SUBMIT_FAILED: { httpStatus: 500, backend: 'backend', advice: seeServerLog },
  APPROVAL_FAILED: { httpStatus: 500, backend: 'backend', advice: 'Stop the turn if it should not continue.' },
  SESSION_DELETE_FAILED: { httpStatus: 500, backend: 'backend', advice: seeServerLog },
} as const satisfies Record<string, ErrorFacts>;

const tokenMissing = 'The Amplifier server requires a valid token.';
const setToken = 'Run the command "Backline: Set Amplifier Server Token".';
const checkAddress = 'Check amplifier.server.host and amplifier.server.port.';

const local = {
  UNREACHABLE: { backend: 'notReady', advice: `Start the Amplifier server. ${checkAddress}` },
  // The messages of these two say what to do.
  CERTIFICATE: { backend: 'notReady', advice: '' },
  PROXY: { backend: 'notReady', advice: '' },
  PROXY_SIGN_IN: { httpStatus: 407, backend: 'notReady', advice: proxySignInAdvice },
  CONNECTION_LOST: { backend: 'notReady', advice: 'Try again once the server is back.' },
  TIMEOUT: { backend: 'timeout', advice: 'Try again. If the problem persists, restart the Amplifier server.' },
  CANCELLED: { backend: 'cancelled', advice: '' },
  REDIRECTED: { backend: 'protocol', advice: `Redirects are not followed. ${checkAddress}` },
  UNEXPECTED_CONTENT_TYPE: {
    backend: 'protocol',
    advice: `The server may not be an Amplifier server. ${checkAddress}`,
  },
  INVALID_RESPONSE: { backend: 'protocol', advice: `The server may not be an Amplifier server. ${checkAddress}` },
  RESPONSE_TOO_LARGE: { backend: 'protocol', advice: seeServerLog },
  NOT_FOUND: { httpStatus: 404, backend: 'unsupported', advice: 'The server does not support this.' },
  METHOD_NOT_ALLOWED: { httpStatus: 405, backend: 'unsupported', advice: 'The server does not support this.' },
  UNAUTHORIZED: { httpStatus: 401, backend: 'authRequired', advice: setToken },
  FORBIDDEN: { httpStatus: 403, backend: 'authRequired', advice: `${setToken} ${checkAddress}` },
} as const satisfies Record<string, ErrorFacts>;

const facts: ReadonlyMap<string, ErrorFacts> = new Map(Object.entries({ ...documentedErrors, ...real, ...local }));

export type DocumentedErrorCode = keyof typeof documentedErrors;

/** An error of the Amplifier API, of the connection to it, or an invalid response. */
export class AmplifierApiError extends Error {
  override readonly name = 'AmplifierApiError';
  constructor(
    /** A code of the API reference, another code of the server, or a code of `local`. */
    readonly code: string,
    message: string,
    readonly httpStatus?: number,
    readonly details?: unknown,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** A sentence that explains to the user what to do. May be empty. */
  get advice(): string {
    return (facts.get(this.code) ?? fallbackFacts(this.httpStatus)).advice;
  }

  toBackendError(): BackendError {
    const { backend } = facts.get(this.code) ?? fallbackFacts(this.httpStatus);
    const said = [this.code, ...(this.details === undefined ? [] : [JSON.stringify(this.details)])];
    // The server's message is replaced, because it is meant for developers of clients.
    const isTokenMissing = this.code === 'UNAUTHORIZED';
    if (isTokenMissing) said.push(this.message);
    const message = joinSentences(isTokenMissing ? tokenMissing : this.message, this.advice);
    return new BackendError(backend, message, said.join(' '), { cause: this });
  }
}

/** Also recognizes errors from other bundles, which have their own copy of the class. */
export function isAmplifierApiError(error: unknown): error is AmplifierApiError {
  return error instanceof Error && error.name === 'AmplifierApiError';
}

function fallbackFacts(httpStatus: number | undefined): ErrorFacts {
  return httpStatus !== undefined && httpStatus < 500
    ? { backend: 'invalidRequest', advice: '' }
    : { backend: 'backend', advice: seeServerLog };
}

function joinSentences(first: string, second: string): string {
  const ended = /[.!?]$/u.test(first) ? first : `${first}.`;
  return second === '' ? ended : `${ended} ${second}`;
}

const Coded = z.object({ code: z.string().min(1), message: z.string().optional(), details: z.unknown().optional() });
const Wrapped = z.union([
  z.object({ error: Coded }).transform(({ error }) => error),
  z.object({ detail: z.object({ error: Coded }) }).transform(({ detail }) => detail.error),
]);
const PlainDetail = z.object({ detail: z.string() });
/** Describes validation errors by field. Omits the values, which may contain a key. */
const FieldErrors = z.object({
  detail: z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])).default([]), msg: z.string() })),
});

const maxPlainLength = 200;

/** Parses the body of an error response. Accepts all formats that servers are known to send. */
export function parseApiError(httpStatus: number, body: string): AmplifierApiError {
  const json = parseJson(body);
  const wrapped = Wrapped.safeParse(json).data;
  if (wrapped) {
    const { code, message = code, details } = wrapped;
    return new AmplifierApiError(code, message, httpStatus, details);
  }
  const fields = FieldErrors.safeParse(json).data;
  if (fields) {
    const message = fields.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
    return new AmplifierApiError('INVALID_REQUEST', `The server refused the request: ${message}`, httpStatus);
  }
  const detail = PlainDetail.safeParse(json).data?.detail;
  const plain = detail ?? (json === undefined && !/^\s*</u.test(body) ? body.trim().slice(0, maxPlainLength) : '');
  const what = plain === '' ? `HTTP ${httpStatus}` : `HTTP ${httpStatus}: ${plain}`;
  return new AmplifierApiError(codeOfStatus(httpStatus), `The server responded with ${what}`, httpStatus);
}

/** Codes for responses without a code. A plain 404 or 405 means a missing route, not a missing session. */
const codesOfStatus: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_REQUEST'],
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
  [407, 'PROXY_SIGN_IN'],
  [409, 'SESSION_BUSY'],
  [422, 'INVALID_REQUEST'],
  [429, 'RATE_LIMITED'],
  [501, 'NOT_FOUND'],
  [502, 'PROVIDER_ERROR'],
  [503, 'PROVIDER_UNAVAILABLE'],
]);

function codeOfStatus(httpStatus: number): string {
  if (httpStatus >= 300 && httpStatus < 400) return 'REDIRECTED';
  return codesOfStatus.get(httpStatus) ?? (httpStatus >= 500 ? 'SERVER_ERROR' : `HTTP_${httpStatus}`);
}

/** Whether the error means that the server does not have the route. A missing session is another error. */
export function isMissingRouteError(error: unknown): boolean {
  return isAmplifierApiError(error) && (error.code === 'NOT_FOUND' || error.code === 'METHOD_NOT_ALLOWED');
}

/** Whether the request may never have reached the server. */
export function isTransportError(error: unknown): boolean {
  return isAmplifierApiError(error) && error.httpStatus === undefined && error.code !== 'CANCELLED';
}
