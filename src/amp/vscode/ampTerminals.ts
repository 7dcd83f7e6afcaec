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
/** How long a terminal whose shell outlived a reload may take to be back. */
const comeBackMs = 5_000;

/** The folders of the terminals that were made here, by the process of their shell, which outlives a reload. */
const Remembered = z.record(z.string(), z.string()).catch({});

interface AmpTerminalsOptions {
  /** A folder of this extension. */
  readonly storageFolder: string;
  /** Where a terminal starts that belongs to no folder. */
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

/** The terminals that run the Amp CLI, one a folder. They belong to the user: disposing this leaves them open. */
export class AmpTerminals implements vscode.Disposable {
  private readonly store = new DisposableStore();
  private readonly folders = new Map<vscode.Terminal, string>();
  /** Terminals whose shell has said that it does not run the CLI; not every shell says what it runs. */
  private readonly idle = new Set<vscode.Terminal>();
  /** By the process of their shell, the folders of those from before a reload that VS Code has not brought back yet. */
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

  /** The terminal to type into: the active one, else one whose folder holds the file, else the newest; only while the CLI runs. */
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

  /** Shows the folder's terminal, or makes one, and runs the CLI in it unless it is running. No folder: the user's home. */
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

  /** Resolves when the folder has its terminal of before a reload again, or has none that is to come. */
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

  /** Oldest first. A terminal of somebody else is none of them, whatever its name. */
  private get all(): AmpTerminal[] {
    return vscode.window.terminals.flatMap((terminal) => {
      const folder = this.folders.get(terminal);
      return folder === undefined || terminal.exitStatus ? [] : [{ terminal, folder }];
    });
  }

  /** A terminal of before a reload of the window comes back as another object, with the same process. */
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
