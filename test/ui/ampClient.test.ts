import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { eventually } from '../support/eventually';
import { runExampleClient, watchWithExampleClient } from './support/exampleClient';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

describe('the example client of the Amp protocol, beside a real VS Code', () => {
  let window: VsCodeWindow;
  const run = (...args: string[]): Promise<string> => runExampleClient(window.sandbox, ...args);

  before(async () => {
    window = await sharedWindow(({ workspace }) => writeFile(path.join(workspace, 'broken.json'), '{ "a": }\n'));
    await window.waitForStatus(/Serving on 127\.0\.0\.1:\d+/);
  });

  after(async () => {
    await window.openFile('README.md');
    await window.runCommand('File: Revert File');
  });

  it('reads what the user typed and did not save', async () => {
    await window.openFile('README.md');
    await window.page.locator('.editor-instance .monaco-editor.focused').waitFor();
    await window.page.keyboard.type('Typed, not saved ü ');
    await eventually('the unsaved text', async () =>
      assert.match(await run('readFile', 'README.md'), /^Typed, not saved ü /),
    );
  });

  it('follows the selection', async () => {
    const watching = await watchWithExampleClient(window.sandbox);
    try {
      await window.page.keyboard.press('Control+Home');
      for (let count = 0; count < 5; count++) await window.page.keyboard.press('Shift+ArrowRight');
      await eventually('the selection', () => {
        assert.match(watching.output(), /selectionChanged.*README\.md.*"line":0,"col":0.*"line":0,"col":5/);
      });
    } finally {
      watching.stop();
    }
  });

  it('gives the user the selection as a mention to paste when no Amp terminal runs', async () => {
    await window.page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await window.runCommand('Backline: Add Selection to Amp Prompt');
    await window.messages.filter({ hasText: 'Copied @README.md#L1. Paste it into Amp.' }).waitFor();
    const clipboard: string = await window.page.evaluate('navigator.clipboard.readText()');
    assert.equal(clipboard, '@README.md#L1');
    await window.screenshot('amp-copied');
  });

  it('opens a file at a line', async () => {
    const file = path.join(window.sandbox.workspace, 'src', 'hello.ts');
    // A window that is busy gives requests up, in words that ask to try again.
    await eventually('the answer', async () =>
      assert.match(await run('open', `${pathToFileURL(file).href}#L2`), /success: true/),
    );
    await window.page.locator('.tab.active').filter({ hasText: 'hello.ts' }).waitFor();
    await window.page.getByText(/^Ln 2, Col 1/).waitFor();
  });

  it('prints the problems that VS Code shows', async () => {
    await window.openFile('broken.json');
    await eventually('the problem', async () => {
      const diagnostics = await run('diagnostics');
      assert.match(diagnostics, /broken\.json/);
      assert.match(diagnostics, /Value expected/);
    });
  });
});
