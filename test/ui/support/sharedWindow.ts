import type { Sandbox } from '../../../scripts/lib/sandbox.mjs';
import { writeUserSettings } from './userSettings';
import { VsCodeWindow } from './window';

let opening: Promise<VsCodeWindow> | undefined;

// Of no suite: after all files of this process.
after(async () => await (await opening)?.close());

/**
 * The one window of all files that scripts/testUi.mjs runs in this process, as far as they need nothing of their own before
 * VS Code starts. Its workspace is trusted. It comes without editors, messages and settings of the files before;
 * `prepare` may write settings and files, before VS Code starts or later. Nobody closes it. Begin a conversation with `ChatView.begin`.
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
  await window.runCommand('View: Close All Editors');
  await window.runCommand('Notifications: Clear All Notifications');
  await prepareAnew(window.sandbox);
  return window;
}
