import * as z from 'zod';
import { messageOf, TimeoutError } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import type { KnownTexts } from '../../editor/common/knownTexts';
import { type EditorErrorCode, isEditorError } from '../../editor/common/editorPort';
import { ampErrorCodes, formatError, formatResult, parseRequest, RequestError, type AmpRequest } from './envelope';
import { createMethodHandlers, type AmpMethodCall, type AmpMethodHandler, type AmpMethodPorts } from './methods';
import type { RequestScope } from './requestScope';

interface AmpRouterDeps extends AmpMethodPorts {
  readonly log: Logger;
}

/** What belongs to the connection of a request. */
interface AmpClient {
  readonly knownTexts: KnownTexts;
  /** Must be awaited before a large answer is created. */
  readonly awaitTurn: () => Promise<void>;
}

export interface AmpAnswer {
  readonly json: string;
  /** The method name for the log; `?` for invalid frames and unknown methods, whose names could contain anything. */
  readonly method: string;
  readonly errorCode?: number;
  /** Whether the request has timed out or failed unexpectedly. Undefined if the request did not use the editor. */
  readonly hasFailed?: boolean;
}

const methodsWithoutEditor: ReadonlySet<string> = new Set(['ping', 'authenticate']);

/** Answers requests of both dialects, each in the dialect of its request. Does not depend on the transport. */
export class AmpRouter {
  private readonly methods: ReadonlyMap<string, AmpMethodHandler>;

  constructor(private readonly deps: AmpRouterDeps) {
    this.methods = createMethodHandlers(deps);
  }

  /** Answers a frame. Never rejects. The caller ends the scope. */
  async answer(frame: string, scope: RequestScope, client: AmpClient): Promise<AmpAnswer> {
    const parsed = parseRequest(frame);
    if ('error' in parsed) return errorAnswer('?', parsed.idJson, parsed.error);
    try {
      const result = await this.callMethod(parsed, scope, client);
      const answer = { json: formatResult(parsed, result), method: parsed.method };
      return methodsWithoutEditor.has(parsed.method) ? answer : { ...answer, hasFailed: false };
    } catch (error) {
      const method = this.methods.has(parsed.method) ? parsed.method : '?';
      const answer = errorAnswer(method, parsed.idJson, this.toRequestError(parsed, error, scope));
      const isExpected = error instanceof RequestError || error instanceof z.ZodError || isEditorError(error);
      return isExpected ? answer : { ...answer, hasFailed: true };
    }
  }

  private async callMethod(request: AmpRequest, scope: RequestScope, client: AmpClient): Promise<object> {
    const method = this.methods.get(request.method);
    if (!method) {
      const known = [...this.methods.keys()].join(', ');
      throw new RequestError(ampErrorCodes.methodNotFound, `Unknown method. This editor supports ${known}.`);
    }
    const { dialect, params } = request;
    const { deadlineMs, signal } = scope;
    const call: AmpMethodCall = {
      ...client,
      dialect,
      params,
      deadlineMs,
      signal,
      startApplying: () => scope.startApplying(),
    };
    return await scope.run(async () => await method(call));
  }

  private toRequestError({ method }: AmpRequest, error: unknown, scope: RequestScope): RequestError {
    if (error instanceof RequestError) return error;
    if (error instanceof z.ZodError) {
      return new RequestError(ampErrorCodes.invalidParams, `Invalid params for ${method}: ${describeIssues(error)}.`);
    }
    if (isEditorError(error)) {
      return new RequestError(errorCodeOf(error.code), error.message, { reason: error.code });
    }
    if (error instanceof TimeoutError) {
      this.deps.log.warn(`${method} was not answered in time: ${error.message}`);
      const advice = scope.mayHaveChanged
        ? 'The edit may have been made: read the file before you try again.'
        : method === 'editFile'
          ? 'Nothing was changed. Try again.'
          : 'Try again.';
      const message = `${method} timed out after ${error.timeoutMs} ms. ${advice}`;
      return new RequestError(ampErrorCodes.internalError, message);
    }
    this.deps.log.error(`${method} failed: ${messageOf(error)}`, error);
    const message = `${method} failed in the editor. See its log (output channel Backline).`;
    return new RequestError(ampErrorCodes.internalError, message);
  }
}

function errorAnswer(method: string, idJson: string, error: RequestError): AmpAnswer {
  return { json: formatError(idJson, error), method, errorCode: error.code };
}

function describeIssues({ issues }: z.ZodError): string {
  return issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ');
}

/** Returns `invalidParams` for invalid parameters, and `internalError` if the editor could not do what is valid. */
function errorCodeOf(reason: EditorErrorCode): number {
  switch (reason) {
    case 'notFound':
    case 'outsideWorkspace':
    case 'excluded':
    case 'invalidRange':
    case 'invalidText':
    case 'invalidPath':
    case 'isDirectory':
    case 'notAFile':
    case 'notText':
    case 'tooLarge':
    case 'unsupportedUri':
      return ampErrorCodes.invalidParams;
    case 'protected':
    case 'denied':
    case 'untrusted':
    case 'staleVersion':
    case 'dirty':
    case 'editRejected':
    case 'saveFailed':
    case 'cancelled':
    case 'io':
      return ampErrorCodes.internalError;
  }
}
