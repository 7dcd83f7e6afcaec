import { raceSignal, withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf, TimeoutError } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import { oneLine } from '../../../base/common/text/oneLine';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { AuthMethod } from '../../../session/common/sessionBackend';
import { ConnectionClosedError } from '../../../wire/common/connectionErrors';
import { disabledTrafficTap } from '../../../wire/common/traffic';
import { SecretRedactor } from '../../../session/common/redaction/secretRedactor';
import { keyUseOfKnownAgent } from '../../common/signIn/agentKeys';
import { redactingLogger } from '../../common/signIn/redactingLogger';
import { signInWays } from '../../common/signIn/signInWays';
import { startAgentProcess, type AgentExit, type AgentProcess } from '../process/agentProcess';
import { CommandError } from '../process/commandLookup';
import { AgentClient, type AgentClientDeps } from '../connection/agentClient';
import type { ProtocolVersion } from '../connection/protocolRequests';

export interface AgentProgram {
  /** A path, or a name on PATH. */
  readonly command: string;
  readonly args: readonly string[];
  /** Added to the environment of VS Code. */
  readonly env: Readonly<Record<string, string>>;
  /** Also added to the environment. Messages and log lines never contain its values. */
  readonly secretEnv?: Readonly<Record<string, string>>;
  /** Absolute path; the first folder of the workspace by default. */
  readonly cwd?: string;
}

/** What an agent reports about itself when it starts. */
export interface TriedAgent {
  readonly name?: string;
  readonly title?: string;
  readonly version?: string;
  readonly authMethods: readonly Pick<AuthMethod, 'id' | 'name' | 'type'>[];
}

type TryAgentFailure = 'untrusted' | 'notFound' | 'notStarted' | 'ended' | 'notAcp' | 'silent' | 'cancelled';

/** Why a command is not a working agent. The message is a sentence for the user. */
export class TryAgentError extends Error {
  override readonly name = 'TryAgentError';
  constructor(
    readonly reason: TryAgentFailure,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface TryAgentDeps {
  readonly clientInfo: AgentClientDeps['clientInfo'];
  readonly clock: Clock;
  readonly log: Logger;
  /** Ensures that the process group does not outlive this process. */
  readonly guard?: (leader: number) => Disposable;
  /** The environment to which the program's own variables are added. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absolute path. */
  readonly defaultFolder: string;
  readonly timeoutMs?: number;
  /** Time limit for each step of ending the processes. */
  readonly graceMs?: number;
}

const defaultTimeoutMs = 60_000;
const exitWaitMs = 2_000;
const maxWords = 300;

/** Starts a command, requests its name with `initialize`, and ends all its processes. @throws TryAgentError */
export async function tryAgent(program: AgentProgram, deps: TryAgentDeps, signal?: AbortSignal): Promise<TriedAgent> {
  if (signal?.aborted) throw cancelledError();
  const { clock, guard, graceMs } = deps;
  const redactor = new SecretRedactor();
  for (const secret of Object.values(program.secretEnv ?? {})) redactor.addSecret(secret);
  const redact = (text: string): string => redactor.redactText(text);
  const log = redactingLogger(deps.log, redact);
  const command = {
    command: program.command,
    args: program.args,
    env: { ...deps.environment, ...program.env, ...program.secretEnv },
    cwd: program.cwd ?? deps.defaultFolder,
  };
  const startAndAsk = async (offered: ProtocolVersion): Promise<TriedAgent> => {
    let agent: AgentProcess;
    try {
      agent = await startAgentProcess(command, { clock, log, ...withoutUndefined({ guard, graceMs }) });
    } catch (error) {
      const reason = error instanceof CommandError && error.reason === 'notFound' ? 'notFound' : 'notStarted';
      throw new TryAgentError(reason, redact(messageOf(error)));
    }
    try {
      return await raceSignal(initialize(agent, offered, { ...deps, log }, redact), signal, cancelledError);
    } finally {
      await agent.stop();
    }
  };
  try {
    return await startAndAsk(2);
  } catch (error) {
    if (!(error instanceof TryAgentError) || !reasonsOfBreaking.has(error.reason)) throw error;
    // Some agents fail only because version 2 was offered, so version 1 is tried, too.
    return await startAndAsk(1).catch((second: unknown) => {
      throw second instanceof TryAgentError && second.reason === 'cancelled' ? second : error;
    });
  }
}

const reasonsOfBreaking: ReadonlySet<TryAgentFailure> = new Set(['ended', 'notAcp', 'silent']);

async function initialize(
  agent: AgentProcess,
  offered: ProtocolVersion,
  deps: TryAgentDeps,
  redact: (text: string) => string,
): Promise<TriedAgent> {
  const { clock, clientInfo, log, timeoutMs = defaultTimeoutMs } = deps;
  const exit = new Promise<AgentExit>((resolve) => agent.onDidExit(resolve));
  let firstNoise: string | undefined;
  const noise = agent.stream.onNoise(({ excerpt }) => {
    firstNoise ??= excerpt;
  });
  const title = 'The command';
  const client = new AgentClient(agent.stream, {
    clientInfo,
    clock,
    log,
    tap: disabledTrafficTap,
    agentTitle: title,
    initializeTimeoutMs: timeoutMs,
  });
  try {
    const { agentInfo, authMethods } = await client.initialize(offered);
    return {
      ...withoutUndefined({ name: agentInfo?.name, title: agentInfo?.title, version: agentInfo?.version }),
      authMethods: signInWays(authMethods, keyUseOfKnownAgent(undefined)).map(({ method: { id, name, type } }) => ({
        id,
        name,
        type,
      })),
    };
  } catch (error) {
    const lastWords = (): string => quoted(agent.stderrTail(), redact, 'last');
    if (error instanceof ConnectionClosedError) {
      const ended = await withDeadline(clock, 'exit', exitWaitMs, () => exit).catch(() => undefined);
      throw new TryAgentError('ended', `${title} exited immediately${exitWords(ended)}.${lastWords()}`);
    }
    if (error instanceof TimeoutError && firstNoise === undefined) {
      const seconds = Math.round(timeoutMs / 1000);
      const message = `${title} started, but did not answer within ${seconds} seconds. Check that its arguments start it as an ACP agent.`;
      throw new TryAgentError('silent', message + lastWords());
    }
    const isText = error instanceof TimeoutError;
    const words = isText
      ? quoted(firstNoise ?? '', redact, 'first')
      : ` It reported: “${short(redact(messageOf(error)))}”`;
    const message = `${title} started, but does not use the Agent Client Protocol. Check its arguments.${words}`;
    throw new TryAgentError('notAcp', message);
  } finally {
    noise.dispose();
    client.dispose();
  }
}

function exitWords(exit: AgentExit | undefined): string {
  return exit ? ` (${exit.signal ?? `exit code ${exit.code ?? 'unknown'}`})` : '';
}

/** Returns the first or last line of an output, after a space. Empty if there is none. */
function quoted(output: string, redact: (text: string) => string, which: 'first' | 'last'): string {
  const lines = redact(output).split('\n').map(oneLine);
  const line = lines.filter((words) => words !== '').at(which === 'first' ? 0 : -1);
  return line === undefined ? '' : ` Its output: “${short(line)}”`;
}

function short(words: string): string {
  return words.length > maxWords ? `${words.slice(0, maxWords - 1)}…` : words;
}

function cancelledError(): TryAgentError {
  return new TryAgentError('cancelled', 'Canceled.');
}
