import * as vscode from 'vscode';
import type { Disposable } from '../../base/common/disposable';
import type { ProviderRef } from '../common/items/contextItem';
import type { ProviderLog } from '../common/providers/providerHandle';

/** Creates an output channel for each provider that writes to its log. It is disposed with the provider. */
export class ProviderLogs implements Disposable {
  private readonly channelById = new Map<string, vscode.LogOutputChannel>();

  createLog({ id, title }: ProviderRef): ProviderLog {
    let own: vscode.LogOutputChannel | undefined;
    const channel = (): vscode.LogOutputChannel => {
      own ??= vscode.window.createOutputChannel(`Backline Context: ${title}`, { log: true });
      this.channelById.set(id, own);
      return own;
    };
    return {
      debug: (line) => own?.debug(line),
      info: (line) => channel().info(line),
      error: (line) => channel().error(line),
      dispose: () => {
        own?.dispose();
        // A new provider with the same ID may already have created another channel.
        if (this.channelById.get(id) === own) this.channelById.delete(id);
      },
    };
  }

  show(id: string): boolean {
    const channel = this.channelById.get(id);
    channel?.show(true);
    return channel !== undefined;
  }

  dispose(): void {
    for (const channel of this.channelById.values()) channel.dispose();
    this.channelById.clear();
  }
}
