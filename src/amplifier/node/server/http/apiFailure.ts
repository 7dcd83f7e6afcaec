import type { OutgoingHttpHeaders } from 'node:http';
import type * as z from 'zod';
import { documentedErrors, type DocumentedErrorCode, isAmplifierApiError } from '../../../common/api/apiErrors';
import { isBackendError, type BackendErrorCode } from '../../../../session/common/sessionBackend';

/** An error response in the format of the API reference. The message explains to the client what to do. */
export class ApiFailure extends Error {
  override readonly name = 'ApiFailure';
  constructor(
    readonly httpStatus: number,
    /** A code in the API reference, or one of the additional codes for HTTP errors. */
    readonly code: string,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    readonly headers: OutgoingHttpHeaders = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }

  get body(): object {
    return { error: { code: this.code, message: this.message, details: this.details } };
  }
}

export function documentedFailure(
  code: DocumentedErrorCode,
  message: string,
  details?: Readonly<Record<string, unknown>>,
  options?: ErrorOptions,
): ApiFailure {
  return new ApiFailure(documentedErrors[code].httpStatus, code, message, details, {}, options);
}

export function invalidFieldFailure(field: string, message: string): ApiFailure {
  return documentedFailure('INVALID_REQUEST', `${field}: ${message}`, { field });
}

/**
 * Creates the error for an invalid body. `field` is the path of the first invalid field, with dots. `issues` lists all
 * fields. Omits their values, because they may be keys.
 */
export function validationFailure({ issues }: z.ZodError): ApiFailure {
  const list = issues.map(({ path, message }) => ({ field: path.join('.') || 'body', message }));
  const message = list.map((issue) => `${issue.field}: ${issue.message}`).join('; ');
  return documentedFailure('INVALID_REQUEST', message, { field: list[0]?.field ?? 'body', issues: list });
}

export function sessionNotFoundFailure(sessionId: string): ApiFailure {
  const message = `Session with ID '${sessionId}' not found`;
  return documentedFailure('SESSION_NOT_FOUND', message, { session_id: sessionId });
}

/** Converts any error of a request handler. Unexpected errors become status 500. */
export function toApiFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  if (!isBackendError(error)) {
    return documentedFailure('SERVER_ERROR', 'An internal error occurred. Check the server log.', {}, { cause: error });
  }
  const { cause, code, details, message } = error;
  const reason = details === undefined ? {} : { reason: details };
  // The backend is itself an Amplifier server, so its code is passed on.
  if (isAmplifierApiError(cause) && isDocumented(cause.code)) {
    return documentedFailure(cause.code, message, reason, { cause: error });
  }
  const { httpStatus, wireCode } = ofBackend[code];
  return new ApiFailure(httpStatus, wireCode, message, reason, {}, { cause: error });
}

function isDocumented(code: string): code is DocumentedErrorCode {
  return Object.hasOwn(documentedErrors, code);
}

const ofBackend: Readonly<Record<BackendErrorCode, { readonly httpStatus: number; readonly wireCode: string }>> = {
  notReady: { httpStatus: 500, wireCode: 'MODULE_LOAD_FAILED' },
  notFound: { httpStatus: 404, wireCode: 'SESSION_NOT_FOUND' },
  busy: { httpStatus: 409, wireCode: 'SESSION_BUSY' },
  closed: { httpStatus: 404, wireCode: 'SESSION_NOT_FOUND' },
  unsupported: { httpStatus: 400, wireCode: 'INVALID_REQUEST' },
  authRequired: { httpStatus: 401, wireCode: 'MISSING_CREDENTIALS' },
  approvalInvalid: { httpStatus: 400, wireCode: 'APPROVAL_INVALID' },
  optionRefused: { httpStatus: 409, wireCode: 'OPTION_REFUSED' },
  approvalResolved: { httpStatus: 409, wireCode: 'APPROVAL_RESOLVED' },
  untrusted: { httpStatus: 403, wireCode: 'FORBIDDEN' },
  invalidRequest: { httpStatus: 400, wireCode: 'INVALID_REQUEST' },
  timeout: { httpStatus: 503, wireCode: 'PROVIDER_UNAVAILABLE' },
  cancelled: { httpStatus: 500, wireCode: 'SERVER_ERROR' },
  protocol: { httpStatus: 502, wireCode: 'PROVIDER_ERROR' },
  backend: { httpStatus: 502, wireCode: 'PROVIDER_ERROR' },
};
