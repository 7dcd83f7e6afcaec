import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { pageHtml } from '../common/pageHtml';

export interface PageFiles {
  /** `dist/pages`: nothing else can be loaded by the page. */
  readonly folder: vscode.Uri;
  /** Of its script and its style sheet in there, without an ending. */
  readonly name: 'chat' | 'permissions' | 'thread';
}

/** Loads the page into the webview; see `pageHtml`. */
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
  webview.html = pageHtml(sources, content);
}
