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
  type PolicyChoice,
  type PermissionsView,
} from '../common/page/permissionsApi';
import { LatestViewSender } from '../../webview/common/latestViewSender';
import type { PolicyKind } from '../common/policy/policyKinds';

export interface PermissionsPanelModel {
  readonly onDidChange: Event<void>;
  /** Loads the contents of the page. Never rejects. */
  loadView(): Promise<PermissionsView>;
  /** Writes an answer to the user settings. @throws Error if they cannot be written */
  setPolicy(agent: string, kind: PolicyKind, choice: PolicyChoice): Promise<void>;
  /** Removes a rule. Ignores unknown ids. */
  removeRule(id: string): Promise<void>;
  /** Asks the user for a rule and adds it. */
  addRule(): Promise<void>;
}

interface PermissionsPanelDeps {
  readonly model: PermissionsPanelModel;
  readonly extensionUri: vscode.Uri;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The editor tab with the permissions page; at most one per window. */
export class PermissionsPanel implements Disposable {
  private openTab: { readonly panel: vscode.WebviewPanel; readonly store: DisposableStore } | undefined;

  constructor(private readonly deps: PermissionsPanelDeps) {}

  show(): void {
    if (this.openTab) this.openTab.panel.reveal();
    else {
      const panel = vscode.window.createWebviewPanel(panelTypes.permissions, 'Permissions', vscode.ViewColumn.Active);
      this.initialize(panel);
    }
  }

  /** Restores a tab after the window is reloaded. */
  restore(panel: vscode.WebviewPanel): void {
    if (this.openTab) panel.dispose();
    else this.initialize(panel);
  }

  /** The tab stays open, because VS Code restores it after a reload. */
  dispose(): void {
    this.openTab?.store.dispose();
    this.openTab = undefined;
  }

  private initialize(panel: vscode.WebviewPanel): void {
    const { model, extensionUri, clock, log } = this.deps;
    const store = new DisposableStore();
    const folder = vscode.Uri.joinPath(extensionUri, 'dist', 'pages');
    const newest = new LatestViewSender(
      () => model.loadView(),
      (view) => {
        if (!store.isDisposed) host.notify(didChangePermissions, view);
      },
    );
    const host = store.add(
      new PageHost<typeof permissionsRequests>(
        panel.webview,
        {
          ready: permissionsRequests.ready.withHandler(() => newest.refresh()),
          setPolicy: permissionsRequests.setPolicy.withHandler(({ agent, kind, choice }) =>
            model.setPolicy(agent, kind, choice),
          ),
          removeRule: permissionsRequests.removeRule.withHandler(({ id }) => model.removeRule(id)),
          restartAgent: permissionsRequests.restartAgent.withHandler(({ agent }) =>
            vscode.commands.executeCommand(commandIds.acpRestartAgent, agent),
          ),
          addRule: permissionsRequests.addRule.withHandler(() => model.addRule()),
          showProtectedFiles: permissionsRequests.showProtectedFiles.withHandler(() =>
            vscode.commands.executeCommand('workbench.action.openSettings', settingIds.protectedFiles),
          ),
        },
        log,
        clock,
      ),
    );
    const show = (): void => void newest.refresh();
    store.add(model.onDidChange(show));
    // Other windows can change rules without an event in this window.
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
    this.openTab = { panel, store };
    panel.onDidDispose(() => {
      store.dispose();
      if (this.openTab?.panel === panel) this.openTab = undefined;
    });
    panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
    host.start();
    loadPage(panel.webview, { folder, name: 'permissions' }, { title: 'Permissions' });
  }
}
