import * as vscode from 'vscode';
import type { Memento } from '../../base/common/memento';
import { commandPoint, selectionPoint, type FailedCommand } from '../common/commandPoint';
import type { StartingPoint } from '../common/startingPoint';

interface TerminalCommandsDeps {
  /** See `FailedCommands.last`. */
  readonly lastFailed: (ofAny: boolean) => FailedCommand | undefined;
  /** Asks the user; see `Messages.offer`. */
  readonly offer: (message: string, label: string) => Promise<boolean>;
  /** Stores that the user has agreed. */
  readonly memento: Memento;
  /** Returns a text that nobody has in the clipboard. */
  readonly newId: () => string;
}

const allowedName = 'startingPoints.readsClipboard';
const question =
  'The selection of a terminal can only be read through the clipboard, whose text is put back. Its formatting, or an image in it, is lost.';

/** Collects what terminals show. */
export class TerminalCommands {
  constructor(private readonly deps: TerminalCommandsDeps) {}

  /** `ofAny`: of any terminal, if the active one has none. @throws Error if no failed command is known */
  failedCommand(ofAny: boolean): StartingPoint {
    const failed = this.deps.lastFailed(ofAny);
    if (failed) return commandPoint(failed);
    throw new Error(`No command has failed yet in ${ofAny ? 'a terminal with shell integration' : 'this terminal'}.`);
  }

  /** Resolves to undefined if the user wants to keep what is in the clipboard. @throws Error if nothing is selected */
  async selection(): Promise<StartingPoint | undefined> {
    const selected = await this.copySelection();
    if (selected === undefined) return undefined;
    if (selected === '') throw new Error('Nothing is selected in the terminal.');
    return selectionPoint(selected, vscode.window.activeTerminal?.shellIntegration?.cwd?.fsPath);
  }

  /** VS Code gives extensions a terminal's selection only through the clipboard, whose text is put back. */
  private async copySelection(): Promise<string | undefined> {
    const { clipboard } = vscode.env;
    const { memento, offer } = this.deps;
    const before = await clipboard.readText();
    // Asked once, and each time if there may be an image or the like.
    if (before === '' || memento.get(allowedName) !== true) {
      if (!(await offer(question, 'Continue'))) return undefined;
      await memento.update(allowedName, true);
    }
    // VS Code copies nothing if nothing is selected. What the user has in the clipboard must not be taken for the selection.
    const marker = this.deps.newId();
    try {
      await clipboard.writeText(marker);
      await vscode.commands.executeCommand('workbench.action.terminal.copySelection');
      const copied = await clipboard.readText();
      return copied === marker ? '' : copied;
    } finally {
      await clipboard.writeText(before);
    }
  }
}
