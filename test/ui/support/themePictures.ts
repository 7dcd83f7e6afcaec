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
 * before each picture.
 */
export async function takeThemePictures(
  window: VsCodeWindow,
  name: string,
  widths: readonly number[] = [1280],
  before?: () => Promise<void>,
): Promise<void> {
  const { page } = window;
  const size = page.viewportSize();
  const show = async (theme: string, workbenchClass: string): Promise<void> => {
    await setUserSetting(window, 'workbench.colorTheme', theme);
    await page.locator(`.monaco-workbench.${workbenchClass}`).waitFor();
  };
  for (const [theme, workbenchClass] of themes) {
    await show(theme, workbenchClass);
    for (const width of widths) {
      await page.setViewportSize({ width, height: 800 });
      await before?.();
      const suffix = theme.replace('Default ', '').replaceAll(' ', '-').toLowerCase();
      await window.screenshot(`${name}-${suffix}-${width}`);
    }
  }
  if (size) await page.setViewportSize(size);
  await show('Default Dark Modern', 'vs-dark');
}
