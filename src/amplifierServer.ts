import { randomBytes, randomUUID } from 'node:crypto';
import * as path from 'node:path';
import { splitCommand } from './acp/common/catalogue/splitCommand';
import { findKnownAgentByCommand } from './acp/common/catalogue/knownAgents';
import { AcpBackend } from './acp/node/session/acpBackend';
import { startAgentProcess } from './acp/node/process/agentProcess';
import { RestartPolicy } from './acp/node/process/restartPolicy';
import { AmplifierServer } from './amplifier/node/server/amplifierServer';
import { parseProgramOptions, programUsage, type ProgramOptions } from './amplifier/node/server/programOptions';
import { messageOf } from './base/common/errors';
import type { Logger } from './base/common/log';
import { stopOnSignal } from './base/node/stopOnSignal';
import { systemClock } from './base/node/systemClock';
import { defaultExclude, ExcludeList } from './editor/common/excludeList';
import type { EditorPort } from './editor/common/editorPort';
import { ProtectedFiles } from './editor/common/protection/protectedFiles';
import { DiskEditor } from './editor/node/diskEditor';
import { combineUserAndWorkspacePolicies } from './permissions/common/policy/policy';
import { StandingPermissions } from './permissions/common/standingPermissions';
import { UserRules } from './permissions/common/rules/userRules';
import { disabledTrafficTap } from './wire/common/traffic';
import { version } from '../package.json';

// Composition root of `dist/amplifier-server.js`, which serves one ACP agent as an Amplifier server without VS Code.

/** Writes warnings and errors to stderr. */
const log: Logger = {
  trace: () => undefined,
  debug: () => undefined,
  info: () => undefined,
  warn: (message) => void process.stderr.write(`${message}\n`),
  error: (message, error) =>
    void process.stderr.write(`${message}${error === undefined ? '' : `: ${messageOf(error)}`}\n`),
  child: () => log,
};

interface AgentConfig {
  readonly id: string;
  readonly title: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly missingFile: 'empty' | 'error';
}

/**
 * Returns the configuration for a command line, or that of the demo agent without one. @throws Error for an invalid
 * command line
 */
function parseAgent(commandLine: string | undefined): AgentConfig {
  if (commandLine === undefined) {
    const args = [path.join(__dirname, 'demo-agent.js')];
    const title = 'Demo agent (no model)';
    return { id: 'demo-agent', title, command: process.execPath, args, missingFile: 'error' };
  }
  const [command = '', ...args] = splitCommand(commandLine);
  const known = findKnownAgentByCommand(command, args);
  const name = programName(command, args);
  const {
    id,
    title,
    missingFileReadsAs: missingFile,
  } = known ?? { id: name, title: name, missingFileReadsAs: 'error' };
  return { id, title, command, args, missingFile };
}

const runtimePattern = /^(node|bun|deno|python[\d.]*|npx|bunx|uvx)$/iu;

/**
 * Returns the name of the program. If a runtime or package runner starts a script or package, returns the name of that.
 */
function programName(command: string, args: readonly string[]): string {
  const name = path.basename(command).replace(/\.(exe|cmd|bat)$/iu, '');
  const script = runtimePattern.test(name) ? args.find((arg) => !arg.startsWith('-')) : undefined;
  return script === undefined ? name : path.basename(script).replace(/(\.[cm]?[jt]s|\.py|@[^@]*)$/iu, '');
}

function createBackend(agent: AgentConfig, editor: EditorPort, cwd: string): AcpBackend {
  const env = Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
  return new AcpBackend({
    id: agent.id,
    title: agent.title,
    clientInfo: { name: 'backline', title: 'Backline', version },
    editor,
    clock: systemClock,
    log,
    tap: disabledTrafficTap,
    startAgent: () =>
      startAgentProcess({ command: agent.command, args: agent.args, env, cwd }, { clock: systemClock, log }),
    restartPolicy: new RestartPolicy(() => systemClock.monotonicNow(), Math.random),
    standing: createPermissions(),
    missingFile: agent.missingFile,
    terminalEnv: env,
    mcpServers: () => Promise.resolve([]),
    defaultFolder: () => cwd,
    // A prompt that needs sign-in fails immediately, because there is no user interface for it.
    limits: { signInTimeoutMs: 0 },
  });
}

/** Keeps rules only in memory, so that "always" applies until this program exits. */
function createPermissions(): StandingPermissions {
  const values = new Map<string, unknown>();
  const memento = {
    get: (name: string) => values.get(name),
    update: (name: string, value: unknown) => Promise.resolve(void values.set(name, value)),
  };
  const policy = combineUserAndWorkspacePolicies(undefined, []);
  const onListenerError = (error: unknown): void => log.error('a permissions listener failed', error);
  const rules = new UserRules(memento, systemClock, log);
  return new StandingPermissions(rules, () => policy, onListenerError);
}

async function serve(options: ProgramOptions): Promise<void> {
  const agent = parseAgent(options.agent);
  const cwd = path.resolve(options.cwd);
  const protectedFiles = new ProtectedFiles();
  const editor = new DiskEditor([cwd], new ExcludeList(defaultExclude), () => protectedFiles);
  const backend = createBackend(agent, editor, cwd);
  const generated = randomBytes(24).toString('base64url');
  const token = typeof options.token === 'object' ? options.token.given : options.token && generated;
  const entry = { id: agent.id, title: agent.title, source: 'configured', description: agent.command } as const;
  const server = new AmplifierServer({
    backends: {
      list: () => Promise.resolve([entry]),
      open: () => Promise.resolve(backend),
    },
    workspace: editor,
    clock: systemClock,
    log,
    newId: randomUUID,
    version,
    host: options.host,
    ports: [options.port],
    token,
    profilesFrom: '--agent',
  });
  await server.start();
  process.on('exit', () => backend.dispose());
  stopOnSignal(async () => {
    await server.stop();
    await backend.stop();
  });
  const access = options.token === 'generate' ? `, token ${generated}` : token === undefined ? ', no token' : '';
  process.stdout.write(`Amplifier server at ${server.url} (${agent.title} in ${cwd}${access})\n`);
}

async function main(): Promise<void> {
  const argv = process.argv.slice(2);
  if (argv.includes('--acp')) {
    await import('./acpServer');
    return;
  }
  const options = parseProgramOptions(argv);
  if (options === 'help') process.stdout.write(programUsage);
  else await serve(options);
}

main().catch((error: unknown) => {
  process.stderr.write(`${messageOf(error)}\n`);
  if (error instanceof RangeError) process.stderr.write(`\n${programUsage}`);
  process.exit(1);
});
