import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import {
  didChangePermissions,
  permissionsRequests,
  type PolicyCell,
  type PermissionsView,
  type PolicyRow,
} from '../../../src/permissions/common/page/permissionsApi';
import { drawn } from '../support/drawn';
import { PageHarness, type OpenedPage, type PageOptions } from '../support/pageHarness';
import { themeNames } from '../support/themes';
import { takePicture } from '../../support/pictures';

const inherit: PolicyCell = { choice: 'inherit' };
const row = (agent: string, title: string, cells: Partial<PolicyRow['cells']> = {}): PolicyRow => ({
  agent,
  title,
  cells: { read: inherit, edit: inherit, run: inherit, fetch: inherit, ...cells },
});

const view: PermissionsView = {
  policy: [
    row('*', 'All agents', { read: { choice: 'allow' }, run: { choice: 'allow', stricter: 'ask' } }),
    row('opencode', 'OpenCode', { fetch: { choice: 'deny' } }),
    { agent: 'amp', title: 'Amp', cells: { read: inherit, edit: { choice: 'deny' } } },
    row('a', 'An agent with a name that is longer than anybody would like it to be'),
  ],
  rules: [
    {
      id: 'r1',
      effect: 'allow',
      title: 'npm test',
      matches: ['in /home/ada/work/shop', 'NODE_ENV=test'],
      who: 'OpenCode',
      facts: 'created Nov 21, 2026 · used 12 times, last on Nov 22, 2026',
      lasts: 'always',
      canRemove: true,
    },
    {
      id: 'r2',
      effect: 'deny',
      title: `edit /home/ada/${'very-long-folder-name/'.repeat(8)}secrets.ts`,
      matches: [],
      who: 'All agents',
      facts: 'never used',
      lasts: 'always',
      canRemove: true,
    },
    {
      id: 'r3',
      effect: 'allow',
      title: 'Always Allow in project: seq *',
      matches: [],
      who: 'Qwen Code',
      facts: 'Only Qwen Code remembers this answer. To be asked again, restart the agent. This stops its current work.',
      lasts: 'conversation',
      canRemove: false,
      remembers: 'qwen',
    },
  ],
};

describe('the page of permissions', function () {
  this.timeout(180_000);
  const pages = new PageHarness();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  async function open(options: Partial<PageOptions> = {}, shown = view): Promise<OpenedPage> {
    const opened = await pages.openPage({
      entry: 'src/permissions/browser/permissionsMain.tsx',
      style: 'src/permissions/browser/permissions.css',
      width: 1000,
      height: 800,
      ...options,
      prepare: (host) => {
        host.answer(permissionsRequests.ready, () => {
          void host.notify(didChangePermissions, shown);
          return {};
        });
        options.prepare?.(host);
      },
    });
    await opened.page.locator('.permissions[aria-busy=false]').waitFor();
    await drawn(opened.page);
    return opened;
  }

  it('asks the host for a choice, and shows what the host says of it', async () => {
    const asked: unknown[] = [];
    const { page, host } = await open({
      prepare: (fake) =>
        fake.answer(permissionsRequests.setPolicy, (params) => {
          asked.push(params);
          return {};
        }),
    });
    const select = page.getByRole('combobox', { name: 'OpenCode: Run commands' });
    await select.selectOption({ label: 'Deny' });
    assert.deepEqual(asked, [{ agent: 'opencode', kind: 'run', choice: 'deny' }]);
    assert.equal(await select.inputValue(), 'inherit');
    const policy = view.policy.map((item) =>
      item.agent === 'opencode' ? { ...item, cells: { ...item.cells, run: { choice: 'deny' as const } } } : item,
    );
    await host.notify(didChangePermissions, { ...view, policy });
    await drawn(page);
    assert.equal(await select.inputValue(), 'deny');
  });

  it('shows what holds by default, and has no choice for what Backline does not decide', async () => {
    const { page } = await open();
    const shownFor = (name: string): Promise<string> =>
      page
        .getByRole('combobox', { name })
        .evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text ?? '');
    assert.equal(await shownFor('All agents: Edit files'), 'Default (allow)');
    assert.equal(await shownFor('All agents: Use the network'), 'Default (ask)');
    assert.equal(await shownFor('Amp: Read files'), 'Same as all agents');
    assert.equal(await page.getByRole('combobox', { name: /^Amp: / }).count(), 2);
    assert.equal(await page.getByText('Not controlled by Backline').count(), 2);
  });

  it('does not promise more than what goes through Backline', async () => {
    const { page } = await open();
    const note = (await page.locator('.permissions-note').allInnerTexts()).join(' ');
    assert.match(note, /Agents can’t edit files outside the workspace through Backline/);
    assert.match(note, /run with your user rights/);
    assert.match(note, /“Use the network” applies only to requests that the agent reports/);
  });

  it('shows where a workspace is stricter', async () => {
    const { page } = await open();
    await page.getByText('This workspace: Ask').waitFor();
  });

  it('removes the rule whose button is pressed, and has no button for what only the agent remembers', async () => {
    const asked: unknown[] = [];
    const { page } = await open({
      prepare: (fake) =>
        fake.answer(permissionsRequests.removeRule, (params) => {
          asked.push(params);
          return {};
        }),
    });
    assert.equal(await page.getByRole('button', { name: /^Remove the rule/ }).count(), 2);
    await page.getByRole('button', { name: 'Remove the rule: allow npm test' }).click();
    assert.deepEqual(asked, [{ id: 'r1' }]);
  });

  it('restarts an agent for what only it remembers', async () => {
    const asked: unknown[] = [];
    const { page } = await open({
      prepare: (fake) =>
        fake.answer(permissionsRequests.restartAgent, (params) => {
          asked.push(params);
          return {};
        }),
    });
    await page.getByRole('button', { name: 'Restart Agent' }).click();
    assert.deepEqual(asked, [{ agent: 'qwen' }]);
  });

  it('shows what the host could not do until it is dismissed', async () => {
    const { page } = await open({
      prepare: (fake) =>
        fake.answer(permissionsRequests.setPolicy, () => {
          throw new Error('The settings file has errors. Correct it and try again.');
        }),
    });
    await page.getByRole('combobox', { name: 'All agents: Edit files' }).selectOption('ask');
    await page.getByRole('alert').getByText('The settings file has errors.').waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('shows a long condition of a rule with a click, and all of it', async () => {
    const [rule] = view.rules;
    assert.ok(rule);
    const long = `with exactly this input: {"text":"${'word '.repeat(500)}end"}`;
    const { page } = await open({}, { ...view, rules: [{ ...rule, matches: [long] }] });
    const whole = page.getByText(long, { exact: true });
    assert.equal(await whole.isVisible(), false);
    await page.getByText('with exactly this input').first().click();
    await whole.waitFor();
    await whole.click();
    await whole.waitFor({ state: 'hidden' });
  });

  it('says how rules come to be when there are none', async () => {
    const { page } = await open({}, { ...view, rules: [] });
    await page.getByText('No rules yet.').waitFor();
  });

  for (const width of [250, 400, 1000, 1440]) {
    it(`can be used by everyone in every theme, ${width} px wide`, async () => {
      const opened = await open({ width, reducedMotion: true });
      for (const theme of themeNames) {
        await opened.setTheme(theme);
        await takePicture(opened.page, `permissions-${width}-${theme}`, { fullPage: true });
        assert.deepEqual(await opened.axe(), [], theme);
      }
      assert.ok(await fits(opened.page), 'nothing is wider than the page');
      assert.deepEqual(opened.problems, []);
    });
  }
});

function fits(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
}
