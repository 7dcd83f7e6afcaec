import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { VsCodeWindow } from './support/window';

const run = promisify(execFile);

interface Unwritable {
  readonly undo: () => Promise<void>;
  /** What the chat says of it. */
  readonly problem: string;
}

/** Nothing can be written there from now on: mounted read-only where that is allowed, else with a file in its place. */
async function makeUnwritable(folder: string): Promise<Unwritable> {
  await mkdir(folder, { recursive: true });
  try {
    await run('mount', ['--bind', folder, folder]);
  } catch {
    await rm(folder, { recursive: true });
    await writeFile(folder, '');
    return { undo: () => Promise.resolve(), problem: 'A file is where a folder should be.' };
  }
  await run('mount', ['-o', 'remount,ro,bind', folder]);
  const undo = async (): Promise<void> => {
    await run('umount', ['--lazy', folder]);
  };
  return { undo, problem: 'The conversations folder isn’t writable.' };
}

describe('The chat, where its folder cannot be written', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let unwritable: Unwritable | undefined;

  before(async () => {
    window = await VsCodeWindow.open({
      prepare: async ({ dataDir }) => {
        unwritable = await makeUnwritable(path.join(dataDir, 'data', 'User', 'globalStorage', 'backline.backline'));
      },
    });
    chat = new ChatView(window.page);
  });
  after(async () => {
    await unwritable?.undo();
    await window.close();
  });

  /** What was logged at least twice, without its time. */
  async function repeated(pattern: string): Promise<string[]> {
    const lines: string[] = [];
    for await (const file of glob(path.join(window.sandbox.dataDir, 'data', 'logs', '**', pattern)))
      lines.push(...(await readFile(file, 'utf8')).split('\n'));
    const troubles = lines.filter(
      (line) => /\[(?:warning|error)\]/.test(line) && /backline/i.test(`${pattern}${line}`),
    );
    const messages = troubles.map((line) => line.replace(/^[\d :.-]+/, ''));
    return messages.filter((message, index) => messages.indexOf(message) !== index);
  }

  it('says so once, continues in memory, and is not told of it again and again in the log', async () => {
    await window.runCommand('Backline: Open Chat');
    for (const name of ['Ada', 'Grace', 'Mary']) {
      await chat.send(`what can you do, ${name}?`);
      await chat.shows(`what can you do, ${name}?`);
      await (await chat.button('Send')).waitFor();
    }
    const problem = (await chat.frame()).getByText(unwritable?.problem ?? '');
    await problem.first().waitFor();
    assert.equal(await problem.count(), 1);
    await chat.send('rename colour to color in README.md');
    await (await chat.button('Send')).waitFor();
    await window.runCommand('Backline: New Conversation');
    await (await chat.frame()).locator('.empty').first().waitFor();
    await window.runCommand('Backline: Show Conversations in Chat');
    await chat.shows('what can you do, Ada?');
    await eventually('the log', async () => assert.deepEqual(await repeated('*.log'), []));
    await window.screenshot('chat-not-kept');
  });
});
