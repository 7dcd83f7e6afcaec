import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Frame } from 'playwright-core';
import { inRoot } from '../../scripts/lib/paths.mjs';
import { NpmRegistry } from '../fake/agents/npmRegistry';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { VsCodeWindow } from './support/window';

/** Programs of a machine without Node.js and npm. */
const programs = ['sh', 'bash', 'env', 'cat', 'ls', 'uname', 'ps', 'dirname', 'basename', 'sed', 'grep', 'git'];
const key = 'a-fake-key-of-the-test';

async function publish(registry: NpmRegistry, version: string): Promise<void> {
  const program = await readFile(inRoot('test/fixtures/agents/keyAgent.mjs'), 'utf8');
  await registry.publish({
    name: 'key-agent',
    version,
    files: { 'agent.mjs': program.replace('__VERSION__', version) },
    bin: { 'key-agent': 'agent.mjs' },
  });
  registry.agents = {
    version: '1.0.0',
    agents: [
      {
        id: 'key-agent',
        name: 'Key Agent',
        version,
        description: 'An agent of the tests',
        authors: ['Backline'],
        license: 'MIT',
        distribution: { npx: { package: `key-agent@${version}`, args: ['--acp'] } },
      },
    ],
  };
}

describe('Agents, in a fresh profile on a machine without Node.js on PATH', () => {
  let registry: NpmRegistry;
  let window: VsCodeWindow;
  let chat: ChatView;
  let clicks = 0;

  before(async () => {
    registry = await NpmRegistry.start();
    await publish(registry, '1.0.0');
    window = await VsCodeWindow.open({
      settings: { 'backline.agents.registry': registry.agentsAddress },
      prepare: async ({ folder, home }) => {
        const bin = path.join(folder, 'bin');
        await mkdir(bin);
        for (const name of programs) await symlink(`/usr/bin/${name}`, path.join(bin, name));
        await writeFile(path.join(home, '.profile'), `export PATH='${bin}'\n`);
        await writeFile(path.join(home, '.npmrc'), `registry=${registry.origin}/\n`);
      },
    });
    chat = new ChatView(window.page);
  });
  after(async () => {
    await window.close();
    await registry.stop();
  });

  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.screenshot('agents-failed');
  });

  async function agentsPage(): Promise<Frame> {
    return await eventually('the page of agents', async () => {
      for (const frame of window.page.frames()) {
        if (
          await frame
            .locator('.agents[aria-busy=false]')
            .isVisible()
            .catch(() => false)
        )
          return frame;
      }
      throw new Error('no frame shows the agents');
    });
  }
  async function click(button: { click(): Promise<void> }): Promise<void> {
    await button.click();
    clicks++;
  }
  const inDialog = (name: string) => window.page.locator('.monaco-dialog-box').getByRole('button', { name });
  async function cardShows(text: string | RegExp): Promise<void> {
    await eventually(`${String(text)} on the card`, async () => {
      const card = (await agentsPage()).getByRole('group', { name: 'Key Agent' });
      await card.getByText(text).first().waitFor({ timeout: 5_000 });
    });
  }

  it('gets from the panel to an answer with six clicks besides typing the key', async () => {
    await window.runCommand('Backline: Open Chat');
    const way = await chat.button('Install an Agent');
    await way.waitFor();
    await window.screenshot('agents-1-empty-chat');
    await click(way);

    const page = await agentsPage();
    const install = page.getByRole('button', { name: 'Install Key Agent' });
    await install.waitFor();
    await window.screenshot('agents-2-page');
    await click(install);

    const dialog = window.page.locator('.monaco-dialog-box');
    await dialog.getByText('Install Key Agent?').waitFor();
    const detail = await dialog.innerText();
    for (const part of ['key-agent', 'Backline', registry.origin, 'MIT', 'your user rights']) {
      assert.ok(detail.includes(part), `${part} in ${detail}`);
    }
    await window.screenshot('agents-3-consent');
    await click(inDialog('Install'));

    await cardShows(/^Installed$/);
    await window.screenshot('agents-4-installed');
    await click((await agentsPage()).getByRole('button', { name: 'Start Conversation Key Agent' }));

    await chat.send('Hello?');
    await window.screenshot('agents-5-sign-in');
    await click(await chat.button(/Sign In/));
    const box = window.page.locator('.quick-input-widget input[type=password]');
    await box.waitFor();
    await box.fill(key);
    await window.screenshot('agents-6-key');
    await box.press('Enter');
    await chat.says(`Key Agent 1.0.0 says hello with a key of ${key.length} letters.`);
    await window.screenshot('agents-7-answer');
    assert.ok(clicks <= 6, `${clicks} clicks`);
    assert.ok(
      registry.requests.some((path) => path.startsWith('/npm/-/')),
      'npm was loaded',
    );
  });

  it('updates it while it runs, which keeps its version until it is restarted', async () => {
    await publish(registry, '1.1.0');
    await window.runCommand('Backline: Agents');
    await (await agentsPage()).getByRole('button', { name: 'Refresh' }).click();
    await cardShows('Update available: version 1.1.0');
    await (await agentsPage()).getByRole('button', { name: 'Update Key Agent' }).click();
    await cardShows('Restart to use version 1.1.0');
    await window.screenshot('agents-8-updated');
    await chat.send('Which version?');
    await chat.says('Key Agent 1.0.0');
    await (await agentsPage()).getByRole('button', { name: 'Restart Key Agent' }).click();
    await cardShows('Running');
    await chat.send('And now?');
    await chat.says('Key Agent 1.1.0');
  });

  it('removes all of it, with its key', async () => {
    const page = await agentsPage();
    await page.getByRole('button', { name: 'More actions for Key Agent' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    await inDialog('Remove').click();
    await cardShows('Not installed');
    await window.screenshot('agents-9-removed');
  });
});
