import * as vscode from 'vscode';
import { DisposableStore, toDisposable, type Disposable } from '../../base/common/disposable';
import { messageOf } from '../../base/common/errors';
import type { Logger } from '../../base/common/log';
import { commandIds, type CommandId } from '../../manifest';
import { Messages } from './messages';

type CommandHandler = (...args: readonly unknown[]) => unknown;

/**
 * Registers every command of the manifest at once, so that none is ever "not found": one whose feature is not running
 * says so and leads to the status. What a handler throws is shown to the user, who asked for it.
 */
export class Commands implements Disposable {
  private readonly store = new DisposableStore();
  private readonly handlers = new Map<CommandId, CommandHandler>();
  private readonly loaders = new Map<CommandId, () => Promise<unknown>>();

  private readonly messages: Messages;

  constructor(private readonly log: Logger) {
    this.messages = new Messages(log);
  }

  start(): void {
    for (const id of Object.values(commandIds)) {
      this.store.add(vscode.commands.registerCommand(id, (...args: unknown[]) => this.run(id, args)));
    }
  }

  /** Dispose the result to take the handler away. */
  handle(id: CommandId, handler: CommandHandler): Disposable {
    this.handlers.set(id, handler);
    return toDisposable(() => {
      if (this.handlers.get(id) === handler) this.handlers.delete(id);
    });
  }

  /** Loads a feature when one of its commands is first run; once `load` resolves, it has its handlers. */
  handleLater(feature: 'chat' | 'review' | 'threads', load: () => Promise<unknown>): Disposable {
    const ids = Object.values(commandIds).filter((id) => id.startsWith(`backline.${feature}.`));
    for (const id of ids) this.loaders.set(id, load);
    return toDisposable(() => {
      for (const id of ids) if (this.loaders.get(id) === load) this.loaders.delete(id);
    });
  }

  dispose(): void {
    this.store.dispose();
    this.handlers.clear();
    this.loaders.clear();
  }

  private async run(id: CommandId, args: readonly unknown[]): Promise<unknown> {
    try {
      if (!this.handlers.has(id)) await this.loaders.get(id)?.();
      const handler = this.handlers.get(id);
      if (handler) return await handler(...args);
      this.explain('This part of Backline is not running.');
      return undefined;
    } catch (error) {
      this.log.error(`${id} failed`, error);
      this.explain(messageOf(error));
      return undefined;
    }
  }

  private explain(message: string): void {
    this.messages.error(message, {
      label: 'Show Status',
      run: () => vscode.commands.executeCommand(commandIds.showStatus),
    });
  }
}
