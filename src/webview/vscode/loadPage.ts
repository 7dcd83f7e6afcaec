import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { createPageHtml } from '../common/pageHtml';

export interface PageFiles {
  /** `dist/pages`, the only folder from which the page can load files. */
  readonly folder: vscode.Uri;
  readonly name: 'agents' | 'chat' | 'conversations' | 'permissions' | 'thread';
}

export function loadPage(
  webview: vscode.Webview,
  { folder, name }: PageFiles,
  content: { title: string; data?: Readonly<Record<string, string>> },
): void {
  const uriOf = (file: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folder, file)).toString();
  const sources = {
    script: uriOf(`${name}.js`),
    style: uriOf(`${name}.css`),
    cspSource: webview.cspSource,
    nonce: randomBytes(18).toString('base64'),
  };
  webview.options = { enableScripts: true, localResourceRoots: [folder] };
  webview.html = createPageHtml(sources, content);
}
