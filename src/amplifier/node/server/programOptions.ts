import { parseArgs } from 'node:util';
import { messageOf } from '../../../base/common/errors';
import type { AmplifierServerOptions } from './amplifierServer';

export interface ProgramOptions {
  /** The command line that starts an ACP agent; undefined for the demo agent. */
  readonly agent: string | undefined;
  readonly host: AmplifierServerOptions['host'];
  readonly port: number;
  /** `generate` makes one; undefined asks clients for none. */
  readonly token: { readonly given: string } | 'generate' | undefined;
  readonly cwd: string;
}

export const programUsage = `Serves an Agent Client Protocol agent to any client of Amplifier's REST, SSE and WebSocket API.

  node amplifier-server.js [options]

  --agent COMMAND   the command that starts the agent, for example "opencode acp"; the demo agent (no model) without it
  --cwd DIR         the folder that the agent works in; the current one without it
  --port PORT       8765 without it; 0 takes any free one
  --host HOST       127.0.0.1 (without it), ::1 or localhost
  --token TOKEN     what clients must send as "Authorization: Bearer TOKEN" or ?token=TOKEN; made up without it
  --no-token        let every program of this machine in
  --help            this text

Ctrl+C ends the server and its agent.
`;

/** `help` when it is asked for. @throws RangeError in words for the user */
export function parseProgramOptions(argv: readonly string[]): ProgramOptions | 'help' {
  const { agent, cwd = '.', help, host = '127.0.0.1', port = '8765', token, ...flags } = parsed(argv);
  if (help) return 'help';
  if (token !== undefined && flags['no-token']) throw new RangeError('Give --token or --no-token, not both.');
  if (token?.trim() === '') throw new RangeError('--token is empty. Use --no-token to ask for none.');
  if (agent?.trim() === '') throw new RangeError('--agent is empty. Leave it out for the demo agent.');
  if (!isLoopback(host))
    throw new RangeError(`--host ${host} is not of this machine. Use 127.0.0.1, ::1 or localhost.`);
  if (!/^\d{1,5}$/u.test(port) || Number(port) > 65_535) throw new RangeError(`--port ${port} is not a port.`);
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
