import * as vscode from 'vscode';
import { commandIds } from '../../../manifest';
import { waitWithProgress } from '../../../platform/vscode/waitWithProgress';

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
