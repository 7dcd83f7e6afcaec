import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import * as path from 'node:path';
import { splitCommand } from './acp/common/catalogue/splitCommand';
import { startAgentProcess } from './acp/node/process/agentProcess';
import { AgentReaper } from './acp/node/process/agentReaper';
import { AgentServer } from './acp/node/serve/agentServer';
import { checkedToken, parseServeOptions, serveUsage, type ServeOptions } from './acp/node/serve/serveOptions';
import { messageOf } from './base/common/errors';
import type { Logger } from './base/common/log';
import { stopOnSignal } from './base/node/stopOnSignal';
import { systemClock } from './base/node/systemClock';

// Composition root of `dist/acp-server.js`, which offers one ACP agent to clients on other machines, without VS Code.

/** Writes to stderr. */
function createLog(isVerbose: boolean): Logger {
  const write = (message: string): void => void process.stderr.write(`${message}\n`);
  const log: Logger = {
    trace: () => undefined,
    debug: (message) => {
      if (isVerbose) write(message);
    },
    info: (message) => {
      if (isVerbose) write(message);
    },
    warn: write,
    error: (message, error) => write(`${message}${error === undefined ? '' : `: ${messageOf(error)}`}`),
    child: () => log,
  };
  return log;
}

/** @throws Error for a file that cannot be read, RangeError for an unusable token */
async function readToken(token: ServeOptions['token']): Promise<string | undefined> {
  if (token === undefined) return undefined;
  if (token === 'generate') return randomBytes(24).toString('base64url');
  if ('given' in token) return token.given;
  return checkedToken(await readFile(token.file, 'utf8'), '--token-file');
}

async function serve(options: ServeOptions): Promise<void> {
  const { allowedHosts, host, isVerbose, port } = options;
  const log = createLog(isVerbose);
  const cwd = path.resolve(options.cwd);
  const demo = [process.execPath, path.join(__dirname, 'demo-agent.js')];
  const [command = '', ...args] = options.agent === undefined ? demo : splitCommand(options.agent);
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  const token = await readToken(options.token);
  const { tls } = options;
  const pem = tls && { cert: await readFile(tls.cert, 'utf8'), key: await readFile(tls.key, 'utf8') };
  // If this program is killed, agents that ignore the end of their input would keep running.
  const reaper = new AgentReaper({ file: path.join(__dirname, 'agent-reaper.js'), log });
  const guard = (leader: number) => reaper.watch(leader);
  const server = new AgentServer({
    startAgent: () => startAgentProcess({ command, args, env, cwd }, { clock: systemClock, log, guard }),
    host,
    port,
    token,
    allowedHosts,
    tls: pem,
    clock: systemClock,
    log,
  });
  await server.start();
  stopOnSignal(async () => {
    await server.stop();
    reaper.dispose();
  });
  const what = options.agent === undefined ? 'Demo agent (no model)' : path.basename(command);
  const access = options.token === 'generate' ? `, token ${token}` : token === undefined ? ', no token' : '';
  process.stdout.write(`ACP agent at ${server.url} (${what} in ${cwd}${access})\n`);
}

async function main(): Promise<void> {
  const options = parseServeOptions(process.argv.slice(2));
  if (options === 'help') process.stdout.write(serveUsage);
  else await serve(options);
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  if (error instanceof RangeError) process.stderr.write(`\n${serveUsage}`);
  process.exit(1);
});
