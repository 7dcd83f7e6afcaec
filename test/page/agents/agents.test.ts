import assert from 'node:assert/strict';
import type { Locator, Page } from 'playwright-core';
import {
  agentsRequests,
  didChangeAgents,
  didLoadIcon,
  didRequestForm,
  type AgentCard,
  type AgentsView,
  type OwnAgent,
} from '../../../src/agents/common/page/agentsApi';
import { drawn } from '../support/drawn';
import { PageHarness, type OpenedPage, type PageOptions } from '../support/pageHarness';
import { themeNames } from '../support/themes';
import { takePicture } from '../../support/pictures';

const card = (key: string, name: string, more: Partial<AgentCard> = {}): AgentCard => ({
  key,
  group: 'others',
  backendId: key,
  name,
  description: 'A coding agent for the terminal',
  facts: ['Example Inc.', 'Apache-2.0', 'version 1.2.3'],
  origin: `npm: ${key}`,
  keywords: key,
  state: { kind: 'available', text: 'Not installed' },
  actions: [
    { kind: 'install', label: 'Install' },
    { kind: 'openWebsite', label: 'Open Website' },
  ],
  ...more,
});

const chat = { kind: 'chat', label: 'Start Conversation' } as const;
const remove = { kind: 'remove', label: 'Remove…' } as const;
const website = { kind: 'openWebsite', label: 'Open Website' } as const;

const view: AgentsView = {
  cards: [
    card('claude', 'Claude', {
      group: 'here',
      facts: ['Anthropic', 'proprietary', 'version 0.9.1'],
      state: { kind: 'ready', text: 'Running' },
      actions: [chat, { kind: 'restart', label: 'Restart' }, remove, website],
    }),
    card('codex', 'Codex', {
      group: 'here',
      state: { kind: 'update', text: 'Update available: version 1.3.0' },
      actions: [{ kind: 'update', label: 'Update' }, chat, remove],
    }),
    card('gemini', 'Gemini CLI', {
      group: 'here',
      state: { kind: 'signIn', text: 'Sign-in required' },
      actions: [{ kind: 'signIn', label: 'Sign In…' }, chat, remove],
    }),
    card('mine', 'my-agent', {
      group: 'here',
      description: '',
      facts: [],
      origin: 'my-agent --acp',
      state: {
        kind: 'broken',
        text: "'my-agent' was not found on your PATH.",
        advice: 'Install it, or correct the command.',
      },
      actions: [{ kind: 'edit', label: 'Edit…' }, remove],
    }),
    card('goose', 'goose', {
      group: 'here',
      origin: 'goose acp',
      state: { kind: 'installed', text: 'Found on your PATH' },
      actions: [chat, { kind: 'install', label: 'Install' }, website],
    }),
    card('opencode', 'OpenCode', {
      group: 'popular',
      state: { kind: 'installing', text: 'Downloading…', fraction: 0.4 },
      actions: [{ kind: 'cancel', label: 'Cancel' }],
    }),
    card('qwen', 'Qwen Code', {
      state: {
        kind: 'broken',
        text: 'The connection was lost after 12 MB.',
        advice: 'Check your network and try again.',
      },
      actions: [{ kind: 'install', label: 'Try Again…' }, website],
    }),
    card('long', 'An agent with a name that is longer than anybody would like it to be', {
      description: `It does ${'very-many-things-'.repeat(12)} and says so.`,
      origin: 'Download from releases.an-organization-with-a-long-name.example',
    }),
  ],
  registry: { checked: 'List checked on Nov 24, 2026, 3:20 AM', isChecking: false },
  isUntrusted: false,
};

const icon =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="currentColor" d="M8 1l2 5h5l-4 3 2 6-5-4-5 4 2-6-4-3h5z"/></svg>';

describe('the page of agents', function () {
  this.timeout(240_000);
  const pages = new PageHarness();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  async function open(options: Partial<PageOptions> = {}, shown = view): Promise<OpenedPage> {
    const opened = await pages.openPage({
      entry: 'src/agents/browser/agentsMain.tsx',
      width: 1000,
      height: 800,
      ...options,
      prepare: (host) => {
        host.answer(agentsRequests.ready, () => {
          void host.notify(didChangeAgents, shown);
          void host.notify(didLoadIcon, { key: 'codex', svg: icon });
          return {};
        });
        for (const request of [agentsRequests.act, agentsRequests.refresh, agentsRequests.cancelTest]) {
          host.answer(request, () => ({}));
        }
        options.prepare?.(host);
      },
    });
    await opened.page.locator('.agents[aria-busy=false]').waitFor();
    await drawn(opened.page);
    return opened;
  }

  const names = (page: Page): Promise<string[]> => page.locator('.agent h3').allInnerTexts();
  const cardOf = (page: Page, name: string): Locator => page.getByRole('group', { name, exact: true });
  const focusedName = (page: Page): Promise<string> =>
    page.evaluate(
      () => document.activeElement?.querySelector('h3')?.textContent ?? document.activeElement?.tagName ?? '',
    );

  it('lists agents by group, those that can be used first', async () => {
    const { page } = await open();
    const titles = await page.locator('.agents h2').allInnerTexts();
    assert.deepEqual(titles, ['On This Machine 5', 'Popular 1', 'All Others 2']);
    const qwen = await cardOf(page, 'Qwen Code').innerText();
    assert.match(qwen, /The connection was lost after 12 MB\. Check your network and try again\./);
  });

  it('draws each agent in its color, with two letters until its icon is there', async () => {
    const { page } = await open();
    const drawnIn = (name: string): Promise<readonly string[]> =>
      cardOf(page, name)
        .locator('.agent-tile')
        .evaluate((tile) => {
          const { content } = getComputedStyle(tile, '::before');
          return [content, getComputedStyle(tile).backgroundColor, String(tile.children.length)];
        });
    const [letters, color, icons] = await drawnIn('Claude');
    assert.deepEqual([letters, icons], ['"Cl"', '0']);
    const [noLetters, other, icon] = await drawnIn('Codex');
    assert.deepEqual([noLetters, icon], ['none', '1']);
    assert.notEqual(color, other);
  });

  it('has one quiet button for what can be installed, and the website in a menu', async () => {
    const { page } = await open();
    const long = page.getByRole('group', { name: /^An agent with a name/ });
    assert.deepEqual(await long.getByRole('button').allInnerTexts(), ['Install', '']);
    const primary = await page.locator('.agent .is-primary').allInnerTexts();
    assert.deepEqual(primary, ['Sign In…']);
  });

  it('asks the host to do what is clicked, in the menu too', async () => {
    const { page, host } = await open();
    await cardOf(page, 'Codex').getByRole('button', { name: 'Update Codex' }).click();
    await cardOf(page, 'Claude').getByRole('button', { name: 'More actions for Claude' }).click();
    await page.getByRole('menuitem', { name: 'Remove…' }).click();
    assert.deepEqual(host.requestsOf(agentsRequests.act), [
      { key: 'codex', action: 'update' },
      { key: 'claude', action: 'remove' },
    ]);
  });

  it('finds agents by name, author, package and description', async () => {
    const { page } = await open();
    const search = page.getByRole('searchbox', { name: 'Search agents' });
    await search.fill('anthropic');
    assert.deepEqual(await names(page), ['Claude']);
    await search.fill('npm: qwen');
    assert.deepEqual(await names(page), ['Qwen Code']);
    await search.fill('nothing like it');
    await page.getByText('No agents match “nothing like it”.').waitFor();
    await search.press('Escape');
    assert.equal((await names(page)).length, 8);
  });

  it('is used with the keyboard alone', async () => {
    const { page, host } = await open();
    const search = page.getByRole('searchbox', { name: 'Search agents' });
    await search.focus();
    await search.press('ArrowDown');
    assert.equal(await focusedName(page), 'Claude');
    await page.keyboard.press('ArrowDown');
    assert.equal(await focusedName(page), 'Codex');
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    assert.match(await focusedName(page), /^An agent with a name/);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement?.textContent), 'Try Again…');
    assert.deepEqual(host.requestsOf(agentsRequests.act), [
      { key: 'codex', action: 'update' },
      { key: 'qwen', action: 'install' },
    ]);
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Escape');
    assert.equal(await focusedName(page), 'INPUT');
  });

  it('moves a card to its new group, keeps its focus, and tells a screen reader', async () => {
    const { page, host } = await open();
    await cardOf(page, 'OpenCode').focus();
    const cards = view.cards.map((item): AgentCard =>
      item.key === 'opencode'
        ? { ...item, group: 'here', state: { kind: 'installed', text: 'Installed' }, actions: [chat, remove] }
        : item,
    );
    await host.notify(didChangeAgents, { ...view, cards });
    await page.getByRole('heading', { name: 'On This Machine 6' }).waitFor();
    assert.equal(await focusedName(page), 'OpenCode');
    assert.equal(await page.locator('[role=status]').first().innerText(), 'OpenCode: Installed.');
  });

  it('shows how far an installation is, and does not repeat it to a screen reader', async () => {
    const { page, host } = await open();
    const progress = page.getByRole('progressbar', { name: 'Downloading…' });
    assert.equal(await progress.getAttribute('value'), '40');
    const cards = view.cards.map((item): AgentCard =>
      item.key === 'opencode' ? { ...item, state: { ...item.state, fraction: 0.9 } } : item,
    );
    await host.notify(didChangeAgents, { ...view, cards });
    await page.locator('progress[value="90"]').waitFor();
    assert.equal(await page.locator('[role=status]').first().innerText(), '');
  });

  it('explains why the list could not be loaded, and loads it again', async () => {
    const problem = 'The list of agents could not be loaded: there is no connection to the internet.';
    const { page, host } = await open({}, { ...view, registry: { ...view.registry, problem } });
    await page.getByText(problem).waitFor();
    await page.getByRole('button', { name: 'Refresh' }).click();
    await host.waitFor(agentsRequests.refresh);
  });

  it('offers to trust a workspace that is not trusted', async () => {
    const { page, host } = await open(
      { prepare: (fake) => fake.answer(agentsRequests.manageTrust, () => ({})) },
      { ...view, isUntrusted: true },
    );
    await page.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    await host.waitFor(agentsRequests.manageTrust);
  });

  it('shows what the host could not do until it is dismissed', async () => {
    const { page } = await open({
      prepare: (fake) =>
        fake.answer(agentsRequests.act, () => {
          throw new Error('This agent is no longer listed.');
        }),
    });
    await page.getByRole('button', { name: 'Update Codex' }).click();
    await page.getByRole('alert').getByText('no longer listed').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  describe('the form for an own agent', () => {
    const saved: OwnAgent[] = [];
    let isWorking = true;
    const openForm = async (options: Partial<PageOptions> = {}): Promise<OpenedPage> => {
      saved.length = 0;
      return await open({
        ...options,
        prepare: (fake) => {
          fake.answer(agentsRequests.testOwnAgent, () =>
            isWorking
              ? { isWorking, message: 'It works: My Agent 2.0.0 responded.' }
              : { isWorking, message: "'my-agent' was not found on your PATH." },
          );
          fake.answer(agentsRequests.saveOwnAgent, (form) => {
            saved.push(form);
            return {};
          });
          fake.answer(agentsRequests.readOwnAgent, ({ name }) => ({
            previousName: name,
            name,
            commandLine: 'my-agent --acp',
            folder: '',
            dialect: 'v1' as const,
            variables: [{ name: 'MY_KEY', value: '', isSecret: true }],
            defaults: [{ option: 'mode', value: 'plan' }],
          }));
        },
      });
    };

    it('tries the command, then writes the agent', async () => {
      isWorking = true;
      const { page } = await openForm();
      await page.getByRole('button', { name: 'Add Your Own Agent…' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Mine');
      await page.getByLabel('Command', { exact: true }).fill('my-agent --acp');
      await page.getByRole('button', { name: 'Add Variable' }).click();
      await page.getByLabel('Name of variable 1').fill('MY_KEY');
      await page.getByLabel('Secret').check();
      await page.getByLabel('Value of variable 1').fill('s3cret');
      assert.equal(await page.getByLabel('Value of variable 1').getAttribute('type'), 'password');
      await page.getByRole('button', { name: 'Add Option' }).click();
      await page.getByLabel('Name of option 1').fill('model');
      await page.getByLabel('Value of option 1').fill('small');
      await page.getByRole('button', { name: 'Add', exact: true }).click();
      await page.locator('.own-agent').waitFor({ state: 'detached' });
      assert.deepEqual(saved, [
        {
          name: 'Mine',
          commandLine: 'my-agent --acp',
          folder: '',
          dialect: 'v1',
          variables: [{ name: 'MY_KEY', value: 's3cret', isSecret: true }],
          defaults: [{ option: 'model', value: 'small' }],
        },
      ]);
    });

    it('shows what is wrong with a command that does not work, and can write it anyway', async () => {
      isWorking = false;
      const { page } = await openForm();
      await page.getByRole('button', { name: 'Add Your Own Agent…' }).click();
      await page.getByLabel('Name', { exact: true }).fill('Mine');
      await page.getByLabel('Command', { exact: true }).fill('my-agent');
      await page.keyboard.press('Enter');
      await page.locator('.own-agent').getByText('was not found on your PATH').waitFor();
      assert.deepEqual(saved, []);
      await page.getByRole('button', { name: 'Add Anyway' }).click();
      await page.locator('.own-agent').waitFor({ state: 'detached' });
      assert.equal(saved.length, 1);
    });

    it('opens for an agent that is edited, without its secrets', async () => {
      const { page, host } = await openForm();
      await host.notify(didRequestForm, { name: 'mine' });
      await page.getByRole('heading', { name: 'Edit mine' }).waitFor();
      assert.equal(await page.getByLabel('Command', { exact: true }).inputValue(), 'my-agent --acp');
      assert.equal(await page.getByLabel('Value of variable 1').inputValue(), '');
      assert.equal(await page.getByLabel('Value of option 1').inputValue(), 'plan');
      await page.keyboard.press('Escape');
      await page.locator('.own-agent').waitFor({ state: 'detached' });
    });

    for (const width of [300, 1000]) {
      it(`can be used by everyone in every theme, ${width} px wide`, async () => {
        isWorking = false;
        const opened = await openForm({ width, reducedMotion: true });
        await opened.host.notify(didRequestForm, { name: 'mine' });
        await opened.page.getByRole('button', { name: 'Test' }).click();
        await opened.page.getByRole('button', { name: 'Save Anyway' }).waitFor();
        for (const theme of themeNames) {
          await opened.setTheme(theme);
          await takePicture(opened.page, `agents-form-${width}-${theme}`);
          assert.deepEqual(await opened.axe(), [], theme);
        }
        assert.ok(await fits(opened.page), 'nothing is wider than the page');
      });
    }
  });

  for (const { width, zoom } of [
    { width: 300, zoom: 1 },
    { width: 450, zoom: 1.5 },
    { width: 1000, zoom: 1 },
  ]) {
    it(`can be used by everyone in every theme, ${width} px wide at ${zoom * 100} %`, async () => {
      const opened = await open({ width, reducedMotion: true });
      // Applied as VS Code does it: a zoomed window has fewer CSS pixels.
      if (zoom !== 1) await opened.page.setViewportSize({ width: Math.round(width / zoom), height: 600 });
      await drawn(opened.page);
      for (const theme of themeNames) {
        await opened.setTheme(theme);
        await takePicture(opened.page, `agents-${width}-${theme}`, { fullPage: true });
        assert.deepEqual(await opened.axe(), [], theme);
      }
      assert.ok(await fits(opened.page), 'nothing is wider than the page');
      const heights = await opened.page
        .locator('.agent-actions')
        .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
      assert.ok(
        heights.every((height) => height <= 30),
        `the actions of each card are in one line: ${heights.join(', ')}`,
      );
      assert.deepEqual(opened.problems, []);
    });
  }
});

function fits(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
}
