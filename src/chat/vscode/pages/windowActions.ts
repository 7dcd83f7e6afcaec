import * as vscode from 'vscode';
import { commandIds, settingIds } from '../../../manifest';
import type { Settings } from '../../../platform/vscode/settings';
import { waitWithProgress } from '../../../platform/vscode/waitWithProgress';
import type { ChatPageServices } from './chatPageServices';

/** What the chat has VS Code do. */
export const windowActions = {
  wait: waitWithProgress,
  showAgents: () => vscode.commands.executeCommand(commandIds.agentsShow),
  showLog: () => vscode.commands.executeCommand(commandIds.showLog),
  sendComments: () => vscode.commands.executeCommand(commandIds.commentsSend),
  showNextUnreviewed: () => vscode.commands.executeCommand(commandIds.reviewNextUnreviewed),
  manageTrust: () => vscode.commands.executeCommand('workbench.trust.manage'),
  openFolder: () => vscode.commands.executeCommand('vscode.openFolder'),
  isTrusted: () => vscode.workspace.isTrusted,
};

/** What Enter does during a turn, by the setting. */
export function enterDuringTurnOf(
  settings: Pick<Settings, 'enterDuringTurn' | 'onDidChangeOf'>,
): ChatPageServices['enterDuringTurn'] {
  return {
    get value() {
      return settings.enterDuringTurn();
    },
    onDidChange: (listener) => settings.onDidChangeOf([settingIds.chatEnterDuringTurn], listener),
  };
}
