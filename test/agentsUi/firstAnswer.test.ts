// From the icon to the answer of a real agent, which comes from the real npm registry and uses a scripted model:
// `npm run test:ui -- --real-agents`.
import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { homedir } from 'node:os';
import * as path from 'node:path';
import type { Frame } from 'playwright-core';
import * as z from 'zod';
import snapshot from '../../src/agents/common/registry/snapshot.json';
import { ModelServer } from '../agents/support/modelServer';
import { eventually } from '../support/eventually';
import { ChatView } from '../ui/support/chatView';
import { VsCodeWindow } from '../ui/support/window';

/** Programs of a machine without Node.js and npm. */
const programs = ['sh', 'bash', 'env', 'cat', 'ls', 'uname', 'ps', 'dirname', 'basename', 'sed', 'grep', 'git'];
const key = 'sk-a-fake-key-that-the-user-types';
const Address = z.object({ port: z.number() });

/** What makes an agent use the scripted model; the key comes from the user alone. */
const agents = [
  {
    id: 'gemini',
    title: 'Gemini CLI',
    keyName: 'Gemini API Key',
    variables: (model: string) => ({ GOOGLE_GEMINI_BASE_URL: model, GEMINI_MODEL: 'gemini-2.5-flash' }),
    // Otherwise it asks the scripted model without a key.
    settings: { file: '.gemini/settings.json', text: '{"security":{"auth":{"selectedType":"gemini-api-key"}}}' },
  },
  {
    id: 'claude-acp',
    title: 'Claude Agent',
    keyName: 'Anthropic API Key',
    variables: (model: string) => ({
      ANTHROPIC_BASE_URL: model,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      IS_SANDBOX: '1',
    }),
    settings: undefined,
  },
] as const;

for (const { id, keyName, settings, title, variables } of agents) {
  describe(`${title}, in a fresh profile on a machine without Node.js on PATH`, function () {
    this.timeout(900_000);
    let registry: Server;
    let model: ModelServer;
    let window: VsCodeWindow;
    let chat: ChatView;
    let clicks = 0;

    before(async () => {
      registry = createServer((_request, response) => response.end(JSON.stringify(snapshot)));
      await new Promise<void>((resolve) => registry.listen(0, '127.0.0.1', resolve));
      const { port } = Address.parse(registry.address());
      model = new ModelServer(() => ({ say: `Hello from the model of ${title}.` }));
      const lines = Object.entries(variables(await model.start())).map(([name, value]) => `export ${name}='${value}'`);
      window = await VsCodeWindow.open({
        settings: { 'backline.agents.registry': `http://127.0.0.1:${port}/registry.json` },
        prepare: async ({ folder, home }) => {
          const bin = path.join(folder, 'bin');
          await mkdir(bin);
          for (const name of programs) await symlink(`/usr/bin/${name}`, path.join(bin, name));
          await writeFile(path.join(home, '.profile'), [`export PATH='${bin}'`, ...lines, ''].join('\n'));
          if (settings) {
            await mkdir(path.dirname(path.join(home, settings.file)), { recursive: true });
            await writeFile(path.join(home, settings.file), settings.text);
          }
          // The configuration of npm on this machine says where the registry is.
          const npmrc = await readFile(path.join(homedir(), '.npmrc'), 'utf8').catch(() => '');
          await writeFile(path.join(home, '.npmrc'), npmrc);
        },
      });
      chat = new ChatView(window.page);
    });
    after(async () => {
      await window.close();
      await model.stop();
      registry.close();
    });
    afterEach(async function () {
      if (this.currentTest?.state === 'failed') await picture('failed');
    });

    const picture = (name: string): Promise<void> => window.screenshot(`real-${id}-${name}`);
    const agentsPage = (): Promise<Frame> =>
      eventually('the page of agents', async () => {
        for (const frame of window.page.frames()) {
          const isShown = await frame
            .locator('.agents[aria-busy=false]')
            .isVisible()
            .catch(() => false);
          if (isShown) return frame;
        }
        throw new Error('no frame shows the agents');
      });
    async function click(button: { click(): Promise<void> }): Promise<void> {
      await button.click();
      clicks++;
    }
    const inDialog = (name: string) => window.page.locator('.monaco-dialog-box').getByRole('button', { name });
    async function cardShows(text: string | RegExp, timeoutMs: number): Promise<void> {
      const card = (await agentsPage()).getByRole('group', { name: title, exact: true });
      await card.getByText(text).first().waitFor({ timeout: timeoutMs });
    }

    it('is installed with its key and answers, with six clicks besides typing the key', async () => {
      await window.runCommand('Backline: Open Chat');
      const way = await chat.button('Install an Agent');
      await way.waitFor();
      await click(way);
      const install = (await agentsPage()).getByRole('button', { name: `Install ${title}`, exact: true });
      await install.waitFor();
      await click(install);
      await window.page.locator('.monaco-dialog-box').getByText(`Install ${title}?`).waitFor();
      await picture('1-consent');
      await click(inDialog('Install'));
      await cardShows(/^(Installed|Sign-in required)$/, 300_000);
      await picture('2-installed');
      await click((await agentsPage()).getByRole('button', { name: `Start Conversation ${title}`, exact: true }));
      await chat.send('Hello?');
      const signIn = await chat.button(/Sign In|API Key/);
      await signIn.waitFor({ timeout: 90_000 });
      await picture('3-sign-in');
      await click(signIn);
      const ways = window.picks.filter({ hasText: keyName });
      const box = window.page.locator('.quick-input-widget:visible input[type=password]');
      await ways.or(box).first().waitFor();
      if (await ways.isVisible()) await click(ways);
      await box.waitFor();
      await picture('4-key');
      await box.fill(key);
      await box.press('Enter');
      await chat.says(`Hello from the model of ${title}.`);
      await picture('5-answer');
      assert.ok(clicks <= 6, `${clicks} clicks`);
      assert.deepEqual([...model.keys], [key]);
    });

    it('is removed with all its files', async () => {
      await window.runCommand('Backline: Agents');
      await (await agentsPage()).getByRole('button', { name: `More actions for ${title}`, exact: true }).click();
      await (await agentsPage()).getByRole('menuitem', { name: 'Remove…' }).click();
      await inDialog('Remove').click();
      await cardShows('Not installed', 60_000);
      await picture('6-removed');
      const storage = path.join(window.sandbox.dataDir, 'data', 'User', 'globalStorage', 'backline.backline', 'agents');
      await eventually('nothing is left of it', async () => {
        const left = (await readdir(storage)).toSorted();
        assert.ok(left.includes('installed.json') && !left.includes(id), left.join(', '));
        assert.deepEqual(await readdir(path.join(storage, '.staging')), []);
      });
    });
  });
}
