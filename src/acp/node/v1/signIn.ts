import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { RequestError } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { BackendError, type AuthMethod, isBackendError } from '../../../session/common/sessionBackend';
import { withDeadline, type Clock } from '../../../base/common/async';
import { DisposableStore } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { untilAborted } from '../../../session/common/untilAborted';
import type { V1AuthMethod } from '../../common/v1/v1Schema';
import type { AcpLimits, AgentConnection } from './agentConnection';

/** What to run in a terminal that the user sees, so that they sign in there. */
export interface SignInCommand {
  readonly label: string;
  /** Without it: the agent's own command with its own arguments, and `args` after them. */
  readonly command?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface SignInOptions {
  readonly title: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly connection: AgentConnection;
  /** Resolves with whether the command ended well. */
  readonly runInTerminal?: (command: SignInCommand) => Promise<boolean>;
  readonly limits: AcpLimits;
}

/** How copilot, among others, tells the command to sign in with. */
const TerminalAuthMeta = z.looseObject({
  'terminal-auth': z.looseObject({
    command: z.string(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
    label: z.string().optional(),
  }),
});

/** Signing in to one agent: says that it is needed, does it, and lets go on who waited. */
export class SignIn {
  private readonly signedIn = new Emitter<void>((error) =>
    this.options.log.error('A listener of signing in failed', error),
  );

  constructor(private readonly options: SignInOptions) {}

  /** Makes the need visible, with what the user can choose from. */
  require(error: unknown): BackendError {
    const { connection, title } = this.options;
    const methods = (connection.current?.agent.authMethods ?? []).map(toAuthMethod);
    const said = error instanceof RequestError ? ` It says: ${error.message}` : '';
    const hint = methods.length > 0 ? 'Choose how.' : 'Use the agent’s own command to sign in.';
    const message = `${title} requires you to sign in. ${hint}${said}`;
    connection.setState({ kind: 'authRequired', message, methods });
    return new BackendError('authRequired', message, undefined, { cause: error });
  }

  /**
   * Resolves when the user has signed in. `error` is what the agent said.
   * @throws BackendError `authRequired` when they do not in time, `cancelled`
   */
  async wait(error: unknown, signal?: AbortSignal): Promise<void> {
    const required = this.require(error);
    const { clock, limits } = this.options;
    const subscriptions = new DisposableStore();
    const done = new Promise<void>((resolve) => {
      subscriptions.add(this.signedIn.event(() => resolve()));
    });
    try {
      await withDeadline(clock, 'signing in', limits.signInTimeoutMs, () => untilAborted(done, signal));
    } catch (failure) {
      throw isBackendError(failure) ? failure : required;
    } finally {
      subscriptions.dispose();
    }
  }

  /** @throws BackendError */
  async authenticate(methodId: string): Promise<void> {
    const { connection, title } = this.options;
    const { agent } = await connection.connect();
    const method = agent.authMethods?.find(({ id }) => id === methodId);
    if (!method)
      throw new BackendError('invalidRequest', `${title} has no way to sign in that is called "${methodId}".`);
    const command = terminalCommand(method);
    await (command ? this.byTerminal(command) : this.byAgent(methodId));
    const { agent: current } = await connection.connect();
    const version = current.agentInfo?.version;
    connection.setState({ kind: 'ready', ...withoutUndefined({ version }) });
    this.signedIn.fire();
  }

  dispose(): void {
    this.signedIn.dispose();
  }

  private async byAgent(methodId: string): Promise<void> {
    const { clock, connection, limits } = this.options;
    const { client } = await connection.connect();
    try {
      await withDeadline(clock, 'authenticate', limits.authenticateTimeoutMs, (signal) =>
        client.authenticate(methodId, signal),
      );
    } catch (error) {
      throw await connection.explain(error);
    }
  }

  /** The protocol forbids `authenticate` here: the agent finds what was signed in when it starts again. */
  private async byTerminal(command: SignInCommand): Promise<void> {
    const { connection, runInTerminal, title } = this.options;
    if (!runInTerminal) throw new BackendError('unsupported', `Sign in to ${title} in a terminal, then try again.`);
    if (!(await runInTerminal(command))) {
      throw new BackendError('authRequired', `Signing in to ${title} failed. Check its terminal and try again.`);
    }
    await connection.stop(new BackendError('closed', `${title} was restarted after signing in.`));
  }
}

function toAuthMethod(method: V1AuthMethod): AuthMethod {
  const { id, name, description } = method;
  const type = terminalCommand(method) ? 'terminal' : 'agent';
  return { id, name, type, ...(description === undefined ? {} : { description }) };
}

/** Undefined for a method that the agent does itself. */
function terminalCommand(method: V1AuthMethod): SignInCommand | undefined {
  const { name, type, args, env, _meta: meta } = method;
  const told = TerminalAuthMeta.safeParse(meta).data?.['terminal-auth'];
  if (told) return { label: told.label ?? name, command: told.command, args: told.args, env: told.env };
  return type === 'terminal' ? { label: name, args: args ?? [], env: env ?? {} } : undefined;
}
