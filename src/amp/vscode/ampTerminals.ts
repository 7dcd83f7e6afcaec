import * as path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { DisposableStore } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { isProcessAlive } from '../../base/node/isProcessAlive';
import { innermostFolder } from '../common/ampMention';
import { terminalEnvironment } from '../common/terminalEnvironment';
import type { FoundAmp } from '../node/findAmp';

const terminalName = 'Amp';
const mementoKey = 'amp.terminals';
/** How long to wait for VS Code to restore a terminal after a reload. */
const restoreTimeoutMs = 5_000;

/** The folders of Backline's Amp terminals, by the process ID of their shell, which stays the same after a reload. */
const StoredFolders = z.record(z.string(), z.string()).catch({});

interface AmpTerminalsDeps {
  readonly storageFolder: string;
  /** The folder in which a terminal starts by default. */
  readonly homeFolder: string;
  readonly memento: vscode.Memento;
  readonly log: Logger;
}

interface AmpTerminal {
  readonly terminal: vscode.Terminal;
  /** Absolute path of the folder in which the terminal runs. */
  readonly folder: string;
}

/** The terminals that run the Amp CLI, one per folder. They belong to the user, so `dispose` does not close them. */
export class AmpTerminals implements vscode.Disposable {
  private readonly disposables = new DisposableStore();
  private readonly folderByTerminal = new Map<vscode.Terminal, string>();
  /** Terminals whose shell has reported that it is not running the CLI. Not every shell reports its commands. */
  private readonly idleTerminals = new Set<vscode.Terminal>();
  /** Folders of terminals from before a reload that VS Code has not restored yet, by process ID of their shell. */
  private readonly unrestoredFolders = new Map<number, string>();

  constructor(private readonly deps: AmpTerminalsDeps) {}

  trackTerminals(): void {
    const remembered = StoredFolders.parse(this.deps.memento.get(mementoKey, {}));
    for (const [pid, folder] of Object.entries(remembered)) {
      if (isProcessAlive(Number(pid))) this.unrestoredFolders.set(Number(pid), folder);
    }
    for (const terminal of vscode.window.terminals) this.adoptRestoredTerminal(terminal);
    this.disposables.add(vscode.window.onDidOpenTerminal((terminal) => this.adoptRestoredTerminal(terminal)));
    this.disposables.add(
      vscode.window.onDidCloseTerminal((terminal) => {
        this.idleTerminals.delete(terminal);
        if (this.folderByTerminal.delete(terminal)) this.saveFolders();
      }),
    );
    this.disposables.add(
      vscode.window.onDidEndTerminalShellExecution(({ terminal }) => this.idleTerminals.add(terminal)),
    );
    this.disposables.add(
      vscode.window.onDidStartTerminalShellExecution(({ terminal, execution }) => {
        if (isAmp(execution.commandLine.value)) this.idleTerminals.delete(terminal);
        else this.idleTerminals.add(terminal);
      }),
    );
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Returns the terminal whose CLI gets text: the active one, or that of the closest folder, or the newest. */
  findRunningCli(file: string): AmpTerminal | undefined {
    const running = this.ownTerminals.filter(({ terminal }) => !this.idleTerminals.has(terminal)).reverse();
    const closest = innermostFolder(
      file,
      running.map(({ folder }) => folder),
    );
    return (
      running.find(({ terminal }) => terminal === vscode.window.activeTerminal) ??
      running.find(({ folder }) => folder === closest) ??
      running[0]
    );
  }

  /** Shows the terminal of the folder (default: home folder), or creates it. Starts the CLI if it is not running. */
  async openInFolder(amp: FoundAmp, folder = this.deps.homeFolder): Promise<void> {
    await this.waitForRestoredTerminal(folder);
    const existing = this.findTerminalOfFolder(folder);
    const terminal = existing ?? this.createTerminal(amp, folder);
    terminal.show();
    if (existing && !this.idleTerminals.has(existing)) return;
    this.idleTerminals.delete(terminal);
    terminal.sendText('amp');
  }

  private findTerminalOfFolder(folder: string): vscode.Terminal | undefined {
    return this.ownTerminals.find((other) => other.folder === folder)?.terminal;
  }

  /**
   * Waits until a terminal of the folder from before a reload has been restored. Stops waiting when VS Code is not
   * expected to restore it any more.
   */
  private async waitForRestoredTerminal(folder: string): Promise<void> {
    const isToCome = (): boolean =>
      [...this.unrestoredFolders].some(
        ([pid, its]) => its === folder && this.findTerminalOfFolder(folder) === undefined && isProcessAlive(pid),
      );
    const endMs = performance.now() + restoreTimeoutMs;
    while (isToCome() && performance.now() < endMs) await new Promise((resolve) => setTimeout(resolve, 50));
    for (const [pid, its] of this.unrestoredFolders) if (its === folder) this.unrestoredFolders.delete(pid);
  }

  private createTerminal(amp: FoundAmp, folder: string): vscode.Terminal {
    const terminal = vscode.window.createTerminal({
      name: terminalName,
      cwd: folder,
      iconPath: new vscode.ThemeIcon('broadcast'),
      env: terminalEnvironment({
        inheritedEnv: process.env,
        pathDelimiter: path.delimiter,
        missingFolder: path.join(this.deps.storageFolder, 'no-editor-data'),
        ...(amp.isOnPath ? {} : { extraPathFolder: path.dirname(amp.file) }),
      }),
    });
    this.folderByTerminal.set(terminal, folder);
    this.saveFolders();
    return terminal;
  }

  /** The terminals that Backline created, the oldest first. */
  private get ownTerminals(): AmpTerminal[] {
    return vscode.window.terminals.flatMap((terminal) => {
      const folder = this.folderByTerminal.get(terminal);
      return folder === undefined || terminal.exitStatus ? [] : [{ terminal, folder }];
    });
  }

  /** Recognizes a restored terminal by its process. After a reload, it is a new object for the same process. */
  private adoptRestoredTerminal(terminal: vscode.Terminal): void {
    const look = async (): Promise<void> => {
      const pid = await terminal.processId;
      const folder = pid === undefined ? undefined : this.unrestoredFolders.get(pid);
      if (pid === undefined || folder === undefined) return;
      this.unrestoredFolders.delete(pid);
      this.folderByTerminal.set(terminal, folder);
    };
    look().catch((error: unknown) => this.deps.log.warn(`cannot tell whose a terminal is: ${String(error)}`));
  }

  private saveFolders(): void {
    const write = async (): Promise<void> => {
      const entries = await Promise.all(
        [...this.folderByTerminal].map(async ([terminal, folder]) => [String(await terminal.processId), folder]),
      );
      await this.deps.memento.update(mementoKey, Object.fromEntries([...this.unrestoredFolders, ...entries]));
    };
    write().catch((error: unknown) => this.deps.log.warn(`cannot remember the terminals: ${String(error)}`));
  }
}

function isAmp(commandLine: string): boolean {
  return /^(?:\S*[\\/])?amp(?:\.\w+)?(?:\s|$)/.test(commandLine);
}
