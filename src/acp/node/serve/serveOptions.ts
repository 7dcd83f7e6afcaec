import { parseArgs } from 'node:util';
import { messageOf } from '../../../base/common/errors';

export interface ServeOptions {
  /** The command line that starts an ACP agent. Undefined for the demo agent. */
  readonly agent: string | undefined;
  readonly cwd: string;
  readonly host: string;
  readonly port: number;
  /** `generate` creates a random token. If undefined, clients need none. */
  readonly token: { readonly given: string } | { readonly file: string } | 'generate' | undefined;
  readonly allowedHosts: readonly string[];
  /** Paths of PEM files. */
  readonly tls: { readonly cert: string; readonly key: string } | undefined;
  readonly isVerbose: boolean;
}

export const serveUsage = `Offers an ACP agent of this machine to ACP clients on other machines, over Streamable HTTP and WebSocket.

  node acp-server.js [options]        or: node amplifier-server.js --acp [options]

  --agent COMMAND     command that starts the agent, for example "opencode acp" (default: the demo agent without a model)
  --cwd DIR           working folder of the agent (default: the current folder)
  --port PORT         port to listen on, 0 for any free one (default: 8766)
  --host HOST         address to listen on (default: 127.0.0.1, which only this machine can reach)
  --allow-host NAME   name that clients use for this machine, for example behind a proxy; can be repeated
  --token TOKEN       token that clients send as "Authorization: Bearer TOKEN" (default: a random one)
  --token-file FILE   file with the token, so that the list of processes does not show it
  --no-token          allow every program that reaches the port to use the agent
  --tls-cert FILE     certificate with its chain, PEM
  --tls-key FILE      private key of the certificate, PEM
  --insecure          allow an address that other machines reach without TLS or without a token
  --verbose           write more to stderr
  --help              show this help

Each connection starts its own agent, with the rights of your account. Press Ctrl+C to stop the server and its agents.
`;

const loopback: ReadonlySet<string> = new Set(['127.0.0.1', '::1', 'localhost']);

/** Parses the arguments. Returns `help` for --help. @throws RangeError with a message for the user */
export function parseServeOptions(argv: readonly string[]): ServeOptions | 'help' {
  const { agent, cwd = '.', host = '127.0.0.1', port = '8766', ...rest } = parsed(argv);
  if (rest.help) return 'help';
  if (agent?.trim() === '') throw new RangeError('--agent is empty. Omit it to use the demo agent.');
  if (!/^\d{1,5}$/u.test(port) || Number(port) > 65_535) throw new RangeError(`--port ${port} is not a valid port.`);
  const token = tokenOf(rest);
  const { 'tls-cert': cert, 'tls-key': key, insecure = false, verbose: isVerbose = false } = rest;
  if ((cert === undefined) !== (key === undefined)) throw new RangeError('Use --tls-cert and --tls-key together.');
  const tls = cert === undefined || key === undefined ? undefined : { cert, key };
  if (!loopback.has(host) && !insecure) requireSafe(host, token, tls);
  const { 'allow-host': names = [] } = rest;
  for (const name of names) checkHostName(name);
  const isAnyAddress = host === '0.0.0.0' || host === '::';
  if (isAnyAddress && names.length === 0) {
    throw new RangeError(`--host ${host} also needs --allow-host with the name that clients use for this machine.`);
  }
  const allowedHosts = isAnyAddress ? names : [host.includes(':') ? `[${host}]` : host, ...names];
  return { agent, cwd, host, port: Number(port), token, allowedHosts, tls, isVerbose };
}

/** The server compares only the host names of requests, without ports. */
function checkHostName(name: string): void {
  if (/^(?:[^\s/:[\]]+|\[[\da-f:.]+\])$/iu.test(name)) return;
  throw new RangeError(`--allow-host ${name} must be a name without a port, or an IPv6 address in brackets.`);
}

function requireSafe(host: string, token: ServeOptions['token'], tls: ServeOptions['tls']): void {
  const hint = 'To listen anyway, add --insecure.';
  if (token === undefined) throw new RangeError(`--no-token lets other machines use the agent at ${host}. ${hint}`);
  if (tls) return;
  const ways =
    'Use --tls-cert and --tls-key, or keep 127.0.0.1 and put an HTTPS proxy or an SSH tunnel in front of it.';
  throw new RangeError(`Without TLS, others could read the data sent to ${host}. ${ways} ${hint}`);
}

type Parsed = ReturnType<typeof parsed>;

function tokenOf({ token, 'token-file': file, 'no-token': none }: Omit<Parsed, 'agent'>): ServeOptions['token'] {
  if ([token, file, none].filter((each) => each !== undefined && each !== false).length > 1) {
    throw new RangeError('Use only one of --token, --token-file and --no-token.');
  }
  if (none) return undefined;
  if (file !== undefined) return { file };
  if (token === undefined) return 'generate';
  return { given: checkedToken(token, '--token') };
}

/** @throws RangeError for a token that cannot be sent, or that others could guess */
export function checkedToken(token: string, source: string): string {
  const trimmed = token.trim();
  if (!/^[\x21-\x7e]+$/u.test(trimmed)) throw new RangeError(`${source} must be one word of visible ASCII characters.`);
  if (trimmed.length < 16) throw new RangeError(`${source} has fewer than 16 characters, so it could be guessed.`);
  return trimmed;
}

function parsed(argv: readonly string[]) {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    agent: text,
    cwd: text,
    host: text,
    port: text,
    'allow-host': { type: 'string', multiple: true } as const,
    token: text,
    'token-file': text,
    'no-token': flag,
    'tls-cert': text,
    'tls-key': text,
    insecure: flag,
    verbose: flag,
    help: flag,
  };
  try {
    return parseArgs({ args: argv.filter((argument) => argument !== '--acp'), options }).values;
  } catch (error) {
    throw new RangeError(messageOf(error), { cause: error });
  }
}
