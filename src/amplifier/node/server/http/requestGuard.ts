import type { IncomingMessage } from 'node:http';
import { bearerToken, localRequestProblem, loopbackHosts, sameToken } from '../../../../wire/node/localRequest';
import { ApiFailure, documentedFailure } from './apiFailure';

/** Accepts requests only from programs on this machine that send the token, and never from web pages. */
export class RequestGuard {
  /** Without `token`, the guard checks only the headers Host and Origin. */
  constructor(
    private readonly token: string | undefined,
    private readonly maxUrlLength: number,
  ) {}

  /** Checks the headers, the URL and the token of a request. @throws ApiFailure 400, 401, 403, 414 */
  check(request: IncomingMessage): void {
    const problem = localRequestProblem(request, loopbackHosts, true);
    if (problem?.status === 400) throw documentedFailure('INVALID_REQUEST', problem.message, { field: 'Host' });
    if (problem) throw new ApiFailure(problem.status, 'FORBIDDEN', problem.message);
    const { headersDistinct, url = '' } = request;
    if (url.length > this.maxUrlLength) {
      throw new ApiFailure(414, 'INVALID_REQUEST', `The URL is longer than ${this.maxUrlLength} characters.`);
    }
    if (!url.startsWith('/')) throw documentedFailure('INVALID_REQUEST', 'The path must start with /.');
    if (this.token !== undefined) requireToken(this.token, url, headersDistinct['authorization']);
  }
}

function requireToken(expected: string, url: string, authorization: readonly string[] | undefined): void {
  const [token, ...others] = authorization ? authorization.map(bearerToken) : tokensOfQuery(url);
  if (token !== undefined && others.length === 0 && sameToken(token, expected)) return;
  const message = 'Send the server’s token as "Authorization: Bearer …", or as ?token=… if headers can’t be set.';
  throw new ApiFailure(401, 'UNAUTHORIZED', message, {}, { 'WWW-Authenticate': 'Bearer' });
}

/** Returns the tokens in the query. Clients such as `EventSource` use the query because they cannot set headers. */
function tokensOfQuery(url: string): string[] {
  const start = url.indexOf('?');
  return start === -1 ? [] : new URLSearchParams(url.slice(start)).getAll('token');
}
