import * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import type { Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { commandIds, panelTypes, settingIds } from '../../manifest';
import { PageHost } from '../../webview/vscode/pageHost';
import { loadPage } from '../../webview/vscode/loadPage';
import {
  didChangePermissions,
  permissionsRequests,
  type Choice,
  type PermissionsView,
} from '../common/page/permissionsApi';
import { NewestView } from '../common/page/newestView';
import type { PolicyKind } from '../common/policy/policyKinds';

/** What the page shows and changes. */
export interface PermissionsModel {
  readonly onDidChange: Event<void>;
  /** Never rejects. */
  view(): Promise<PermissionsView>;
  /** @throws Error when the setting cannot be written */
  setPolicy(agent: string, kind: PolicyKind, choice: Choice): Promise<void>;
  /** One that is gone already is no error. */
  removeRule(id: string): Promise<void>;
  /** Asks the user for one. */
  addRule(): Promise<void>;
}

interface PermissionsPanelOptions {
  readonly model: PermissionsModel;
  readonly extensionUri: vscode.Uri;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The editor tab of permissions; at most one in a window. */
export class PermissionsPanel implements Disposable {
  private open: { readonly panel: vscode.WebviewPanel; readonly store: DisposableStore } | undefined;

  constructor(private readonly options: PermissionsPanelOptions) {}

  show(): void {
    if (this.open) this.open.panel.reveal();
    else {
      const panel = vscode.window.createWebviewPanel(panelTypes.permissions, 'Permissions', vscode.ViewColumn.Active);
      this.fill(panel);
    }
  }

  /** Fills a tab of a window that was loaded again. */
  restore(panel: vscode.WebviewPanel): void {
    if (this.open) panel.dispose();
    else this.fill(panel);
  }

  /** The tab stays: a window that is loaded again fills it. */
  dispose(): void {
    this.open?.store.dispose();
    this.open = undefined;
  }

  private fill(panel: vscode.WebviewPanel): void {
    const { model, extensionUri, clock, log } = this.options;
    const store = new DisposableStore();
    const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'pages');
    const newest = new NewestView(
      () => model.view(),
      (view) => {
        if (!store.isDisposed) host.notify(didChangePermissions, view);
      },
    );
    const host = store.add(
      new PageHost<typeof permissionsRequests>(
        panel.webview,
        {
          ready: permissionsRequests.ready.handledBy(() => newest.show()),
          setPolicy: permissionsRequests.setPolicy.handledBy(({ agent, kind, choice }) =>
            model.setPolicy(agent, kind, choice),
          ),
          removeRule: permissionsRequests.removeRule.handledBy(({ id }) => model.removeRule(id)),
          restartAgent: permissionsRequests.restartAgent.handledBy(({ agent }) =>
            vscode.commands.executeCommand(commandIds.acpRestartAgent, agent),
          ),
          addRule: permissionsRequests.addRule.handledBy(() => model.addRule()),
          showProtectedFiles: permissionsRequests.showProtectedFiles.handledBy(() =>
            vscode.commands.executeCommand('workbench.action.openSettings', settingIds.protectedFiles),
          ),
        },
        log,
        clock,
      ),
    );
    const show = (): void => void newest.show();
    store.add(model.onDidChange(show));
    // Another window may have made or removed rules meanwhile, of which this one is not told.
    store.add(
      panel.onDidChangeViewState(() => {
        if (panel.visible) show();
      }),
    );
    store.add(
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused && panel.visible) show();
      }),
    );
    this.open = { panel, store };
    panel.onDidDispose(() => {
      store.dispose();
      if (this.open?.panel === panel) this.open = undefined;
    });
    panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
    host.start();
    loadPage(panel.webview, { folder, name: 'permissions' }, { title: 'Permissions' });
  }
}
