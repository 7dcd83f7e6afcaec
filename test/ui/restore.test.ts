import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { PlannedAgent } from './support/plannedAgent';
import { sharedWindow } from './support/sharedWindow';
import type { VsCodeWindow } from './support/window';

const longAnswer = Array.from({ length: 100 }, (_, part) => [
  { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `Part ${part} of it.` } } },
  {
    update: {
      sessionUpdate: 'tool_call',
      toolCallId: `part-${part}`,
      title: 'Think',
      kind: 'think',
      status: 'completed',
    },
  },
]).flat();

const original = 'export const value = 0;\n';
/** Of no other test: a restore leaves out what another conversation that is open has changed, too, unless it is selected. */
const fileName = 'restored.ts';

/** An agent that only runs a shell is taken back to a prompt, with its files, and forward again. */
describe('Restore to a prompt', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let folder: string;

  before(async () => {
    let title = '';
    window = await sharedWindow(async (sandbox) => {
      folder = path.join(sandbox.workspace, 'src');
      const agent = new PlannedAgent(sandbox);
      await agent.install();
      await writeFile(file(fileName), original);
      const run = (name: string, script: string) =>
        agent.plan(name, [{ command: { script, folder: sandbox.workspace } }]);
      await run('one', `sed -i 's/= .*/= 1;/' src/${fileName}`);
      await run('two', `sed -i 's/= .*/= 2;/' src/${fileName} && printf 'two\\n' > 'src/made by two.txt'`);
      await run('three', `sed -i 's/= .*/= 3;/' src/${fileName} && chmod +x 'src/made by two.txt'`);
      await agent.plan('long', longAnswer);
      await run('other', `sed -i 's/= .*/= 4;/' src/${fileName}`);
      ({ title } = agent);
    });
    chat = new ChatView(window.page);
    await chat.begin(window, title);
  });

  const file = (name: string): string => path.join(folder, name);
  const value = async (): Promise<string | undefined> => /= (.*);/.exec(await readFile(file(fileName), 'utf8'))?.[1];
  const isMade = async (): Promise<boolean> => (await readdir(folder)).includes('made by two.txt');
  const ends = async (): Promise<number> => (await chat.frame()).locator('.turn-changes').count();
  const prompts = async (): Promise<string[]> =>
    (await chat.frame()).locator('.entry-prompt .prompt-text').allInnerTexts();
  const composer = async (): Promise<string> => (await chat.prompt()).inputValue({ timeout: 5_000 });

  async function send(prompt: string): Promise<void> {
    const before = await ends();
    await chat.send(prompt);
    await eventually(`the changes of ${prompt}`, async () => assert.equal(await ends(), before + 1));
  }

  async function clickAt(prompt: string, button: string): Promise<void> {
    await eventually(`${button} at ${prompt}`, async () => {
      const entry = (await chat.frame()).locator('.entry-prompt').filter({ hasText: prompt });
      await entry.hover({ timeout: 5_000 });
      await entry.getByRole('button', { name: button }).click({ timeout: 5_000 });
    });
  }

  it('lists what would change, then takes back the conversation and its files', async () => {
    await window.runCommand('Backline: Open Chat');
    for (const prompt of ['one', 'two', 'three']) await send(prompt);
    assert.equal(await value(), '3');
    await clickAt('two', 'Restore to Here…');
    await window.picks.filter({ hasText: 'Conversation and Files' }).waitFor();
    await window.screenshot('restore-scope');
    await window.pick('Conversation and Files');
    await window.picks.filter({ hasText: fileName }).waitFor();
    await window.screenshot('restore-files');
    await window.page.keyboard.press('Enter');
    await eventually('the files', async () => assert.deepEqual([await value(), await isMade()], ['1', false]));
    await eventually('the prompt', async () => assert.equal(await composer(), 'two'));
    assert.deepEqual(await prompts(), ['one']);
    await chat.shows(/2 files were restored/);
    await window.screenshot('restore-done');
  });

  it('brings all back with Undo Restore', async () => {
    await eventually('Undo Restore', async () => (await chat.button('Undo Restore')).click({ timeout: 5_000 }));
    await eventually('the files', async () => assert.deepEqual([await value(), await isMade()], ['3', true]));
    await eventually('the old conversation', async () => assert.deepEqual(await prompts(), ['one', 'two', 'three']));
    await chat.shows(/The restore was undone/);
    await window.screenshot('restore-undone');
  });

  it('edits a prompt and sends it again from there', async () => {
    await clickAt('two', 'Edit and Resend');
    const dialog = window.page.locator('.monaco-dialog-box');
    await dialog.waitFor();
    await window.screenshot('restore-edit');
    await dialog.getByRole('button', { name: 'Restore Files' }).click();
    await eventually('the prompt', async () => assert.equal(await composer(), 'two'));
    await eventually('the files', async () => assert.deepEqual([await value(), await isMade()], ['1', false]));
    await send('other');
    assert.equal(await value(), '4');
    assert.deepEqual(await prompts(), ['one', 'other']);
  });

  it('restores only files, from the palette', async () => {
    await window.pickFrom('Backline: Restore to Prompt…', 'other');
    await window.pick('Files Only');
    await window.picks.filter({ hasText: fileName }).waitFor();
    await window.page.keyboard.press('Enter');
    await eventually('the file', async () => assert.equal(await value(), '1'));
    await eventually('the notice', () => chat.shows('1 file was restored to its state before prompt 2.'));
    assert.deepEqual(await prompts(), ['one', 'other']);
  });

  it('brings that back from the palette', async () => {
    await window.runCommand('Backline: Undo Last Restore');
    await eventually('the file', async () => assert.equal(await value(), '4'));
  });

  it('says at the next start that a restore was cut off, and finishes it', async () => {
    await writeJournal(await readFile(file(fileName)), Buffer.from(original));
    await window.reload();
    const message = await chat.notice('Restoring files was interrupted after 0 of 1 file.');
    await window.screenshot('restore-interrupted');
    await message.getByRole('button', { name: 'Finish' }).click();
    await eventually('the file', async () => assert.equal(await readFile(file(fileName), 'utf8'), original));
    await window.messages.filter({ hasText: 'The restore of 1 file was finished.' }).waitFor();
  });

  it('refuses another restore until one that was cut off is undone', async () => {
    await writeJournal(Buffer.from('export const value = 1;\n'), Buffer.from(original));
    await window.runCommand('Backline: Open Chat');
    await clickAt('one', 'Restore to Here…');
    const dialog = window.page.locator('.monaco-dialog-box');
    await dialog.filter({ hasText: 'Restoring files was interrupted after 1 of 1 file.' }).waitFor();
    await window.screenshot('restore-refused');
    await dialog.getByRole('button', { name: 'Undo', exact: true }).click();
    await eventually('the file', async () => assert.equal(await value(), '1'));
    await window.picks.filter({ hasText: 'Conversation' }).first().waitFor();
    await window.page.keyboard.press('Escape');
  });

  it('leaves a conversation in which everything is found, also what a reload has not loaded', async () => {
    await chat.send('long');
    await chat.says('Part 99 of it.');
    await window.reload();
    await window.runCommand('Backline: Open Chat');
    await chat.says('Part 99 of it.');
    const frame = await chat.frame();
    const early = frame.locator('.entry-answer').getByText('Part 3 of it.');
    assert.equal(await early.count(), 0);
    await (await chat.prompt()).press('Control+f');
    const find = frame.getByRole('textbox', { name: 'Find in conversation' });
    await find.fill('Part 3 of it.');
    await frame.locator('.find-count').getByText('of 1').waitFor();
    await find.press('Enter');
    await early.waitFor();
    await frame.locator('.find-count').getByText('1 of 1', { exact: true }).waitFor();
    await window.screenshot('find-unloaded');
    await frame.getByRole('button', { name: 'Jump to Latest' }).click();
    await chat.says('Part 99 of it.');
  });

  /** As a VS Code leaves it that was killed before its first file, or after its last. */
  async function writeJournal(before: Buffer, after: Buffer): Promise<void> {
    const stateOf = (bytes: Buffer) => ({ kind: 'file', object: blobOf(bytes), bytes: bytes.length });
    const steps = [{ path: `src/${fileName}`, before: stateOf(before), after: stateOf(after) }];
    const ids = { id: 'cut-off', checkpointId: 'c'.repeat(40), undoId: 'd'.repeat(40) };
    const journal = JSON.stringify({ version: 1, ...ids, pid: 2 ** 30, at: 0, steps });
    const all = await readdir(window.sandbox.dataDir, { recursive: true });
    const store = all.find((name) => /checkpoints[\\/][0-9a-f]{16}$/.test(name));
    assert.ok(store);
    await writeFile(path.join(window.sandbox.dataDir, store, 'restore.json'), journal);
  }
});

/** The name by which Git knows the bytes. */
function blobOf(bytes: Buffer): string {
  return createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}
