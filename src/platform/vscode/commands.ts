import * as vscode from 'vscode';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { commandIds, type CommandId } from '../../manifest';
import { Messages } from './messages';

type CommandHandler = (...args: readonly unknown[]) => unknown;

/**
 * Registers all commands of the manifest at startup. A command of a feature that is not running shows an error with a
 * link to the status. Errors of handlers are shown to the user.
 */
export class Commands implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly handlers = new Map<CommandId, CommandHandler>();
  private readonly featureLoaders = new Map<CommandId, () => Promise<unknown>>();
  private readonly messages: Messages;

  constructor(private readonly log: Logger) {
    this.messages = new Messages(log);
  }

  start(): void {
    for (const id of Object.values(commandIds)) {
      this.disposables.add(vscode.commands.registerCommand(id, (...args: unknown[]) => this.run(id, args)));
    }
  }

  /** Sets the handler of a command. Disposing the result removes it. */
  setHandler(id: CommandId, handler: CommandHandler): Disposable {
    this.handlers.set(id, handler);
    return toDisposable(() => {
      if (this.handlers.get(id) === handler) this.handlers.delete(id);
    });
  }

  /** Calls `load` before the first command of a feature. The feature must register its handlers before `load` resolves. */
  setFeatureLoader(
    feature: 'chat' | 'comments' | 'conversations' | 'review' | 'startingPoints' | 'threads',
    load: () => Promise<unknown>,
  ): Disposable {
    const ids = Object.values(commandIds).filter((id) => id.startsWith(`backline.${feature}.`));
    for (const id of ids) this.featureLoaders.set(id, load);
    return toDisposable(() => {
      for (const id of ids) if (this.featureLoaders.get(id) === load) this.featureLoaders.delete(id);
    });
  }

  dispose(): void {
    this.disposables.dispose();
    this.handlers.clear();
    this.featureLoaders.clear();
  }

  private async run(id: CommandId, args: readonly unknown[]): Promise<unknown> {
    try {
      if (!this.handlers.has(id)) await this.featureLoaders.get(id)?.();
      const handler = this.handlers.get(id);
      if (handler) return await handler(...args);
      this.showError('This Backline feature is not running.');
    } catch (error) {
      this.log.error(`${id} failed`, error);
      this.showError(messageOf(error));
    }
    return undefined;
  }

  private showError(message: string): void {
    this.messages.error(message, {
      label: 'Show Status',
      run: () => vscode.commands.executeCommand(commandIds.showStatus),
    });
  }
}
