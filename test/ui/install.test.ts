import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

describe('the installed package', () => {
  let window: VsCodeWindow;

  before(async () => {
    window = await sharedWindow();
  });

  it('activates by itself and serves', async () => {
    await window.waitForStatus(/Serving on 127\.0\.0\.1:\d+/);
    await eventually('the one lockfile', async () => {
      const lockfiles = await readdir(path.join(window.sandbox.home, '.local/share/amp/ide'));
      assert.match(lockfiles.join(), /^\d+\.json$/);
    });
  });

  it('has all its commands in the palette', async () => {
    // The list shows only so many rows at a time, and takes them in more than one step.
    await window.showCommands('Backline: Show', 'Backline: Show Status');
    await eventually('all of them', async () => {
      const labels = (await window.picks.allInnerTexts()).filter((text) => text.includes('Backline:'));
      for (const name of ['Status', 'Traffic', 'Log', 'Conversations', 'Context Items']) {
        assert.ok(
          labels.some((label) => label.includes(`Show ${name}`)),
          labels.join('\n'),
        );
      }
    });
    await window.screenshot('palette');
    await window.page.keyboard.press('Escape');
  });

  it('answers a command from the palette', async () => {
    await window.runCommand('Backline: Show Status');
    await window.showStatus('Serving on 127.0.0.1');
    await window.screenshot('status');
    await window.page.keyboard.press('Escape');
  });
});
