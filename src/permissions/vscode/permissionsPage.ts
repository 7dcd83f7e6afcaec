import * as vscode from 'vscode';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { LazyFeature } from '../../base/common/feature';
import { commandIds, panelTypes } from '../../manifest';
import type { PermissionsController, PermissionsControllerDeps } from './permissionsController';

/** Registers the page that shows and changes what agents can do. The page is loaded on first use. */
export class PermissionsPage implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly lazyController: LazyFeature<PermissionsController>;

  constructor(private readonly deps: PermissionsControllerDeps) {
    this.lazyController = this.disposables.add(
      new LazyFeature(async () => {
        const { PermissionsController } = await import('./permissionsController');
        return new PermissionsController(deps);
      }),
    );
  }

  start(): void {
    const { disposables, lazyController } = this;
    const { commands } = this.deps;
    disposables.add(
      commands.setHandler(commandIds.permissionsShow, async () => (await lazyController.getOrLoad()).show()),
    );
    disposables.add(
      vscode.window.registerWebviewPanelSerializer(panelTypes.permissions, {
        deserializeWebviewPanel: async (panel) => (await lazyController.getOrLoad()).restore(panel),
      }),
    );
  }

  dispose(): void {
    this.disposables.dispose();
  }
}
