import * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import type { Event } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import { commandIds, panelTypes, settingIds } from '../../manifest';
import { LatestViewSender } from '../../webview/common/latestViewSender';
import type { RequestHandlers } from '../../webview/common/requestHandlers';
import { PageHost } from '../../webview/vscode/pageHost';
import { PageTab } from '../../webview/vscode/pageTab';
import {
  didChangePermissions,
  permissionsRequests,
  type PolicyChoice,
  type PermissionsView,
} from '../common/page/permissionsApi';
import type { PolicyKind } from '../common/policy/policyKinds';

export interface PermissionsPageModel {
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

interface PermissionsTabDeps {
  readonly model: PermissionsPageModel;
  readonly extensionUri: vscode.Uri;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createPermissionsTab({ clock, extensionUri, log, model }: PermissionsTabDeps): PageTab {
  return new PageTab({
    ...{ viewType: panelTypes.permissions, title: 'Permissions', name: 'permissions', extensionUri },
    createHost: (panel, store) => {
      const newest = new LatestViewSender(
        () => model.loadView(),
        (view) => {
          if (!store.isDisposed) host.notify(didChangePermissions, view);
        },
      );
      const show = (): void => void newest.loadAndSend();
      const handlers = createHandlers(model, newest);
      const host = store.add(new PageHost<typeof permissionsRequests>(panel.webview, handlers, log, clock));
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
      return host;
    },
  });
}

function createHandlers(
  model: PermissionsPageModel,
  view: LatestViewSender<PermissionsView>,
): RequestHandlers<typeof permissionsRequests> {
  return {
    ready: permissionsRequests.ready.withHandler(() => view.loadAndSend()),
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
  };
}
