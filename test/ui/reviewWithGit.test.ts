import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { PlannedAgent } from './support/plannedAgent';
import { takeThemePictures } from './support/themePictures';
import { VsCodeWindow } from './support/window';

const lines = Array.from({ length: 12 }, (_, line) => `export const value${line} = ${line};`);
const committed = `${lines.join('\n')}\n`;
const edited = committed.replace('= 9;', '= 9; // by the user');

/** Git marks changed lines, too: those of the user and those of the agent. */
describe('The review of changes in a Git repository', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let file: string;

  before(async () => {
    window = await VsCodeWindow.open({
      prepare: async (sandbox) => {
        const folder = sandbox.workspace;
        const agent = new PlannedAgent(sandbox);
        await agent.install();
        file = path.join(folder, 'src', 'values.ts');
        await writeFile(file, committed);
        const user = ['-c', 'user.name=User', '-c', 'user.email=user@example.com'];
        for (const args of [
          ['init', '-q'],
          ['add', '-A'],
          [...user, 'commit', '-q', '-m', 'first'],
        ]) {
          execFileSync('git', args, { cwd: folder, env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } });
        }
        await writeFile(file, edited);
        const script = `sed -i -e 's/= 2;/= 200;/' -e 's/= 5;/= 500;/' src/values.ts`;
        await agent.plan('change', [{ command: { script, folder } }]);
      },
    });
    chat = new ChatView(window.page);
  });
  after(() => window.close());

  const text = (): Promise<string> => readFile(file, 'utf8');
  const peek = () => window.page.locator('.peekview-widget');
  const marks = () => window.page.locator('.editor-instance .dirty-diff-glyph');

  it('marks each line once, and offers the changes of both in the inline diff', async () => {
    await window.runCommand('Backline: Open Chat');
    await chat.send('change');
    await (await chat.frame()).locator('.changes summary').filter({ hasText: '1 file' }).waitFor();
    await window.openFile('values.ts');
    await eventually('the marks', async () => assert.equal(await marks().count(), 3));
    await window.page.keyboard.press('Control+Home');
    await window.runCommand('Show Next Change');
    await peek().locator('.head').getByText('of 3 changes').waitFor();
    await takeThemePictures(window, 'review-git');
  });

  it('undoes a change of the agent, and leaves the change of the user', async () => {
    await peek().locator('.head select').selectOption('Agent Changes');
    await peek().locator('.head').getByText('of 2 changes').waitFor();
    await window.screenshot('review-git-agent');
    await peek().locator('.action-label[aria-label^="Undo Change"]').first().click();
    await eventually('the file', async () => assert.equal(await text(), edited.replace('= 5;', '= 500;')));
    await chat.shows(/^1 file$/);
  });

  it('has no changes of the agent once all are kept', async () => {
    await (await chat.button(/^Keep$/)).click();
    // None is marked as reviewed.
    await window.page.locator('.monaco-dialog-box').getByRole('button', { name: 'Keep All' }).click();
    await eventually('the bar', async () => assert.equal(await (await chat.frame()).locator('.changes').count(), 0));
    assert.equal(await text(), edited.replace('= 5;', '= 500;'));
    await eventually('the marks of Git', async () => assert.equal(await marks().count(), 2));
  });
});
