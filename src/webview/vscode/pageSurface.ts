import type * as vscode from 'vscode';

/** Where VS Code shows a page: a view or an editor tab. */
export interface PageSurface {
  readonly webview: vscode.Webview;
  readonly isVisible: () => boolean;
  readonly onDidChangeVisibility: (listener: () => void) => vscode.Disposable;
}

export function viewSurface(view: vscode.WebviewView): PageSurface {
  return {
    webview: view.webview,
    isVisible: () => view.visible,
    onDidChangeVisibility: (listener) => view.onDidChangeVisibility(listener),
  };
}

export function tabSurface(panel: vscode.WebviewPanel): PageSurface {
  return {
    webview: panel.webview,
    isVisible: () => panel.visible,
    onDidChangeVisibility: (listener) => panel.onDidChangeViewState(listener),
  };
}
