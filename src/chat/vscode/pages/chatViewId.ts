import * as vscode from 'vscode';
import { viewIds } from '../../../manifest';

/** Returns the id of the view. Extensions can add views to the secondary side bar since VS Code 1.106. */
export function chatViewId(): string {
  const [major = 0, minor = 0] = vscode.version.split('.').map(Number);
  return major > 1 || minor >= 106 ? viewIds.chat : viewIds.chatInSideBar;
}
