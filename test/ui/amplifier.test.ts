import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Locator } from 'playwright-core';
import { RealDialectServer } from '../fake/amplifier/realDialectServer';
import type { TurnScript } from '../fake/amplifier/realDialectSession';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import { writeUserSettings } from './support/userSettings';
import type { VsCodeWindow } from './support/window';

const key = 'sk-ant-Zq7xNeverOnDisk';
const otherKey = 'sk-ant-Wm4kNeverOnDisk';
const command = 'Backline: Set Amplifier API Key';

/** One that tells the key again, as a program that a tool runs there may. */
const tellingTurn: TurnScript = async (turn) => {
  turn.delta(`The key is ${otherKey}. Now for the tool.`);
  await turn.gatedTool('bash');
  turn.complete('All is done.');
};

describe('Amplifier, as a user sees it', () => {
  let server: RealDialectServer;
  let window: VsCodeWindow;
  let input: Locator;

  before(async () => {
    server = new RealDialectServer({ script: tellingTurn });
    await server.start();
    const settings = { 'amplifier.server.port': Number(server.url.port), 'backline.chat.backend': 'amplifier' };
    window = await sharedWindow((sandbox) => writeUserSettings(sandbox, settings));
    input = window.page.locator('.quick-input-widget input[type=password]');
  });
  after(() => server.stop());

  const toast = (text: string | RegExp): Promise<void> => window.page.getByText(text).first().waitFor();

  async function typeKey(text: string): Promise<void> {
    await input.fill(text);
    await input.press('Enter');
  }

  /** Whatever VS Code and Backline have written: settings, state, logs, the home, the workspace. */
  async function filesWith(...texts: string[]): Promise<string[]> {
    const { folder } = window.sandbox;
    const needles = texts.flatMap((text) => [
      Buffer.from(text),
      Buffer.from(text, 'utf16le'),
      Buffer.from(Buffer.from(text).toString('base64').slice(0, -4)),
    ]);
    // A folder that goes meanwhile ends a listing.
    const files = await eventually('all files', async () => {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const all = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
      assert.ok(
        all.some((file) => file.endsWith('Backline.log')),
        'the log is among them',
      );
      return all;
    });
    const found = await Promise.all(
      files.map(async (file) => {
        const bytes = await readFile(file).catch(() => Buffer.alloc(0));
        return needles.some((needle) => bytes.includes(needle)) ? [path.relative(folder, file)] : [];
      }),
    );
    return found.flat();
  }

  it('says in the status list that the server answers, and where', async () => {
    await window.showStatus('is running at', `Version 0.1.0 is running at ${server.url.origin}.`);
    await window.screenshot('amplifier-status');
    await window.showStatus('API key', 'Set API Key');
    await window.page.keyboard.press('Escape');
  });

  it('takes an API key without showing it, and shows what becomes of it', async () => {
    await window.runCommand(command);
    await input.fill('two words');
    await toast('The value must not contain spaces.');
    await typeKey(key);
    await toast(/API key stored\. It is sent to the Amplifier server when a session starts/);
    await window.screenshot('amplifier-key');
  });

  it('replaces the key', async () => {
    await window.runCommand(command);
    await window.picks.filter({ hasText: 'Remove' }).waitFor();
    await window.pick('Replace');
    await typeKey(otherKey);
    await toast(/API key replaced\./);
  });

  it('has written neither key to any file, and shows neither in the page’s storage', async () => {
    assert.deepEqual(await filesWith(key, otherKey), []);
    const storage = await window.page.evaluate('JSON.stringify(Object.entries(localStorage))');
    assert.ok(typeof storage === 'string' && !storage.includes(key) && !storage.includes(otherKey));
    assert.deepEqual(
      server.requests.filter((request) => JSON.stringify(request).includes('sk-ant-')),
      [],
      'and has sent it nowhere, for no session has begun',
    );
  });

  it('gives the key to the server when a session begins, and nothing of a whole turn leaves it in a file', async () => {
    const chat = new ChatView(window.page);
    await chat.begin(window, 'Amplifier');
    await chat.send('begin');
    await chat.shows(/Now for the tool/);
    await chat.answer('Allow');
    await chat.shows('All is done.');
    await (await chat.button('Send')).waitFor();
    assert.deepEqual(server.session.ran, ['bash']);
    const withKey = server.requests.filter((request) => JSON.stringify(request).includes('sk-ant-'));
    assert.deepEqual(
      withKey.map(({ method, path: place }) => `${method} ${place}`),
      ['POST /sessions'],
    );
    assert.ok(!(await (await chat.frame()).content()).includes(otherKey));
    assert.deepEqual(await filesWith(key, otherKey), []);
    await window.screenshot('amplifier-turn-with-key');
  });

  it('removes the key', async () => {
    await window.pickFrom(command, 'Remove');
    await toast(/API key removed/);
    await window.runCommand(command);
    await input.waitFor();
    assert.equal(await window.picks.count(), 0, 'there is nothing to replace');
    await window.page.keyboard.press('Escape');
  });

  it('lets the user choose what it is told of the editor, and remembers it', async () => {
    const title = 'Backline: Configure Editor Context for Amplifier';
    const git = window.picks.filter({ hasText: 'Git state' });
    const gitIs = (isChecked: boolean): Promise<void> =>
      eventually('the check mark', async () => assert.equal(await git.getByRole('checkbox').isChecked(), isChecked));
    await window.openFile('README.md');
    await window.runCommand(title);
    await window.picks.filter({ hasText: '1 open file' }).waitFor();
    await gitIs(true);
    await window.screenshot('amplifier-context');
    await git.click();
    await gitIs(false);
    await window.page.keyboard.press('Enter');
    await git.waitFor({ state: 'hidden' });
    // The extension has the choice when it shows it again; a reload takes from it what it has not yet.
    await window.runCommand(title);
    await gitIs(false);
    await window.page.keyboard.press('Escape');
    await window.reload();
    await window.runCommand(title);
    await gitIs(false);
    await window.page.keyboard.press('Escape');
  });

  it('serves without a token only after saying what that means', async () => {
    const dialog = window.page.locator('.monaco-dialog-box');
    const ask = async (): Promise<void> => {
      await window.chooseInStatus('Serve without token');
      await dialog.filter({ hasText: 'Any program on this machine, of any user' }).waitFor();
    };
    await ask();
    await window.screenshot('amplifier-no-token');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await ask();
    await dialog.getByRole('button', { name: 'Serve Without a Token' }).click();
    await toast(/are available at http:\/\/127\.0\.0\.1:\d+ without a token/);
    await window.showStatus('without a token', /without a token\. Any program on this machine/);
    await window.screenshot('amplifier-served-without-token');
    await window.page.keyboard.press('Escape');
  });

  it('explains what to do when the server is gone, as soon as the user looks', async () => {
    await server.stop();
    // By its address if the conversation has asked for it, else by its host.
    await window.showStatus('is running at', /No Amplifier server is running at/);
    await window.screenshot('amplifier-gone');
    await window.page.keyboard.press('Escape');
  });
});
