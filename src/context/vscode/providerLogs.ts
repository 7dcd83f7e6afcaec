import * as vscode from 'vscode';
import type { Disposable } from '../../base/common/disposable';
import type { ProviderRef } from '../common/items/contextItem';
import type { ProviderLog } from '../common/providers/providerHandle';

/** An output channel for each provider that has something to say; it ends with the provider. */
export class ProviderLogs implements Disposable {
  private readonly channels = new Map<string, vscode.LogOutputChannel>();

  logOf({ id, title }: ProviderRef): ProviderLog {
    let own: vscode.LogOutputChannel | undefined;
    const channel = (): vscode.LogOutputChannel => {
      own ??= vscode.window.createOutputChannel(`Backline Context: ${title}`, { log: true });
      this.channels.set(id, own);
      return own;
    };
    return {
      debug: (line) => own?.debug(line),
      info: (line) => channel().info(line),
      error: (line) => channel().error(line),
      dispose: () => {
        own?.dispose();
        // The next provider of that name may have one already.
        if (this.channels.get(id) === own) this.channels.delete(id);
      },
    };
  }

  /** False when the provider has said nothing yet. */
  show(id: string): boolean {
    const channel = this.channels.get(id);
    channel?.show(true);
    return channel !== undefined;
  }

  dispose(): void {
    for (const channel of this.channels.values()) channel.dispose();
    this.channels.clear();
  }
}
