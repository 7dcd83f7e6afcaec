import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { readdir, readFile, rename } from 'node:fs/promises';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { endExtensionHosts, extensionHosts } from './support/extensionHosts';
import { PlannedAgent } from './support/plannedAgent';
import { VsCodeWindow } from './support/window';
import { workbenchStorageValues } from './support/workbenchStorage';

const title = 'build all of it';

/** A conversation at which the extension host ends is not opened by itself again and again, which would end them all. */
describe('A conversation during whose opening the extension host ended', () => {
  let window: VsCodeWindow;
  let chat: ChatView;

  before(async () => {
    window = await VsCodeWindow.open({
      prepare: async (sandbox) => {
        const agent = new PlannedAgent(sandbox);
        await agent.install();
        await agent.plan(title, [
          { update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'All is built.' } } },
        ]);
      },
    });
    chat = new ChatView(window.page);
    await window.runCommand('Backline: Open Chat');
    await chat.send(title);
    await chat.says('All is built.');
  });
  after(() => window.close());

  const notice = () => chat.notice(`“${title}” was not opened`);

  /** Ends the extension host while it opens the conversation, whose log never comes. */
  async function killWhileOpening(): Promise<void> {
    const log = await logOf(window.sandbox.dataDir);
    await eventually('the end of the turn on disk', async () =>
      assert.match(await readFile(log, 'utf8'), /prompt:complete/),
    );
    // As VS Code keeps what is shown only when it is told that the window goes. The host of before may live on, and would
    // also read the log, so it is ended, too.
    await window.reload();
    await chat.says('All is built.');
    // VS Code stores a moment later that the conversation is open now. Before that, it would count as one that was never opened.
    await eventually('the end of the opening in the storage', async () => {
      const stored = (await workbenchStorageValues(window.page, 'backline.backline')).join('\n');
      assert.match(stored, /chat\.shown/);
      assert.doesNotMatch(stored, /chat\.opening/);
    });
    await window.page.goto('about:blank');
    await endExtensionHosts();
    await withPipeAt(log, async () => {
      await window.load();
      const pipe = await eventually('a host that opens the log', async () => {
        const hosts = await extensionHosts();
        // Only while somebody opens it to read, a pipe can be opened like this. The host ends before it can read from it.
        const opened = openSync(log, constants.O_WRONLY | constants.O_NONBLOCK);
        for (const pid of hosts) process.kill(pid, 'SIGKILL');
        return opened;
      });
      closeSync(pipe);
    });
    // VS Code starts another host.
    await notice();
  }

  it('is named at the next start and opened, compacted, when the user says so, and then by itself again', async () => {
    await killWhileOpening();
    for (const name of ['Open', 'Compact', 'Delete'])
      await (await notice()).getByRole('button', { name, exact: true }).waitFor();
    await window.screenshot('conversation-not-opened-again');
    await chat.shows('What would you like to work on?');
    await (await notice()).getByRole('button', { name: 'Compact', exact: true }).click();
    await chat.says('All is built.');
    await window.reload();
    await chat.says('All is built.');
    assert.equal(await (await chat.frame()).locator('.problem').count(), 0);
    assert.equal(await window.messages.filter({ hasText: 'was not opened' }).count(), 0);
  });
});

function storageIn(dataDir: string): string {
  return path.join(dataDir, 'data', 'User', 'globalStorage', 'backline.backline', 'conversations');
}

/** Puts a pipe in the place of the file for as long as `use` takes. Nobody waits at it afterwards, whatever comes of `use`. */
async function withPipeAt(file: string, use: () => Promise<void>): Promise<void> {
  await promisify(execFile)('mkfifo', [`${file}.pipe`]);
  await rename(file, `${file}.kept`);
  await rename(`${file}.pipe`, file);
  try {
    await use();
  } finally {
    // Opened like this it waits for nobody; and who waits for a writer has one, then reads to the end.
    const pipe = openSync(file, constants.O_RDWR | constants.O_NONBLOCK);
    await rename(`${file}.kept`, file);
    closeSync(pipe);
  }
}

async function logOf(dataDir: string): Promise<string> {
  const storage = storageIn(dataDir);
  const [id] = (await readdir(storage)).filter((name) => name.includes('-'));
  assert.ok(id !== undefined);
  return path.join(storage, id, 'log.jsonl');
}
