import { takesPictures } from '../../support/pictures';
import { setUserSetting } from './contextHover';
import type { VsCodeWindow } from './window';

/** The class of VS Code's workbench by the theme's name. */
const themes: readonly (readonly [theme: string, workbenchClass: string])[] = [
  ['Default Dark Modern', 'vs-dark'],
  ['Default Light Modern', 'vs'],
  ['Default High Contrast', 'hc-black'],
  ['Default High Contrast Light', 'hc-light'],
];

/**
 * Takes pictures of the window in all kinds of themes, named by theme and width. Ends in the dark theme. Calls `before`
 * before each picture. The whole run of all tests, in which nobody looks at pictures, takes none of these.
 */
export async function takeThemePictures(
  window: VsCodeWindow,
  name: string,
  widths: readonly number[] = [1280],
  before?: () => Promise<void>,
): Promise<void> {
  if (!takesPictures) return;
  const { page } = window;
  const size = page.viewportSize();
  await inAllThemes(window, async (theme) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await before?.();
      await window.screenshot(`${name}-${theme}-${width}`);
    }
  });
  if (size) await page.setViewportSize(size);
}

/** Shows the window in each kind of theme, whose name `check` gets as part of a file's name. Ends in the dark one. */
export async function inAllThemes(window: VsCodeWindow, check: (theme: string) => Promise<void>): Promise<void> {
  const show = async (theme: string, workbenchClass: string): Promise<void> => {
    await setUserSetting(window, 'workbench.colorTheme', theme);
    await window.page.locator(`.monaco-workbench.${workbenchClass}`).waitFor();
  };
  for (const [theme, workbenchClass] of themes) {
    await show(theme, workbenchClass);
    await check(theme.replace('Default ', '').replaceAll(' ', '-').toLowerCase());
  }
  await show('Default Dark Modern', 'vs-dark');
}
