import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import * as path from 'node:path';
import type { Frame } from 'playwright-core';
import { buildDemoAgent, type DemoAgentFiles } from '../fake/acp/demoAgentFile';
import { eventually } from '../support/eventually';
import { ChatView } from './support/chatView';
import { sharedWindow } from './support/sharedWindow';
import { writeUserSettings } from './support/userSettings';
import type { VsCodeWindow } from './support/window';

const agent = 'Routed agent';
const secret = 'sk-gateway-1234567890';

/** From the card of an agent to another address for its requests, and back. */
describe('The LLM providers of an agent, as a user changes them', () => {
  let window: VsCodeWindow;
  let chat: ChatView;
  let demo: DemoAgentFiles;

  before(async () => {
    demo = await buildDemoAgent();
    window = await sharedWindow(async (sandbox) => {
      const entry = { command: 'node', args: [demo.extendedFile, '--protocol', '2', '--providers'] };
      await writeUserSettings(sandbox, { 'backline.acp.agents': { [agent]: entry }, 'backline.chat.backend': agent });
    });
    chat = new ChatView(window.page);
    await chat.begin(window, agent);
  });
  afterEach(async function () {
    if (this.currentTest?.state === 'failed') await window.screenshot('llm-providers-failed');
  });
  after(() => demo.remove());

  const picker = () => window.page.locator('.quick-input-widget:visible');
  const toast = (text: RegExp) => window.page.locator('.notification-toast').getByText(text).first();

  async function agentsPage(): Promise<Frame> {
    return eventually('the page of agents', async () => {
      for (const frame of window.page.frames()) {
        const list = frame.locator('.agents[aria-busy=false]');
        if (await list.isVisible().catch(() => false)) return frame;
      }
      throw new Error('no frame has the list of agents');
    });
  }

  /** Again when something took the focus, which closes the list of agents. */
  async function listProviders(): Promise<void> {
    const row = window.picks.filter({ hasText: 'summaries' }).first();
    await eventually('the LLM providers', async () => {
      await window.pickFrom('Backline: Manage LLM Providers…', agent);
      await row.waitFor({ timeout: 15_000 });
    });
  }

  async function openProvider(name: string): Promise<void> {
    await listProviders();
    await window.pick(name);
  }

  /** Types into the box with this prompt, so that no box gets what belongs to another. */
  async function enter(prompt: RegExp, text: string): Promise<void> {
    await picker().getByText(prompt).waitFor();
    await picker().locator('input').first().fill(text);
    await window.page.keyboard.press('Enter');
    await picker().getByText(prompt).waitFor({ state: 'hidden' });
  }

  async function setAddress(address: string): Promise<void> {
    await window.pick('Set Address…');
    await window.pick('Anthropic');
    await enter(/sends its requests to this address/, address);
  }

  it('are in the menu of its card once it has told that it has some', async () => {
    await chat.send('hello');
    await chat.says('Demo agent');
    await window.runCommand('Backline: Agents');
    const page = await agentsPage();
    await page.getByRole('button', { name: `More actions for ${agent}` }).click();
    const entry = page.getByRole('menuitem', { name: 'LLM Providers…' });
    await entry.waitFor();
    await window.screenshot('llm-providers-card');
    await entry.click();
    await picker().getByText('OpenAI, https://llm.example.com/v1').waitFor();
    await window.screenshot('llm-providers-list');
    assert.doesNotMatch(await picker().innerText(), /key=demo/);
    await window.page.keyboard.press('Escape');
  });

  it('go to an encrypted address only, which is said at once', async () => {
    await openProvider('main');
    await window.pick('Set Address…');
    await window.screenshot('llm-providers-protocols');
    await picker().getByText('_gizmo').waitFor();
    await window.pick('Anthropic');
    await picker().locator('input').first().fill('http://gateway.example.com/v1');
    await picker()
      .getByText(/Use https:, because others could read/)
      .waitFor();
    await window.screenshot('llm-providers-insecure');
    await window.page.keyboard.press('Escape');
  });

  it('that the agent refuses stay as they were, with its reason', async () => {
    await openProvider('main');
    await setAddress('https://refused.example.com');
    await window.pick('Save');
    await toast(/did not accept the address.*This gateway is not allowed.*Your change was not kept/).waitFor();
    await window.screenshot('llm-providers-refused');
    await window.runCommand('Notifications: Clear All Notifications');
    await listProviders();
    await picker().getByText('OpenAI, https://llm.example.com/v1').waitFor();
    await window.page.keyboard.press('Escape');
    await chat.send('hello again');
    await eventually('two answers', async () =>
      assert.equal(await (await chat.frame()).locator('.entry-answer').count(), 2),
    );
  });

  it('go to the address of a company, with a header that is kept secret', async () => {
    await openProvider('main');
    await setAddress('https://gateway.example.com/v1');
    await window.pick('Add Header…');
    await enter(/The name of the header/, 'Authorization');
    await picker().locator('input[type=password]').waitFor();
    await enter(/The value of Authorization/, `Bearer ${secret}`);
    await window.screenshot('llm-providers-headers');
    await window.pick('Save');
    await toast(/sends its requests for “main” to https:\/\/gateway\.example\.com\/v1/).waitFor();
    // The agent was restarted, and forgets at each start where it sends its requests.
    await window.runCommand('Notifications: Clear All Notifications');
    await listProviders();
    await picker().getByText('Anthropic, https://gateway.example.com/v1').waitFor();
    await picker()
      .getByText(/Set by you, with 1 header/)
      .waitFor();
    await window.screenshot('llm-providers-set');
    await window.page.keyboard.press('Escape');
  });

  it('have no secret in a file that is kept', async () => {
    const folder = path.join(window.sandbox.dataDir, 'data');
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    const texts = await Promise.all(files.map((name) => readFile(name, 'latin1').catch(() => '')));
    assert.ok(!texts.some((text) => text.includes(secret)));
  });

  it('can be disabled, unless the agent requires them, and left to the agent again', async () => {
    await openProvider('summaries');
    await window.pick('Disable');
    await toast(/no longer uses the LLM provider “summaries”/).waitFor();
    await window.runCommand('Notifications: Clear All Notifications');
    await openProvider('main');
    await picker().getByText('Use the Agent’s Own Setting').waitFor();
    assert.doesNotMatch(await picker().innerText(), /Disable/);
    await window.pick('Use the Agent’s Own Setting');
    await toast(/uses its own setting for the LLM provider “main” again/).waitFor();
    await listProviders();
    await picker().getByText('OpenAI, https://llm.example.com/v1').waitFor();
    await picker().getByText('Disabled by you').waitFor();
    await window.screenshot('llm-providers-disabled');
    await window.page.keyboard.press('Escape');
  });

  it('stop the agent when the secret storage has lost them, as that of this window does in a reload', async () => {
    await window.reload();
    await window.runCommand('Backline: Open Chat');
    await chat.send('hello once more');
    await chat.shows(/are missing in VS Code’s secret storage\. Run "Backline: Manage LLM Providers…" to remove them/);
    await window.screenshot('llm-providers-lost');
    await window.pickFrom('Backline: Manage LLM Providers…', agent);
    const dialog = window.page.locator('.monaco-dialog-box');
    await dialog.getByText(/are missing in VS Code’s secret storage/).waitFor();
    await window.screenshot('llm-providers-lost-dialog');
    await dialog.getByRole('button', { name: 'Remove Them' }).click();
    await dialog.waitFor({ state: 'hidden' });
    await listProviders();
    await picker().getByText('OpenAI, https://small.example.com').waitFor();
  });
});
