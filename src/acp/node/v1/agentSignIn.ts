import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { RequestError } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { BackendError, type AuthMethod, isBackendError } from '../../../session/common/sessionBackend';
import { withDeadline, type Clock } from '../../../base/common/async';
import { DisposableStore } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import { rejectOnAbort } from '../../../session/common/rejectOnAbort';
import type { AgentAuthMethod } from '../../common/session/agentMessages';
import type { AcpLimits, AgentConnection } from './agentConnection';

export interface SignInCommand {
  readonly label: string;
  /** The command to run. If missing, the agent's own command and arguments are used, followed by `args`. */
  readonly command?: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface AgentSignInDeps {
  readonly title: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly connection: AgentConnection;
  /** Resolves with whether the command succeeded. */
  readonly runInTerminal?: (command: SignInCommand) => Promise<boolean>;
  readonly limits: AcpLimits;
}

/** The form in which Copilot and other agents announce their sign-in command. */
const TerminalAuthMeta = z.looseObject({
  'terminal-auth': z.looseObject({
    command: z.string(),
    args: z.array(z.string()).default([]),
    env: z.record(z.string(), z.string()).default({}),
    label: z.string().optional(),
  }),
});

/** Handles signing in to one agent: reports that it is required, performs it, and resumes waiting prompts. */
export class AgentSignIn {
  private readonly emitter = new Emitter<void>((error) =>
    this.options.log.error('A listener of signing in failed', error),
  );

  constructor(private readonly options: AgentSignInDeps) {}

  requireSignIn(error: unknown): BackendError {
    const { connection, title } = this.options;
    const methods = (connection.connectedAgent?.agent.authMethods ?? []).map(toAuthMethod);
    const agentMessage = error instanceof RequestError ? ` It says: ${error.message}` : '';
    const hint = methods.length > 0 ? 'Choose a sign-in method.' : 'Use the agent’s own command to sign in.';
    const message = `${title} requires you to sign in. ${hint}${agentMessage}`;
    connection.setState({ kind: 'authRequired', message, methods });
    return new BackendError('authRequired', message, undefined, { cause: error });
  }

  /** Resolves when the user has signed in. @throws BackendError `authRequired` after a time-out, `cancelled` */
  async waitForSignIn(error: unknown, signal?: AbortSignal): Promise<void> {
    const required = this.requireSignIn(error);
    const { clock, limits } = this.options;
    const subscriptions = new DisposableStore();
    const done = new Promise<void>((resolve) => {
      subscriptions.add(this.emitter.event(() => resolve()));
    });
    try {
      await withDeadline(clock, 'signing in', limits.signInTimeoutMs, () => rejectOnAbort(done, signal));
    } catch (failure) {
      throw isBackendError(failure) ? failure : required;
    } finally {
      subscriptions.dispose();
    }
  }

  /** Signs in with a method. @throws BackendError */
  async authenticate(methodId: string): Promise<void> {
    const { connection, title } = this.options;
    const { agent } = await connection.connect();
    const method = agent.authMethods.find(({ id }) => id === methodId);
    if (!method) throw new BackendError('invalidRequest', `${title} has no sign-in method "${methodId}".`);
    const command = terminalCommand(method);
    await (command ? this.authenticateInTerminal(command) : this.authenticateByAgent(methodId));
    const { agent: current } = await connection.connect();
    const version = current.agentInfo?.version;
    connection.setState({ kind: 'ready', ...withoutUndefined({ version }) });
    this.emitter.fire();
  }

  dispose(): void {
    this.emitter.dispose();
  }

  private async authenticateByAgent(methodId: string): Promise<void> {
    const { clock, connection, limits } = this.options;
    const { client } = await connection.connect();
    try {
      await withDeadline(clock, 'authenticate', limits.authenticateTimeoutMs, (signal) =>
        client.authenticate(methodId, signal),
      );
    } catch (error) {
      throw await connection.toBackendError(error);
    }
  }

  /** The protocol forbids `authenticate` here: the agent picks up the sign-in when it restarts. */
  private async authenticateInTerminal(command: SignInCommand): Promise<void> {
    const { connection, runInTerminal, title } = this.options;
    if (!runInTerminal) throw new BackendError('unsupported', `Sign in to ${title} in a terminal, then try again.`);
    if (!(await runInTerminal(command))) {
      throw new BackendError('authRequired', `Signing in to ${title} failed. Check its terminal and try again.`);
    }
    await connection.stop(new BackendError('closed', `${title} was restarted to complete the sign-in.`));
  }
}

function toAuthMethod(method: AgentAuthMethod): AuthMethod {
  const { id, name, description } = method;
  const type = terminalCommand(method) ? 'terminal' : 'agent';
  return { id, name, type, ...(description === undefined ? {} : { description }) };
}

/** Undefined if the agent performs the sign-in itself. */
function terminalCommand(method: AgentAuthMethod): SignInCommand | undefined {
  const { name, type, args, env, _meta: meta } = method;
  const found = TerminalAuthMeta.safeParse(meta).data?.['terminal-auth'];
  if (found) return { label: found.label ?? name, command: found.command, args: found.args, env: found.env };
  return type === 'terminal' ? { label: name, args: args ?? [], env: env ?? {} } : undefined;
}
