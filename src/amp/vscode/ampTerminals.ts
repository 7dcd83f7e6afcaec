import * as path from 'node:path';
import * as vscode from 'vscode';
import * as z from 'zod';
import { DisposableStore } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import { closestFolder } from '../common/mention';
import { terminalEnvironment } from '../common/terminalEnvironment';
import type { FoundAmp } from '../node/findAmp';

const terminalName = 'Amp';
const mementoKey = 'amp.terminals';

/** The folders of the terminals that were made here, by the process of their shell, which outlives a reload. */
const Remembered = z.record(z.string(), z.string()).catch({});

export interface AmpTerminalsOptions {
  /** A folder of this extension. */
  readonly storageFolder: string;
  /** Where a terminal starts that belongs to no folder. */
  readonly homeFolder: string;
  /** Of this workspace. */
  readonly memento: vscode.Memento;
  readonly log: Logger;
}

export interface AmpTerminal {
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

  constructor(private readonly options: AmpTerminalsOptions) {}

  start(): void {
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
  open(amp: FoundAmp, folder = this.options.homeFolder): void {
    const existing = this.all.find((other) => other.folder === folder)?.terminal;
    const terminal = existing ?? this.create(amp, folder);
    terminal.show();
    if (existing && !this.idle.has(existing)) return;
    this.idle.delete(terminal);
    terminal.sendText('amp');
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
      const folder = this.remembered[String(await terminal.processId)];
      if (folder !== undefined && !this.folders.has(terminal)) this.folders.set(terminal, folder);
    };
    look().catch((error: unknown) => this.options.log.warn(`cannot tell whose a terminal is: ${String(error)}`));
  }

  private remember(): void {
    const write = async (): Promise<void> => {
      const entries = await Promise.all(
        [...this.folders].map(async ([terminal, folder]) => [String(await terminal.processId), folder]),
      );
      await this.options.memento.update(mementoKey, Object.fromEntries(entries));
    };
    write().catch((error: unknown) => this.options.log.warn(`cannot remember the terminals: ${String(error)}`));
  }

  private get remembered(): Readonly<Record<string, string>> {
    return Remembered.parse(this.options.memento.get(mementoKey, {}));
  }
}

function isAmp(commandLine: string): boolean {
  return /^(?:\S*[\\/])?amp(?:\.\w+)?(?:\s|$)/.test(commandLine);
}
