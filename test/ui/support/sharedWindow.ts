import assert from 'node:assert/strict';
import type { Sandbox } from '../../../scripts/lib/vscode/sandbox.mjs';
import { eventually } from '../../support/eventually';
import { writeUserSettings } from './userSettings';
import { VsCodeWindow } from './window';

let opening: Promise<VsCodeWindow> | undefined;

// Of no suite: after all files of this process.
after(async () => await (await opening)?.close());

/**
 * The one window of all files that scripts/testUi.mjs runs in this process, as far as they need nothing of their own before
 * VS Code starts. Its workspace is trusted. It comes without editors, messages and settings of the files before, but with
 * their conversations: a file that restores or reviews changes needs files of its own. `prepare` may write settings and
 * files, before VS Code starts or later. Nobody closes it. Begin a conversation with `ChatView.begin`.
 */
export async function sharedWindow(prepare?: (sandbox: Sandbox) => Promise<void>): Promise<VsCodeWindow> {
  const prepareAnew = async (sandbox: Sandbox): Promise<void> => {
    await writeUserSettings(sandbox, {});
    await prepare?.(sandbox);
  };
  if (!opening) {
    opening = VsCodeWindow.open({ prepare: prepareAnew });
    return await opening;
  }
  const window = await opening;
  await window.page.bringToFront();
  // First, because a change of settings may lead to notifications.
  await prepareAnew(window.sandbox);
  await closeEditors(window);
  await window.page.keyboard.press('Escape');
  await window.runCommand('Notifications: Clear All Notifications');
  return window;
}

/** Discards unsaved text, which a test that failed may have left behind. VS Code would ask about it. */
async function closeEditors(window: VsCodeWindow): Promise<void> {
  const unsaved = window.page.locator('.tab.dirty');
  await eventually('a window without unsaved editors', async () => {
    if ((await unsaved.count()) === 0) return;
    await unsaved.first().click({ timeout: 5_000 });
    await window.runCommand('View: Revert and Close Editor');
    assert.equal(await unsaved.count(), 0);
  });
  await window.runCommand('View: Close All Editors');
}
