import { randomBytes } from 'node:crypto';
import type * as vscode from 'vscode';
import { pageHtml } from '../common/pageHtml';

export interface PageFiles {
  /** The folder of the built pages; nothing else can be loaded by the page. */
  readonly folder: vscode.Uri;
  /** Relative to the folder. */
  readonly script: vscode.Uri;
  readonly style: vscode.Uri;
}

/** The document of a page in a webview; see `pageHtml`. */
export function webviewHtml(
  webview: vscode.Webview,
  { script, style }: PageFiles,
  content: { title: string; data?: Readonly<Record<string, string>> },
): string {
  const sources = {
    script: webview.asWebviewUri(script).toString(),
    style: webview.asWebviewUri(style).toString(),
    cspSource: webview.cspSource,
    nonce: randomBytes(18).toString('base64'),
  };
  return pageHtml(sources, content);
}
