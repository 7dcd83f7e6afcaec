import * as path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { DisposableStore } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { isProcessAlive } from '../../base/node/isProcessAlive';
import { closestFolder } from '../common/ampMention';
import { terminalEnvironment } from '../common/terminalEnvironment';
import type { FoundAmp } from '../node/findAmp';

const terminalName = 'Amp';
const mementoKey = 'amp.terminals';
/** How long to wait for VS Code to restore a terminal after a reload. */
const comeBackMs = 5_000;

/** The folders of our terminals, by the process ID of their shell, which survives a reload. */
const Remembered = z.record(z.string(), z.string()).catch({});

interface AmpTerminalsOptions {
  /** A folder of this extension. */
  readonly storageFolder: string;
  /** Where a terminal without a folder starts. */
  readonly homeFolder: string;
  /** Of this workspace. */
  readonly memento: vscode.Memento;
  readonly log: Logger;
}

interface AmpTerminal {
  readonly terminal: vscode.Terminal;
  /** Absolute path of the folder it runs in. */
  readonly folder: string;
}

/** The terminals that run the Amp CLI, one per folder. They belong to the user: `dispose` does not close them. */
export class AmpTerminals implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly folders = new Map<vscode.Terminal, string>();
  /** Terminals whose shell reported that it is not running the CLI. Not every shell reports what it runs. */
  private readonly idle = new Set<vscode.Terminal>();
  /** Folders of terminals from before a reload that VS Code has not restored yet, by the process ID of their shell. */
  private readonly returning = new Map<number, string>();

  constructor(private readonly options: AmpTerminalsOptions) {}

  start(): void {
    const remembered = Remembered.parse(this.options.memento.get(mementoKey, {}));
    for (const [pid, folder] of Object.entries(remembered)) {
      if (isProcessAlive(Number(pid))) this.returning.set(Number(pid), folder);
    }
    for (const terminal of vscode.window.terminals) this.recognise(terminal);
    this.store.add(vscode.window.onDidOpenTerminal((terminal) => this.recognise(terminal)));
    this.store.add(
      vscode.window.onDidCloseTerminal((terminal) => {
        this.idle.delete(terminal);
        if (this.folders.delete(terminal)) this.remember();
      }),
    );
    this.store.add(vscode.window.onDidEndTerminalShellExecution(({ terminal }) => this.idle.add(terminal)));
    this.store.add(
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
        if (isAmp(execution.commandLine.value)) this.idle.delete(terminal);
        else this.idle.add(terminal);
      }),
    );
  }

  dispose(): void {
    this.store.dispose();
  }

  /** The terminal with a running CLI to type into: the active one, else that of the closest folder, else the newest. */
  runningFor(file: string): AmpTerminal | undefined {
    const running = this.all.filter(({ terminal }) => !this.idle.has(terminal)).reverse();
    const closest = closestFolder(
      file,
      running.map(({ folder }) => folder),
    );
    return (
      running.find(({ terminal }) => terminal === vscode.window.activeTerminal) ??
      running.find(({ folder }) => folder === closest) ??
      running[0]
    );
  }

  /** Shows or creates the terminal of the folder (default: home folder), and starts the CLI unless it is running. */
  async open(amp: FoundAmp, folder = this.options.homeFolder): Promise<void> {
    await this.comeBack(folder);
    const existing = this.in(folder);
    const terminal = existing ?? this.create(amp, folder);
    terminal.show();
    if (existing && !this.idle.has(existing)) return;
    this.idle.delete(terminal);
    terminal.sendText('amp');
  }

  private in(folder: string): vscode.Terminal | undefined {
    return this.all.find((other) => other.folder === folder)?.terminal;
  }

  /** Waits until the terminal of the folder from before a reload is restored, or none is expected any more. */
  private async comeBack(folder: string): Promise<void> {
    const isToCome = (): boolean =>
      [...this.returning].some(([pid, its]) => its === folder && this.in(folder) === undefined && isProcessAlive(pid));
    const endMs = performance.now() + comeBackMs;
    while (isToCome() && performance.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const [pid, its] of this.returning) if (its === folder) this.returning.delete(pid);
  }

  private create(amp: FoundAmp, folder: string): vscode.Terminal {
    const terminal = vscode.window.createTerminal({
      name: terminalName,
      cwd: folder,
      iconPath: new vscode.ThemeIcon('broadcast'),
      env: terminalEnvironment({
        inherited: process.env,
        pathDelimiter: path.delimiter,
        missingFolder: path.join(this.options.storageFolder, 'no-editor-data'),
        ...(amp.isOnPath ? {} : { extraPathFolder: path.dirname(amp.file) }),
      }),
    });
    this.folders.set(terminal, folder);
    this.remember();
    return terminal;
  }

  /** Our terminals, oldest first. Other terminals do not count, whatever their names. */
  private get all(): AmpTerminal[] {
    return vscode.window.terminals.flatMap((terminal) => {
      const folder = this.folders.get(terminal);
      return folder === undefined || terminal.exitStatus ? [] : [{ terminal, folder }];
    });
  }

  /** A restored terminal is a new object with the same process. */
  private recognise(terminal: vscode.Terminal): void {
    const look = async (): Promise<void> => {
      const pid = await terminal.processId;
      const folder = pid === undefined ? undefined : this.returning.get(pid);
      if (pid === undefined || folder === undefined) return;
      this.returning.delete(pid);
      this.folders.set(terminal, folder);
    };
    look().catch((error: unknown) => this.options.log.warn(`cannot tell whose a terminal is: ${String(error)}`));
  }

  private remember(): void {
    const write = async (): Promise<void> => {
      const entries = await Promise.all(
        [...this.folders].map(async ([terminal, folder]) => [String(await terminal.processId), folder]),
      );
      await this.options.memento.update(mementoKey, Object.fromEntries([...this.returning, ...entries]));
    };
    write().catch((error: unknown) => this.options.log.warn(`cannot remember the terminals: ${String(error)}`));
  }
}

function isAmp(commandLine: string): boolean {
  return /^(?:\S*[\\/])?amp(?:\.\w+)?(?:\s|$)/.test(commandLine);
}
