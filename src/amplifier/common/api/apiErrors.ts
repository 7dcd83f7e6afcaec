import * as z from 'zod';
import { parseJson } from '../../../base/common/parseJson';
import { BackendError, type BackendErrorCode } from '../../../session/common/sessionBackend';

interface ErrorFacts {
  /** As the API reference has it; undefined for what never came as an HTTP answer. */
  readonly httpStatus?: number;
  readonly backend: BackendErrorCode;
  /** What the user can do. */
  readonly advice: string;
}

const seeServerLog = 'Check the log of the Amplifier server.';
/** For a session that the server has lost: whoever leads the conversation makes another one for the next prompt. */
export const promptAgain = 'Send your prompt again to continue in a new session.';
const setKey = 'Set it by the command "Backline: Set Amplifier API Key".';

/** The codes of the API reference. */
export const documentedErrors = {
  INVALID_REQUEST: { httpStatus: 400, backend: 'invalidRequest', advice: 'Check the profile and the model.' },
  MISSING_CREDENTIALS: { httpStatus: 401, backend: 'authRequired', advice: setKey },
  INVALID_API_KEY: { httpStatus: 401, backend: 'authRequired', advice: setKey },
  API_KEY_UNAUTHORIZED: {
    httpStatus: 403,
    backend: 'authRequired',
    advice: 'Use an API key with access to this model, or choose another model.',
  },
  RATE_LIMITED: { httpStatus: 429, backend: 'backend', advice: 'Wait a minute and try again.' },
  SESSION_NOT_FOUND: { httpStatus: 404, backend: 'notFound', advice: promptAgain },
  PROFILE_NOT_FOUND: { httpStatus: 404, backend: 'notFound', advice: 'Choose another profile.' },
  SESSION_BUSY: { httpStatus: 409, backend: 'busy', advice: 'Wait for the running turn, or stop it.' },
  APPROVAL_TIMEOUT: { httpStatus: 408, backend: 'approvalResolved', advice: 'No approvals are pending.' },
  APPROVAL_INVALID: { httpStatus: 400, backend: 'approvalInvalid', advice: 'Choose one of the listed options.' },
  SERVER_ERROR: { httpStatus: 500, backend: 'backend', advice: seeServerLog },
  MODULE_LOAD_FAILED: { httpStatus: 500, backend: 'backend', advice: 'Check the modules of the profile.' },
  PROVIDER_ERROR: { httpStatus: 502, backend: 'backend', advice: 'The model provider failed. Try again.' },
  PROVIDER_UNAVAILABLE: { httpStatus: 503, backend: 'backend', advice: 'Try again later.' },
} as const satisfies Record<string, ErrorFacts>;

/** Codes that the server which exists sends beyond the reference. */
const real = {
  NO_PENDING_APPROVAL: {
    httpStatus: 400,
    backend: 'approvalResolved',
    advice: 'No approval is pending.',
  },
  SESSION_CREATE_FAILED: { httpStatus: 500, backend: 'backend', advice: 'Check the profile, or choose another one.' },
  PROFILE_LIST_FAILED: { httpStatus: 500, backend: 'backend', advice: 'Enter the name of a profile instead.' },
  PROFILE_LOAD_FAILED: { httpStatus: 500, backend: 'backend', advice: 'Enter the name of a profile instead.' },
  PROMPT_SUBMIT_FAILED: { httpStatus: 500, backend: 'backend', advice: seeServerLog },
  APPROVAL_FAILED: { httpStatus: 500, backend: 'backend', advice: 'Stop the turn if it should not go on.' },
  SESSION_DELETE_FAILED: { httpStatus: 500, backend: 'backend', advice: seeServerLog },
} as const satisfies Record<string, ErrorFacts>;

const tokenMissing = 'The Amplifier server needs a token that it accepts.';
const setToken = 'Set its token by the command "Backline: Set Amplifier Server Token".';
const checkAddress = 'Check amplifier.server.host and amplifier.server.port.';

/** What goes wrong before or without an answer of the API. */
const local = {
  UNREACHABLE: { backend: 'notReady', advice: `Start the Amplifier server. ${checkAddress}` },
  CERTIFICATE: {
    backend: 'notReady',
    advice: 'Give the server a certificate that this machine trusts, or change amplifier.server.host.',
  },
  CONNECTION_LOST: { backend: 'notReady', advice: 'Try again once the server is back.' },
  TIMEOUT: { backend: 'timeout', advice: 'Try again. If this continues, restart the Amplifier server.' },
  CANCELLED: { backend: 'cancelled', advice: '' },
  REDIRECTED: { backend: 'protocol', advice: `Redirects are not followed. ${checkAddress}` },
  UNEXPECTED_CONTENT_TYPE: { backend: 'protocol', advice: `Is this an Amplifier server? ${checkAddress}` },
  INVALID_RESPONSE: { backend: 'protocol', advice: `Is this an Amplifier server? ${checkAddress}` },
  RESPONSE_TOO_LARGE: { backend: 'protocol', advice: seeServerLog },
  NOT_FOUND: { httpStatus: 404, backend: 'unsupported', advice: 'This server does not offer it.' },
  METHOD_NOT_ALLOWED: { httpStatus: 405, backend: 'unsupported', advice: 'This server does not offer it.' },
  UNAUTHORIZED: { httpStatus: 401, backend: 'authRequired', advice: setToken },
  FORBIDDEN: { httpStatus: 403, backend: 'authRequired', advice: `${setToken} ${checkAddress}` },
} as const satisfies Record<string, ErrorFacts>;

const facts: ReadonlyMap<string, ErrorFacts> = new Map(Object.entries({ ...documentedErrors, ...real, ...local }));

export type DocumentedErrorCode = keyof typeof documentedErrors;

/** An error of the API, of the way to it, or an answer that makes no sense. */
export class AmplifierApiError extends Error {
  override readonly name = 'AmplifierApiError';
  constructor(
    /** One of the API reference's, one of the server's own, or one of `local`. */
    readonly code: string,
    message: string,
    /** Undefined when there was no answer. */
    readonly httpStatus?: number,
    readonly details?: unknown,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  /** What the user can do; may be empty. */
  get advice(): string {
    return (facts.get(this.code) ?? fallbackFacts(this.httpStatus)).advice;
  }

  /** The same as every session backend says it. */
  toBackendError(): BackendError {
    const { backend } = facts.get(this.code) ?? fallbackFacts(this.httpStatus);
    const said = [this.code, ...(this.details === undefined ? [] : [JSON.stringify(this.details)])];
    // What servers say of it is for who writes clients.
    const isTokenMissing = this.code === 'UNAUTHORIZED';
    if (isTokenMissing) said.push(this.message);
    const message = joinSentences(isTokenMissing ? tokenMissing : this.message, this.advice);
    return new BackendError(backend, message, said.join(' '), { cause: this });
  }
}

/** Whether it is an `AmplifierApiError`, also one from another bundle of ours, whose class is another one. */
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

const Coded = z.object({
  code: z.string().min(1),
  message: z.string().optional(),
  details: z.unknown().optional(),
});
const Wrapped = z.union([
  z.object({ error: Coded }).transform(({ error }) => error),
  z.object({ detail: z.object({ error: Coded }) }).transform(({ detail }) => detail.error),
]);
const PlainDetail = z.object({ detail: z.string() });
/** What is wrong with which field. The value itself is left out on purpose: it may be a key. */
const FieldErrors = z.object({
  detail: z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])).default([]), msg: z.string() })),
});

const maxPlainLength = 200;

/** Reads the body of an answer that is an error, in every form a server has been seen to send; `body` is its text. */
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
  return new AmplifierApiError(codeOfStatus(httpStatus), `The server answered ${what}`, httpStatus);
}

/** For an answer without a code. A plain 404 or 405 is a route that is not there, not a session that is not there. */
const codesOfStatus: ReadonlyMap<number, string> = new Map([
  [400, 'INVALID_REQUEST'],
  [401, 'UNAUTHORIZED'],
  [403, 'FORBIDDEN'],
  [404, 'NOT_FOUND'],
  [405, 'METHOD_NOT_ALLOWED'],
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

/** Whether the server has no such route, as against no such session. */
export function isMissingRoute(error: unknown): boolean {
  return isAmplifierApiError(error) && (error.code === 'NOT_FOUND' || error.code === 'METHOD_NOT_ALLOWED');
}

/** Whether the request may never have reached the server. */
export function isTransportError(error: unknown): boolean {
  return isAmplifierApiError(error) && error.httpStatus === undefined && error.code !== 'CANCELLED';
}
