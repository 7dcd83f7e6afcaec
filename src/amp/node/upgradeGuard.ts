import type { IncomingMessage } from 'node:http';
import { localRequestProblem, sameToken, type Refusal } from '../../wire/node/localRequest';

/** Decides which peers may connect: local programs that send the token, but never web pages. */
export class UpgradeGuard {
  constructor(private readonly token: string) {}

  /** Compares a token in constant time. */
  isToken(candidate: string): boolean {
    return sameToken(candidate, this.token);
  }

  /** Checks an upgrade request. @returns why the request must be refused, or undefined if it is allowed */
  checkRequest(request: IncomingMessage): Refusal | undefined {
    const problem = localRequestProblem(request);
    if (problem) return problem;
    const { url = '' } = request;
    const queryStart = url.indexOf('?');
    const path = queryStart === -1 ? url : url.slice(0, queryStart);
    if (path !== '/') return { status: 404, message: 'Connect to the path /.' };
    const [token, ...otherTokens] = new URLSearchParams(url.slice(path.length)).getAll('auth');
    if (token === undefined || otherTokens.length > 0 || !this.isToken(token)) {
      return { status: 401, message: "Send the authToken of this port's lockfile, once, as ?auth=…" };
    }
    return undefined;
  }
}
