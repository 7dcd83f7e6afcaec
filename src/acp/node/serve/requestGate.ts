import type { IncomingMessage } from 'node:http';
import {
  bearerToken,
  localRequestProblem,
  loopbackHosts,
  sameToken,
  type Refusal,
} from '../../../wire/node/localRequest';

interface RequestGateOptions {
  /** Without a token, every program that reaches the port can use the agent. */
  readonly token: string | undefined;
  /** Additional host names that clients may use, without ports. */
  readonly allowedHosts: readonly string[];
  readonly maxUrlLength: number;
}

export const agentUrlPath = '/acp';

/** Decides which requests reach the agent. Programs need the token. Web pages are always refused. */
export class RequestGate {
  private readonly hosts: typeof loopbackHosts;

  constructor(private readonly options: RequestGateOptions) {
    const allowed = options.allowedHosts.map((host) => host.toLowerCase());
    const advice = 'This host name is not allowed. See --allow-host.';
    this.hosts = { names: new Set([...loopbackHosts.names, ...allowed]), advice };
  }

  /** Returns why the request is refused. Undefined if it is allowed. */
  refusalOf(request: IncomingMessage): Refusal | undefined {
    const problem = localRequestProblem(request, this.hosts);
    if (problem) return problem;
    const { headersDistinct, url = '' } = request;
    if (url.length > this.options.maxUrlLength) return { status: 414, message: 'The URL is too long.' };
    if (!this.hasToken(headersDistinct['authorization'])) {
      return { status: 401, message: 'Send the token as "Authorization: Bearer …".' };
    }
    const path = url.split('?', 1)[0];
    return path === agentUrlPath ? undefined : { status: 404, message: `The agent is at ${agentUrlPath}.` };
  }

  private hasToken([given, ...others]: readonly string[] = []): boolean {
    const { token } = this.options;
    if (token === undefined) return true;
    const sent = bearerToken(given);
    return sent !== undefined && others.length === 0 && sameToken(sent, token);
  }
}
