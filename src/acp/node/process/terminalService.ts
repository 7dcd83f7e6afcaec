import { RequestError, type CreateTerminalRequest, type TerminalExitStatus } from '@agentclientprotocol/sdk';
import { Coalescer, type Clock } from '../../../base/common/async';
import { messageOf } from '../../../base/common/errors';
import { type EditorPort, isEditorError } from '../../../editor/common/editorPort';
import type { ObservedWrites } from '../../../editor/common/writeObserver';
import { rpcErrorCode } from '../../../wire/common/connectionErrors';
import type { TerminalState } from '../../common/session/terminalStates';
import type { ToolCommand } from '../../../session/common/toolCaller';
import { isOddProgram } from '../../../permissions/common/requests/toolInput';
import { diskCommandFileAccess } from './commandLookup';
import type { PermissionOutcome } from '../session/permissionService';
import { resolveTerminalCommand, type TerminalCommandLine } from './terminalCommand';
import { TerminalProcess, type TerminalExit } from './terminalProcess';
import { isFolder } from '../../../base/node/isFolder';

export interface TerminalServiceDeps {
  readonly editor: EditorPort;
  readonly clock: Clock;
  /** Absolute path of the session's folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly maxTerminals: number;
  /** By default, looks at the disk. */
  readonly isFolder?: (path: string) => Promise<boolean>;
  readonly authorize: (request: ToolCommand, signal?: AbortSignal) => Promise<PermissionOutcome>;
  /** Learns of each allowed command before it is started. */
  readonly writes?: Pick<ObservedWrites, 'beginCommand'>;
  /** Called when an allowed command has been started. */
  readonly onDidStart?: (terminalId: string, command: Pick<ToolCommand, 'argv' | 'cwd'>) => void;
  /** Called when a command has written output or ended. Calls for output are throttled. */
  readonly onDidChange: (terminalId: string, view: TerminalState) => void;
  /** Called when a command has ended or was not started, so that none may run any more. */
  readonly onDidEnd?: () => void;
}

type CreateTerminalParams = Omit<CreateTerminalRequest, 'sessionId'>;

interface OpenTerminal {
  readonly process: TerminalProcess;
  readonly changeNotifier: Coalescer;
}

const { internalError, invalidParams } = rpcErrorCode;
const defaultOutputBytes = 1024 * 1024;
const maxOutputBytes = 16 * 1024 * 1024;
const changeDelayMs = 100;

/** Handles the `terminal/*` methods of one session. @throws RequestError */
export class TerminalService {
  private readonly terminals = new Map<string, OpenTerminal>();
  private createdCount = 0;
  private startingCount = 0;
  private isClosed = false;
  /** Number of `endAll` calls. Terminals requested before the latest call must not start any more. */
  private endAllCount = 0;
  private readonly endingTerminals = new Map<OpenTerminal, Promise<void>>();

  constructor(private readonly deps: TerminalServiceDeps) {}

  /**
   * Creates a terminal. If `signal` fires first, ends it as soon as it is ready: the agent does not know it and would
   * not release it.
   */
  async create(params: CreateTerminalParams, signal?: AbortSignal): Promise<{ terminalId: string }> {
    this.requireCapacity();
    this.startingCount++;
    try {
      return await this.start(params, signal);
    } finally {
      this.startingCount--;
      this.deps.onDidEnd?.();
    }
  }

  get hasRunningCommands(): boolean {
    return (
      this.startingCount > 0 || [...this.terminals.values()].some(({ process }) => process.view.exit === undefined)
    );
  }

  output(terminalId: string): { output: string; truncated: boolean; exitStatus?: TerminalExitStatus } {
    const { output, truncated, exit } = this.requireTerminal(terminalId).process.view;
    return { output, truncated, ...(exit ? { exitStatus: toStatus(exit) } : {}) };
  }

  async waitForExit(terminalId: string): Promise<TerminalExitStatus> {
    return toStatus(await this.requireTerminal(terminalId).process.whenExited);
  }

  /** Ends the command. Its output can still be read. */
  async kill(terminalId: string): Promise<void> {
    await this.requireTerminal(terminalId).process.kill();
  }

  async release(terminalId: string): Promise<void> {
    const terminal = this.requireTerminal(terminalId);
    this.terminals.delete(terminalId);
    await this.endTerminal(terminal);
  }

  /** Ends all terminals, for example when the agent has exited. */
  async endAll(): Promise<void> {
    const terminals = [...this.terminals.values()];
    this.terminals.clear();
    this.endAllCount++;
    for (const terminal of terminals) void this.endTerminal(terminal);
    await Promise.all(this.endingTerminals.values());
    this.deps.onDidEnd?.();
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.endAll();
  }

  /** Like `close`, but without waiting. For use when this process is about to exit. */
  closeNow(): void {
    this.isClosed = true;
    this.endAllCount++;
    for (const { process, changeNotifier } of [...this.terminals.values(), ...this.endingTerminals.keys()]) {
      changeNotifier.dispose();
      process.killNow();
    }
    this.terminals.clear();
  }

  private async start(params: CreateTerminalParams, signal: AbortSignal | undefined): Promise<{ terminalId: string }> {
    const { clock, authorize } = this.deps;
    const { endAllCount: endCount } = this;
    const cwd = await this.resolveFolder(params.cwd ?? this.deps.cwd);
    const added = Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value]));
    const env = { ...this.deps.env, ...added };
    const { command, args = [] } = params;
    const resolved = await this.resolveCommand(command, args, env, cwd);
    const argv = [command, ...args];
    const program = isOddProgram(argv) ? { isProgram: true as const } : {};
    const how = resolved.shell === undefined ? program : { shell: resolved.shell };
    const permit = await authorize({ argv, cwd, env: added, ...how }, signal);
    if (!permit.isGranted) throw new RequestError(internalError, `This command was not run. ${permit.reason}`);
    this.requireNotEnded(endCount);
    const terminalId = `terminal-${++this.createdCount}`;
    let started: TerminalProcess | undefined;
    const changeNotifier = new Coalescer(clock, changeDelayMs, () => {
      if (started) this.deps.onDidChange(terminalId, started.view);
    });
    const options = { cwd, env, limit: params.outputByteLimit };
    // It can write before anybody hears of it.
    const handleEnd = this.deps.writes?.beginCommand();
    const process = (started = await this.spawn(resolved, options, () => changeNotifier.schedule()).catch(
      (error: unknown) => {
        handleEnd?.();
        throw error;
      },
    ));
    void process.whenExited.then(handleEnd);
    const terminal = { process, changeNotifier };
    if (endCount !== this.endAllCount) {
      if (this.isClosed) process.killNow();
      await this.endTerminal(terminal);
      this.requireNotEnded(endCount);
    }
    if (signal?.aborted) {
      await this.endTerminal(terminal);
      throw RequestError.requestCancelled();
    }
    this.terminals.set(terminalId, terminal);
    this.deps.onDidStart?.(terminalId, { argv: [command, ...args], cwd });
    // The end of the command is reported immediately, without throttling.
    void process.whenExited.then(() => {
      changeNotifier.flushNow();
      this.deps.onDidEnd?.();
    });
    return { terminalId };
  }

  /** Before the user is asked, so that nobody is asked about a command that cannot start. @throws RequestError */
  private async resolveCommand(
    command: string,
    args: readonly string[],
    env: Record<string, string>,
    cwd: string,
  ): Promise<TerminalCommandLine> {
    const { platform } = process;
    try {
      const userEnv = this.deps.env;
      return await resolveTerminalCommand(command, args, { platform, env, userEnv, cwd, files: diskCommandFileAccess });
    } catch (error) {
      throw new RequestError(invalidParams, messageOf(error), { command });
    }
  }

  private async spawn(
    { file, args, hasVerbatimArguments = false }: TerminalCommandLine,
    { limit, ...where }: { cwd: string; env: Record<string, string>; limit: number | null | undefined },
    onDidChange: () => void,
  ): Promise<TerminalProcess> {
    const maxBytes = Math.min(Math.max(limit ?? defaultOutputBytes, 0), maxOutputBytes);
    try {
      const command = { file, args, ...where, hasVerbatimArguments, maxOutputBytes: maxBytes };
      return await TerminalProcess.start(command, this.deps.clock, onDidChange);
    } catch (error) {
      throw new RequestError(invalidParams, messageOf(error), { command: file });
    }
  }

  private async resolveFolder(folder: string): Promise<string> {
    try {
      const resolved = await this.deps.editor.realPathOf(folder);
      if (await (this.deps.isFolder ?? isFolder)(resolved)) return resolved;
      throw new RequestError(invalidParams, `There is no folder at '${folder}'.`, { cwd: folder });
    } catch (error) {
      if (isEditorError(error)) throw new RequestError(invalidParams, error.message, { cwd: folder });
      throw error;
    }
  }

  private requireNotEnded(endCount: number): void {
    if (endCount !== this.endAllCount) throw new RequestError(internalError, 'All commands of the session were ended.');
  }

  private requireCapacity(): void {
    if (this.isClosed) throw new RequestError(internalError, 'The session is closed.');
    if (this.terminals.size + this.startingCount < this.deps.maxTerminals) return;
    const message = `At most ${this.deps.maxTerminals} terminals may be open. Release one with terminal/release.`;
    throw new RequestError(internalError, message);
  }

  private endTerminal(terminal: OpenTerminal): Promise<void> {
    const { process, changeNotifier } = terminal;
    const ended = process.kill().then(() => {
      changeNotifier.flushNow();
      changeNotifier.dispose();
      this.endingTerminals.delete(terminal);
    });
    this.endingTerminals.set(terminal, ended);
    return ended;
  }

  private requireTerminal(terminalId: string): OpenTerminal {
    const terminal = this.terminals.get(terminalId);
    if (!terminal) throw RequestError.resourceNotFound(terminalId);
    return terminal;
  }
}

function toStatus({ code, signal }: TerminalExit): TerminalExitStatus {
  return { exitCode: code, signal };
}
