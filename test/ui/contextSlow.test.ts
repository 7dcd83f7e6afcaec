import { mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { hoverOverEndOf, setUserSetting } from './support/contextHover';
import { sharedWindow } from './support/sharedWindow';
import { writeUserSettings } from './support/userSettings';
import type { VsCodeWindow } from './support/window';

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 30 } };
const quick = `export default { capabilities: () => ({}), items: () => [{ title: 'Quick' }, { title: 'Quick too', range: ${JSON.stringify(range)} }] };`;

/** It answers when there is a file called `go` beside it. */
const late = `
import { existsSync } from 'node:fs';
const go = new URL('./go', import.meta.url);
export default {
  capabilities: () => ({}),
  async items() {
    while (!existsSync(go)) await new Promise((resolve) => setTimeout(resolve, 20));
    return [{ title: 'Late' }];
  },
};
`;

const hanging =
  'export default { capabilities: () => ({}), items: () => new Promise(() => setInterval(() => {}, 999)) };';

/** That it is asked again by itself does not mend it: that takes another worker, which only the user's word starts. */
const failing = `
import { existsSync } from 'node:fs';
const isMended = existsSync(new URL('./mended', import.meta.url));
export default {
  capabilities: () => ({}),
  items() {
    if (isMended) return [{ title: 'Mended' }];
    throw new Error('The database is away');
  },
};
`;

describe('Context providers that are slow or fail, as a user sees them', () => {
  let window: VsCodeWindow;
  /** Outside the workspace, whose code would be asked for. */
  const ownFile = (name: string): string => path.join(window.sandbox.dataDir, 'providers', name);

  before(async () => {
    window = await sharedWindow(async (sandbox) => {
      const own = path.join(sandbox.dataDir, 'providers');
      await mkdir(own, { recursive: true });
      const sources = { quick, late, hanging, failing };
      for (const [name, source] of Object.entries(sources)) await writeFile(path.join(own, `${name}.mjs`), source);
      await writeUserSettings(sandbox, {
        'editor.hover.delay': 100,
        'editor.hover.sticky': true,
        'backline.context.providers': { [path.join(own, 'late.mjs')]: true, [path.join(own, 'quick.mjs')]: true },
      });
    });
    await window.openFile('hello.ts');
  });

  const configure = (providers: object): Promise<void> =>
    setUserSetting(window, 'backline.context.providers', providers);

  it('that ask for no permission are said to, when permissions are to be managed', async () => {
    await window.runCommand('Backline: Manage Context Provider Permissions');
    await window.messages.filter({ hasText: 'No context provider needs permission' }).waitFor();
    await window.runCommand('Notifications: Clear All Notifications');
  });

  it('add to the list when they answer, and the highlight stays where it is', async () => {
    await window.page.locator('.codelens-decoration').filter({ hasText: 'Quick' }).waitFor();
    await window.page.locator('.monaco-editor .view-lines').first().click();
    await window.page.keyboard.press('Control+K');
    await window.page.keyboard.press('i');
    await window.picks.filter({ hasText: 'Still waiting for late' }).waitFor();
    const focused = window.page.locator('.quick-input-list .monaco-list-row.focused');
    await focused.filter({ hasText: 'Quick' }).waitFor();
    await window.page.keyboard.press('ArrowDown');
    await window.screenshot('context-items-waiting');
    await focused.filter({ hasText: 'Quick too' }).waitFor();
    await writeFile(ownFile('go'), '');
    await window.picks.filter({ hasText: 'Late' }).first().waitFor();
    await window.picks.filter({ hasText: 'Still waiting' }).waitFor({ state: 'detached' });
    await focused.filter({ hasText: 'Quick too' }).waitFor();
    await window.page.keyboard.press('Escape');
  });

  it('do not leave a hover that only shows that it is loading', async () => {
    await configure({ [ownFile('hanging.mjs')]: true });
    await window.page.locator('.codelens-decoration').waitFor({ state: 'detached' });
    const loading = window.page.locator('.monaco-hover:not(.hidden)').filter({ hasText: 'Loading' });
    // Not in the seconds in which a provider that has just been given up is left alone.
    await eventually('a hover that is loading', async () => {
      await hoverOverEndOf(window, 'export', 1);
      await loading.first().waitFor({ timeout: 2_000 });
    });
    await loading.first().waitFor({ state: 'hidden' });
  });

  it('are asked again by the status, which shows what went wrong', async () => {
    await configure({ [ownFile('failing.mjs')]: true });
    await window.showStatus('Retry failing', 'Retry failing: The database is away (failing.mjs:8)');
    await window.screenshot('context-failing');
    await writeFile(ownFile('mended'), '');
    await window.chooseInStatus('Retry failing');
    await window.page.locator('.codelens-decoration').filter({ hasText: 'Mended' }).waitFor();
    await window.waitForStatus(/Context providers running: 1 ready\./);
  });
});
