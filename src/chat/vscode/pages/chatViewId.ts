import * as vscode from 'vscode';
import { viewIds } from '../../../manifest';

/** VS Code takes views of extensions in the secondary side bar since 1.106. */
export function chatViewId(): string {
  const [major = 0, minor = 0] = vscode.version.split('.').map(Number);
  return major > 1 || minor >= 106 ? viewIds.chat : viewIds.chatInSideBar;
}
