// What VS Code does inside a webview, for a page that has no VS Code: its API, its theme, its default style. Runs in the
// page before the page's own script; the harness calls it by the name `harness`.
import type { Theme } from './themes';

declare global {
  interface Window {
    acquireVsCodeApi: () => {
      postMessage(message: unknown): void;
      getState(): unknown;
      setState(state: unknown): void;
    };
    harness: { applyTheme(theme: Theme): void; receive(message: unknown): void; storedState(): unknown };
    harnessPost: (folder: string, message: unknown) => void;
  }
}

/** VS Code's own, where it bears on how a page looks. */
const defaultStyle = `@layer vscode-default {
  html { background-color: var(--vscode-sideBar-background); scrollbar-color: var(--vscode-scrollbarSlider-background) transparent; }
  body { overscroll-behavior-x: none; background-color: transparent; color: var(--vscode-editor-foreground);
    font-family: var(--vscode-font-family); font-weight: var(--vscode-font-weight); font-size: var(--vscode-font-size);
    margin: 0; padding: 0 20px; }
  img, video { max-width: 100%; max-height: 100%; }
  a, a code { color: var(--vscode-textLink-foreground); }
  a:hover { color: var(--vscode-textLink-activeForeground); }
  a:focus, input:focus, select:focus, textarea:focus { outline: 1px solid -webkit-focus-ring-color; outline-offset: -1px; }
  code { font-family: var(--monaco-monospace-font); color: var(--vscode-textPreformat-foreground);
    background-color: var(--vscode-textPreformat-background); padding: 1px 3px; border-radius: 4px; }
  pre code { padding: 0; }
  blockquote { background: var(--vscode-textBlockQuote-background); border-color: var(--vscode-textBlockQuote-border); }
  kbd { background-color: var(--vscode-keybindingLabel-background); color: var(--vscode-keybindingLabel-foreground);
    border: 1px solid var(--vscode-keybindingLabel-border); border-radius: 3px; vertical-align: middle; padding: 1px 3px; }
}`;

/** Of this page. What others have stored in the same tab is theirs. */
const folder = location.pathname.replace(/\/[^/]*$/, '');
const stateKey = `harness.state ${folder}`;

function applyTheme(theme: Theme): void {
  const { style } = document.documentElement;
  for (const name of [...style].filter((property) => property.startsWith('--'))) style.removeProperty(name);
  for (const [name, value] of Object.entries(theme.variables)) style.setProperty(name, value);
  document.body.classList.remove('vscode-light', 'vscode-dark', 'vscode-high-contrast', 'vscode-high-contrast-light');
  document.body.classList.add(...theme.bodyClass.split(' '));
  document.body.dataset['vscodeThemeKind'] = theme.kind;
  document.body.dataset['vscodeThemeId'] = theme.id;
}

function isTheme(value: unknown): value is Theme {
  return typeof value === 'object' && value !== null && 'variables' in value;
}

function applyStyle(): void {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(defaultStyle);
  document.adoptedStyleSheets = [sheet];
}

function storedState(): unknown {
  return JSON.parse(sessionStorage.getItem(stateKey) ?? 'null') ?? undefined;
}

let isAcquired = false;
window.acquireVsCodeApi = () => {
  if (isAcquired) throw new Error('An instance of the VS Code API has already been acquired');
  isAcquired = true;
  return {
    // To the host it goes as JSON.
    postMessage: (message) => window.harnessPost(folder, JSON.parse(JSON.stringify(message))),
    getState: storedState,
    setState: (state) => sessionStorage.setItem(stateKey, JSON.stringify(state)),
  };
};
window.harness = {
  applyTheme,
  storedState,
  receive: (data) => window.dispatchEvent(new MessageEvent('message', { data })),
};

// The browser's own page for an address that it could not load has no storage.
const stored = window.origin === 'null' ? null : sessionStorage.getItem(`harness.theme ${folder}`);
const theme: unknown = JSON.parse(stored ?? 'null');
// A tab that has nothing to show has none.
if (isTheme(theme)) {
  // The body is there before the page's script runs, which stands at its end.
  const watch = new MutationObserver(() => {
    if (!document.querySelector('body')) return;
    watch.disconnect();
    applyStyle();
    applyTheme(theme);
  });
  watch.observe(document, { childList: true, subtree: true });
}
