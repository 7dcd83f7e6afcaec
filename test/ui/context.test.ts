import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import * as z from 'zod';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { hoverOverEndOf, setSetting } from './support/contextHover';
import { writeUserSettings } from './support/userSettings';
import { VsCodeWindow } from './support/window';

const providers = 'backline.context.providers';
const Settings = z.record(z.string(), z.unknown());

describe('Context items, as a user sees them', () => {
  let window: VsCodeWindow;

  before(async () => {
    window = await VsCodeWindow.open({
      workspace: 'examples/workspace',
      settings: { 'editor.hover.delay': 100, 'editor.hover.sticky': true },
      prepare: async (sandbox) => {
        const { folder, workspace } = sandbox;
        await cp(inRoot('examples', 'providers'), path.join(folder, 'providers'), { recursive: true });
        const evil = "[click me](command:backline.showStatus) <b class='evil'>html</b>";
        const item = { title: 'Evil', ui: { hover: { markdown: evil } }, range: rangeOfLine(0, 22) };
        await writeFile(
          path.join(folder, 'providers', 'evil.mjs'),
          `export default { capabilities: () => ({ selector: [{ path: '**/evil.txt' }] }), items: () => [${JSON.stringify(item)}] };`,
        );
        await writeFile(path.join(workspace, 'evil.txt'), 'look at this evil line\n');
        // As the user's own, and outside the workspace: what a workspace brings is asked for first.
        const file = path.join(workspace, '.vscode', 'settings.json');
        const { [providers]: ofExample, ...others } = Settings.parse(JSON.parse(await readFile(file, 'utf8')));
        await writeFile(file, JSON.stringify(others));
        const own = { '../providers/evil.mjs': true, ...Settings.parse(ofExample) };
        await writeUserSettings(sandbox, { [providers]: own });
      },
    });
    await window.openFile('setlist.ts');
  });
  after(() => window.close());

  it('come in one hover from two providers', async () => {
    await eventually('both in the hover', async () => {
      const text = await hoverOverEndOf(window, 'leave room for applause');
      assert.match(text, /Issue 12[\s\S]*From your issue tracker, by its address\.[\s\S]*links/);
      assert.match(text, /TODO of alice[\s\S]*Ask alice at alice@example\.com[\s\S]*todoOwners/);
    });
    await window.screenshot('context-hover');
    await window.page.keyboard.press('Escape');
  });

  it('are named above the file and in its title when they are about all of it', async () => {
    const lens = window.page.locator('.codelens-decoration').filter({ hasText: '2 TODOs' });
    await lens.waitFor();
    await window.page.locator('.editor-actions').getByRole('button', { name: 'Show Context Items' }).waitFor();
    // Again when the lenses were drawn anew under the click.
    const hover = window.page.locator('.monaco-hover .hover-contents').filter({ hasText: 'TODO of bob' }).first();
    await eventually('the hover', async () => {
      if (!(await hover.isVisible())) await lens.getByText('2 TODOs').click({ timeout: 5_000 });
      await hover.waitFor({ timeout: 5_000 });
    });
    await window.screenshot('context-lens');
    await window.page.keyboard.press('Escape');
  });

  it('are all in one list, which leads to each', async () => {
    await window.runCommand('Backline: Show Context Items');
    await window.picks.filter({ hasText: 'Issue 12' }).waitFor();
    await window.screenshot('context-items');
    await eventually('all of them', async () => {
      const rows = await window.picks.allInnerTexts();
      assert.match(rows.join('\n'), /2 TODOs[\s\S]*TODO of bob[\s\S]*TODO of alice/);
    });
    await window.searchIn('Backline: Show Context Items', 'Issue 12', 'Issue 12');
    await window.pick('Issue 12');
    await window.page.locator('.monaco-hover .hover-contents').filter({ hasText: 'Issue 12' }).first().waitFor();
    // With the focus in it, it stays when the mouse moves, and can be read by the keyboard.
    await window.page.locator('.monaco-hover:focus-within').waitFor();
    await window.page.keyboard.press('Escape');
  });

  it('say in the status how many providers there are', async () => {
    await window.showStatus('Context providers', 'ready');
    await window.screenshot('context-status');
    await window.page.keyboard.press('Escape');
  });

  it('go along with a prompt when they are mentioned, and the demo agent says what it got', async () => {
    const chat = new ChatView(window.page);
    await window.runCommand('Backline: Open Chat');
    const frame = await chat.frame();
    const option = frame.getByRole('option').filter({ hasText: 'TODO of alice' });
    // Providers that have not answered soon enough are not among what can be mentioned; they are when it is typed again.
    await eventually('the item to mention', async () => {
      await chat.type('who is this? ');
      await chat.type('who is this? @alice');
      await option.waitFor({ timeout: 5_000 });
    });
    await option.click();
    await option.waitFor({ state: 'hidden' });
    await window.screenshot('context-mention');
    await (await chat.prompt()).press('Enter');
    await chat.shows('Your prompt included this text:');
    const title = 'setlist.ts:24 — TODO of alice: leave room for applause, see #12 (todoOwners)';
    await frame.locator('strong').filter({ hasText: title }).waitFor();
    await chat.shows(/Owner: alice <alice@example\.com>/);
    await window.screenshot('context-quoted');
  });

  for (const theme of ['Default Dark Modern', 'Default High Contrast', 'Default High Contrast Light']) {
    it(`can be read in ${theme}`, async () => {
      await setSetting(window, 'workbench.colorTheme', theme);
      const kind = { 'Default Dark Modern': 'vs-dark', 'Default High Contrast': 'hc-black' }[theme] ?? 'hc-light';
      await window.page.locator(`.monaco-workbench.${kind}`).waitFor();
      await eventually('the hover', async () =>
        assert.match(await hoverOverEndOf(window, 'leave room for applause'), /Issue 12/),
      );
      await window.screenshot(`context-${theme.replace('Default ', '').replaceAll(' ', '-').toLowerCase()}`);
      await window.page.keyboard.press('Escape');
    });
  }

  it('are marked beside the line numbers when the user wants that', async () => {
    await setSetting(window, 'backline.context.decoration', 'gutter');
    await setSetting(window, 'backline.context.codeLens', 'all');
    await window.page.locator('.codelens-decoration').filter({ hasText: 'Issue 12' }).waitFor();
    await window.screenshot('context-gutter');
  });

  it('cannot run commands or bring html', async () => {
    await window.openFile('evil.txt');
    await eventually('the hover, clicked', async () => {
      assert.match(await hoverOverEndOf(window, 'look at this evil'), /click me/);
      await window.page.locator('.monaco-hover .hover-contents').getByText('click me').click({ timeout: 5_000 });
    });
    // A command that must not run has no end that could be waited for.
    await window.page.waitForTimeout(700);
    assert.equal(await window.page.locator('.quick-input-widget').isVisible(), false);
    assert.equal(await window.page.locator('.monaco-hover .evil').count(), 0);
    await window.screenshot('context-inert');
  });
});

function rangeOfLine(line: number, end: number): object {
  return { start: { line, character: 0 }, end: { line, character: end } };
}
