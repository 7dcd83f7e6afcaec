// The four themes that pages are looked at in, as a VS Code sets their variables on a webview.
import darkModern from './themes/darkModern.json';
import highContrast from './themes/highContrast.json';
import highContrastLight from './themes/highContrastLight.json';
import lightModern from './themes/lightModern.json';

export type ThemeName = 'darkModern' | 'lightModern' | 'highContrast' | 'highContrastLight';

export interface Theme {
  readonly bodyClass: string;
  /** Of the body's `data-vscode-theme-kind`. */
  readonly kind: string;
  readonly id: string;
  readonly variables: Readonly<Record<string, string>>;
}

export const themes: Readonly<Record<ThemeName, Theme>> = { darkModern, lightModern, highContrast, highContrastLight };
export const themeNames = ['darkModern', 'lightModern', 'highContrast', 'highContrastLight'] as const;
