import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { hoverOverEndOf } from './support/contextHover';
import { PlannedAgent } from './support/plannedAgent';
import { sharedWindow } from './support/sharedWindow';
import { inAllThemes, takeThemePictures } from './support/themePictures';
import type { VsCodeWindow } from './support/window';

const lines = Array.from({ length: 30 }, (_, line) => `export const value${line} = ${line};`);
const original = `${lines.join('\n')}\n`;
const script = `sed -i -e 's/value2 = 2;/value2 = 200;/' -e 's/value20 = 20;/value20 = 2000;/' src/values.ts
printf 'created\\n' > 'src/made by the shell.txt'
printf '\\000\\001' > src/logo.bin
mv src/moved.txt src/renamed.txt
rm src/old.txt`;

/** An agent that only runs a shell: its changes are seen, kept and undone in VS Code's own editors. */
describe('The review of changes', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let agent: PlannedAgent;
  let file: string;

  before(async () => {
    window = await sharedWindow(async (sandbox) => {
      agent = new PlannedAgent(sandbox);
      await agent.install();
      file = path.join(sandbox.workspace, 'src', 'values.ts');
      await writeFile(file, original);
      await writeFile(path.join(sandbox.workspace, 'src', 'old.txt'), 'old\n');
      await writeFile(path.join(sandbox.workspace, 'src', 'moved.txt'), 'moved\n');
      await agent.plan('change', [
        { command: { script, folder: sandbox.workspace } },
        {
          update: {
            sessionUpdate: 'agent_message_chunk',
            content: { type: 'text', text: '```ts\nconst done = true;\n```' },
          },
        },
      ]);
    });
    chat = new ChatView(window.page);
    await chat.begin(window, agent.title);
  });

  const text = (): Promise<string> => readFile(file, 'utf8');
  const glyphs = () => window.page.locator('.editor-instance .dirty-diff-glyph');
  const peek = () => window.page.locator('.peekview-widget');

  const activeTab = (label: string) => window.page.locator('.tab.active').filter({ hasText: label });
  const diffOf = (name: string) => window.page.locator('.multiDiffEntry').filter({ hasText: name });

  it('lists what a shell has changed, created, renamed and deleted', async () => {
    await chat.send('change');
    await (await chat.frame()).locator('.changes summary').filter({ hasText: '5 files' }).click();
    await (await chat.frame()).locator('.change-former').filter({ hasText: 'moved.txt' }).waitFor();
    await chat.shows(/binary/);
    // The colours of code come with a script of their own.
    await (await chat.frame()).locator('.hljs-keyword').filter({ hasText: 'const' }).waitFor();
    await window.screenshot('review-chat');
  });

  it('shows all that has changed since a prompt in one editor', async () => {
    // The changes of the newest turn are in the bar above the prompt, not in a line of their own.
    assert.equal(await (await chat.button('Review Changes from This Turn')).count(), 0);
    await window.pickFrom('Backline: Review Changes Since Prompt…', 'change', 'files changed since');
    await activeTab('Changes since “change”').waitFor();
    await diffOf('values.ts').waitFor();
    await window.screenshot('review-since-prompt');
  });

  it('marks changed lines in the editor, and undoes one of them from the inline diff', async () => {
    await window.openFile('values.ts');
    await glyphs().first().waitFor();
    await eventually('the number of replaced lines beside both', async () => {
      const beside = await window.page.evaluate(
        "[...document.querySelectorAll('.view-line span')].map((part) => getComputedStyle(part, '::after').content).join()",
      );
      assert.equal(String(beside).match(/−1.line/g)?.length, 2);
    });
    // Themes with high contrast have no background for it.
    await inAllThemes(window, async (theme) => {
      await eventually('both changed lines stand out', async () => assert.equal(await tintedLines(window), 2));
      await window.screenshot(`review-gutter-${theme}-1280`);
    });
    await window.runCommand('Show Next Change');
    await peek().waitFor();
    await takeThemePictures(window, 'review-peek');
    await peek().locator('.action-label[aria-label^="Undo Change"]').first().click();
    await eventually('the line', async () => assert.equal(await text(), original.replace('= 20;', '= 2000;')));
  });

  it('takes an undone change back with undo of the editor', async () => {
    await window.page.keyboard.press('Escape');
    await window.page.locator('.editor-instance .view-lines').first().click();
    await window.page.keyboard.press('Control+Z');
    await window.page.keyboard.press('Control+S');
    await eventually('the line', async () => assert.match(await text(), /value2 = 200;/));
    await eventually('both marks', async () => assert.equal(await glyphs().count(), 2));
  });

  it('shows what was replaced in a hover, and undoes it there with one click', async () => {
    assert.match(
      await hoverOverEndOf(window, /^\s*200$/),
      /Keep · Undo[^]*Before the agent’s change:\s*export const value2 = 2;/,
    );
    await takeThemePictures(window, 'review-hover');
    await window.page.locator('.monaco-hover:not(.hidden) a').filter({ hasText: 'Undo' }).click();
    await eventually('the line', async () => assert.match(await text(), /value2 = 2;/));
    await window.page.locator('.editor-instance .view-lines').first().click();
    await window.page.keyboard.press('Control+Z');
    await window.page.keyboard.press('Control+S');
    await eventually('the line again', async () => assert.match(await text(), /value2 = 200;/));
  });

  it('keeps a change at the cursor from above it', async () => {
    await window.page.keyboard.press('Control+Home');
    await window.page.keyboard.press('Alt+F5');
    const above = window.page.locator('.codelens-decoration');
    await above.filter({ hasText: 'Next (1 of 2)' }).waitFor();
    await takeThemePictures(window, 'review-cursor');
    await above.getByText('Keep', { exact: true }).click();
    await eventually('one mark', async () => assert.equal(await glyphs().count(), 1));
    assert.match(await text(), /value2 = 200;/);
  });

  it('shows all files in one editor', async () => {
    await (await chat.button(/^Review$/)).click();
    await activeTab('Agent Changes').waitFor();
    await diffOf('values.ts').waitFor();
    await takeThemePictures(window, 'review-all');
  });

  it('undoes a change there', async () => {
    const line = diffOf('values.ts')
      .locator('.editor.modified .lines-content > .view-lines > .view-line')
      .filter({ hasText: 'value20' });
    await line.click({ button: 'right' });
    await window.screenshot('review-all-menu');
    await window.page.locator('.monaco-menu').getByText('Undo Change', { exact: true }).click();
    await eventually('the file', async () => assert.equal(await text(), original.replace('= 2;', '= 200;')));
  });

  it('undoes what is left, and keeps what was kept', async () => {
    await window.page.locator('.editor-actions .action-label[aria-label^="Undo All Changes"]').click();
    await window.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Undo All' }).click();
    await eventually('the file', async () => assert.equal(await text(), original.replace('= 2;', '= 200;')));
    const old = path.join(path.dirname(file), 'old.txt');
    await eventually('the deleted file', async () => assert.equal(await readFile(old, 'utf8'), 'old\n'));
    const moved = path.join(path.dirname(file), 'moved.txt');
    await eventually('the renamed file', async () => assert.equal(await readFile(moved, 'utf8'), 'moved\n'));
    for (const name of ['made by the shell.txt', 'renamed.txt', 'logo.bin']) {
      await eventually(name, () =>
        assert.rejects(readFile(path.join(path.dirname(file), name)), { code: 'ENOENT' }, name),
      );
    }
  });

  it('brings all of them back with Undo Restore, also the file without text', async () => {
    const entry = (await chat.frame())
      .locator('.entry')
      .filter({ hasText: /changes in \d files were undone/ })
      .last();
    const undoRestore = entry.getByRole('button', { name: 'Undo Restore' });
    await undoRestore.waitFor();
    await window.screenshot('review-undo-restore');
    assert.equal(await window.messages.filter({ hasText: /Changes in .* were undone/ }).count(), 0);
    await undoRestore.click();
    const read = (name: string) => readFile(path.join(path.dirname(file), name));
    await eventually('the file without text', async () =>
      assert.deepEqual(await read('logo.bin'), Buffer.from([0, 1])),
    );
    await eventually('the created file', async () =>
      assert.equal(String(await read('made by the shell.txt')), 'created\n'),
    );
    await eventually('the renamed file', async () => assert.equal(String(await read('renamed.txt')), 'moved\n'));
    await eventually('the deleted file', () => assert.rejects(read('old.txt'), { code: 'ENOENT' }));
    assert.equal(await text(), original.replace('= 2;', '= 200;'));
  });

  it('shows what two of three turns have changed', async () => {
    const folder = path.dirname(path.dirname(file));
    for (const word of ['first', 'second', 'third']) {
      await agent.plan(word, [{ command: { script: `echo 'line of ${word}' >> src/lines.txt`, folder } }]);
      await chat.send(word);
      const written = path.join(folder, 'src', 'lines.txt');
      await eventually(word, async () => assert.match(await readFile(written, 'utf8'), new RegExp(word)));
      await (await chat.button('Send')).waitFor();
    }
    await window.pickFrom('Backline: Review Changes Since Prompt…', 'first', '1 file changed since');
    await window.picks.filter({ hasText: 'Now' }).waitFor();
    await window.screenshot('review-last-prompt');
    await window.pick('second', '1 file changed');
    await activeTab('Changes from “first” to “second”').waitFor();
    const shown = diffOf('lines.txt').locator('.editor.modified');
    await shown.getByText('line of second').first().waitFor();
    await window.screenshot('review-range');
    assert.equal(await shown.getByText('line of third').count(), 0);
  });

  it('undoes what one turn has changed in a file, and keeps what a later turn did', async () => {
    const folder = path.dirname(path.dirname(file));
    const before = await text();
    for (const line of [5, 15]) {
      const command = `sed -i 's/value${line} = ${line};/value${line} = ${line}00;/' src/values.ts`;
      await agent.plan(`line ${line}`, [{ command: { script: command, folder } }]);
      await chat.send(`line ${line}`);
      await eventually(`line ${line}`, async () => assert.match(await text(), new RegExp(`= ${line}00;`)));
      await (await chat.button('Send')).waitFor();
    }
    const page = await chat.frame();
    const prompt = page.locator('.entry-prompt').filter({ hasText: 'line 5' });
    const turn = page.locator('article').filter({ has: prompt });
    const review = turn.getByRole('button', { name: 'Review Changes from This Turn' });
    // The changes of the later turn appear after its end and move the button: a click may miss it.
    await eventually('the changes of the turn', async () => {
      await review.click({ timeout: 5_000 });
      await activeTab('Changes in Turn “line 5”').waitFor({ timeout: 10_000 });
    });
    const line = diffOf('values.ts')
      .locator('.editor.modified .lines-content > .view-lines > .view-line')
      .filter({ hasText: 'value5' });
    await line.click({ button: 'right' });
    await window.screenshot('review-turn-menu');
    await window.page.locator('.monaco-menu').getByText('Undo Shown Changes in File', { exact: true }).click();
    await eventually('the file', async () => assert.equal(await text(), before.replace('= 15;', '= 1500;')));
  });

  it('marks a change as reviewed by key, without keeping it, and goes to the next one in another file', async () => {
    await window.openFile('values.ts');
    await glyphs().first().waitFor();
    await window.page.keyboard.press('Control+Home');
    await window.page.keyboard.press('Alt+F5');
    await window.page.keyboard.press('Control+K');
    await window.page.keyboard.press('h');
    await (
      await chat.frame()
    )
      .locator('.changes-reviewed')
      .filter({ hasText: /^1 of \d+/ })
      .waitFor();
    await eventually('the next change', async () => assert.equal(await activeTab('values.ts').count(), 0));
    await window.openFile('values.ts');
    await eventually('what is beside the change', async () => {
      const beside = await window.page.evaluate(
        "[...document.querySelectorAll('.view-line span')].map((part) => getComputedStyle(part, '::after').content).join()",
      );
      assert.match(String(beside), /reviewed/);
    });
    // A change that is kept would not be counted.
    await (
      await chat.frame()
    )
      .locator('.changes-reviewed')
      .filter({ hasText: /^1 of \d+/ })
      .waitFor();
    await takeThemePictures(window, 'review-reviewed');
  });

  it('has another agent review the changes: what it finds stands at its line, and is accepted there', async () => {
    await window.openFile('values.ts');
    await window.pickFrom('Backline: Review Changes with Agent…', 'Demo agent');
    await window.messages.filter({ hasText: /findings? of Demo agent.* stands? at (?:its|their) lines?/ }).waitFor();
    await window.runCommand('Comments: Focus on Comments View');
    const panel = window.page.locator('.comments-panel');
    await panel.getByText('The demo agent has no model').first().click();
    const thread = window.page
      .locator('.review-widget')
      .filter({ hasText: 'so it only says that this line is new' })
      .first();
    await thread.waitFor();
    await takeThemePictures(window, 'review-finding');
    await thread.locator('.action-label[aria-label^="Accept Finding"]').click();
    await thread.getByText('Fix this.').waitFor();
    await window.screenshot('review-finding-accepted');
  });
});

/** How many lines have a background or a border of an extension. */
async function tintedLines({ page }: VsCodeWindow): Promise<unknown> {
  return await page.evaluate(`[...document.querySelectorAll('.view-overlays .cdr[class*="TextEditorDecorationType"]')].filter((line) => {
    const isSeen = (color) => color !== 'transparent' && !/, 0\\)$/u.test(color);
    const { backgroundColor, borderTopColor, borderTopStyle } = getComputedStyle(line);
    return isSeen(backgroundColor) || (borderTopStyle !== 'none' && isSeen(borderTopColor));
  }).length`);
}
