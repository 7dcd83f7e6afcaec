import { parseArgs } from 'node:util';
import { messageOf } from '../../../base/common/errors';
import type { AmplifierServerDeps } from './amplifierServer';

export interface ProgramOptions {
  /** The command line that starts an ACP agent. Undefined for the demo agent. */
  readonly agent: string | undefined;
  readonly host: AmplifierServerDeps['host'];
  readonly port: number;
  /** The token that clients must send. `generate` creates a random one. If undefined, clients need no token. */
  readonly token: { readonly given: string } | 'generate' | undefined;
  readonly cwd: string;
}

export const programUsage = `Serves an ACP agent to clients of Amplifier's REST, SSE and WebSocket API.

  node amplifier-server.js [options]

  --agent COMMAND   command that starts the agent, for example "opencode acp" (default: the demo agent without a model)
  --cwd DIR         working folder of the agent (default: the current folder)
  --port PORT       port to listen on, 0 for any free one (default: 8765)
  --host HOST       127.0.0.1, ::1 or localhost (default: 127.0.0.1)
  --token TOKEN     token that clients send as "Authorization: Bearer TOKEN" or ?token=TOKEN (default: a random one)
  --no-token        allow every program on this machine to connect
  --acp             offer the agent to ACP clients instead; "--acp --help" shows the options
  --help            show this help

Press Ctrl+C to stop the server and its agent.
`;

/** Parses the arguments. Returns `help` for --help. @throws RangeError with a message for the user */
export function parseProgramOptions(argv: readonly string[]): ProgramOptions | 'help' {
  const { agent, cwd = '.', help, host = '127.0.0.1', port = '8765', token, ...flags } = parsed(argv);
  if (help) return 'help';
  if (token !== undefined && flags['no-token']) throw new RangeError('Use either --token or --no-token, not both.');
  if (token?.trim() === '') throw new RangeError('--token is empty. Use --no-token to require no token.');
  if (agent?.trim() === '') throw new RangeError('--agent is empty. Omit it to use the demo agent.');
  if (!isLoopback(host))
    throw new RangeError(`--host ${host} is not a local address. Use 127.0.0.1, ::1 or localhost.`);
  if (!/^\d{1,5}$/u.test(port) || Number(port) > 65_535) throw new RangeError(`--port ${port} is not a valid port.`);
  const asked = token === undefined ? ('generate' as const) : { given: token };
  return { agent, cwd, host, port: Number(port), token: flags['no-token'] ? undefined : asked };
}

function parsed(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = { agent: text, cwd: text, host: text, port: text, token: text, 'no-token': flag, help: flag };
  try {
    return parseArgs({ args: [...argv], options }).values;
  } catch (error) {
    throw new RangeError(messageOf(error), { cause: error });
  }
}

function isLoopback(host: string): host is ProgramOptions['host'] {
  return host === '127.0.0.1' || host === '::1' || host === 'localhost';
}
