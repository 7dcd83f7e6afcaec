import type { Locator, Page } from 'playwright-core';
import { environmentVariable } from '../../scripts/lib/environment.mjs';
import { inRoot } from '../../scripts/lib/paths.mjs';

/** Whether pictures to look at are taken. The whole run of all tests takes none, since nobody looks at them. */
export const takesPictures = environmentVariable('BACKLINE_PICTURES') !== 'none';

/** Takes a picture to look at, out/screenshots/<name>.png, if any are taken. */
export async function takePicture(
  of: Page | Locator,
  name: string,
  options: { fullPage?: boolean } = {},
): Promise<void> {
  if (takesPictures) await of.screenshot({ ...options, path: inRoot('out', 'screenshots', `${name}.png`) });
}
