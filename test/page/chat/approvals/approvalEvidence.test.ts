import assert from 'node:assert/strict';
import type { ApprovalView } from '../../../../src/chat/common/chatView';
import { themeNames } from '../../support/themes';
import { commandApproval, diffApproval, sessionOf, snapshot } from '../support/chatFixtures';
import { ChatPages, type ChatHere } from '../support/chatPages';

const everything: ApprovalView = {
  ...commandApproval,
  warnings: ['Git runs what is in .git/hooks.'],
  escalations: [{ name: 'dangerouslyDisableSandbox', value: 'true' }],
  env: [
    { name: 'CI', value: '1' },
    { name: 'PATH', value: '/tmp/fakebin', effect: 'decides which program runs' },
  ],
  cwd: '/work/sub',
  more: [
    { name: 'description', value: 'Runs the tests' },
    { name: 'timeout', value: '5' },
  ],
};

describe('what a question shows', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const asked = (approval: ApprovalView, part: Parameters<typeof snapshot>[1] = {}): Promise<ChatHere> =>
    pages.openChat(snapshot(sessionOf({ status: 'busy', approvals: [approval] }), part));

  it('is all that came with it: risks before the command, the rest behind it', async () => {
    const { page } = await asked(everything);
    const text = (await page.locator('.approval-content').innerText()).replaceAll(/\s+/g, ' ');
    const inOrder = [
      'Git runs what is in .git/hooks.',
      'dangerouslyDisableSandbox: true lifts a restriction',
      'PATH=/tmp/fakebin decides which program runs',
      'npm test',
      'sub',
      'CI=1',
      'More (2)',
    ];
    const places = inOrder.map((expected) => text.indexOf(expected));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
      text,
    );
    assert.ok(!places.includes(-1), text);
    assert.equal(await page.locator('.approval-fact.is-warning').count(), 3);
    assert.equal(await page.getByText('Runs the tests').isVisible(), false);
    await page.getByText('More (2)').click();
    assert.ok(await page.getByText('Runs the tests').isVisible());
  });

  it('shows when nobody tells what will run', async () => {
    const chat = await asked({ ...commandApproval, parts: [], isUndescribed: true });
    await chat.page.getByText('The agent doesn’t specify what will run.').waitFor();
    const server = await asked(
      { ...commandApproval, parts: [], isUndescribed: true },
      { backends: [{ id: 'demo', title: 'Server', description: '', source: 'server', state: 'ready' }] },
    );
    await server.page.getByText('The server doesn’t specify what will run.').waitFor();
  });

  it('is open where it is all there is', async () => {
    const { page } = await asked({ ...commandApproval, parts: [], more: [{ name: 'tool', value: 'bash' }] });
    assert.ok(await page.getByText('bash', { exact: true }).isVisible());
  });

  it('has a title in one line that unfolds', async () => {
    const prompt = `Demo agent wants to read ${'a/very/long/path/'.repeat(20)}end.ts`;
    const { page } = await asked({ ...commandApproval, parts: [], prompt });
    const title = page.locator('.approval-title');
    assert.equal(await title.getAttribute('title'), prompt);
    const before = await title.boundingBox();
    await title.click();
    const after = await title.boundingBox();
    assert.ok(before && after && after.height > 2 * before.height, 'it wraps');
    assert.equal((await title.textContent())?.trim(), prompt);
  });

  it('has what a command does as the title, the whole command below it, and the request when it is unfolded', async () => {
    const prompt = 'Demo agent wants to run npm test -- --grep "greeting"';
    const { page } = await asked({ ...commandApproval, prompt, title: '“Run the tests of the greeting”' });
    const title = page.locator('.approval-title');
    assert.equal(await title.innerText(), '“Run the tests of the greeting”');
    const [spoken = ''] = await page.locator('.approval [role=alert]').allTextContents();
    assert.ok(spoken.startsWith('Request from Demo agent: Run a command, “Run the tests of the greeting”'), spoken);
    assert.equal(
      await page.locator('.approval-block').textContent(),
      'npm test -- --grep "greeting" && git status --short',
    );
    await title.click();
    assert.equal(await title.innerText(), `“Run the tests of the greeting”\n${prompt}`);
  });

  it('shows an address as it is, whatever it is called', async () => {
    const { page } = await asked({
      ...commandApproval,
      parts: [{ type: 'link', uri: 'https://evil.example/', title: 'https://good.example/' }],
    });
    assert.equal(await page.locator('.approval-block').textContent(), 'https://evil.example/');
  });

  it('is said once to screen readers: who, what, how much and how to answer', async () => {
    const command = Array.from({ length: 12 }, (_, n) => `echo ${n}`).join('\n');
    const { page } = await asked({
      ...everything,
      prompt: 'Demo agent wants to run a script',
      parts: [{ type: 'terminal', command, output: '' }],
      expiresInMs: undefined,
    });
    assert.deepEqual(await page.locator('.approval [role=alert]').allTextContents(), [
      'Request from Demo agent: Run a script. command, 12 lines. Warning: Git runs what is in .git/hooks; ' +
        'dangerouslyDisableSandbox; PATH. Control+K Y to allow once, Control+K N to deny.',
    ]);
  });

  it('has no deadline where there is none', async () => {
    const { page } = await asked(diffApproval);
    assert.equal(await page.locator('.approval-expiry').count(), 0);
  });

  it('can be used by everyone in every theme, with a menu and with a reason', async function () {
    this.timeout(180_000);
    const chat = await asked(everything);
    const { page } = chat;
    const looks = async (what: string): Promise<void> => {
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        assert.deepEqual(await chat.axe(), [], `${what}, ${theme}`);
      }
    };
    await looks('the card');
    await page.getByRole('button', { name: 'More ways to allow' }).click();
    await looks('the menu');
    await page.keyboard.press('Escape');
    await chat.composer.fill('Use pnpm');
    await page.getByText('Enter denies').waitFor();
    await looks('the reason');
    assert.deepEqual(chat.problems, []);
  });
});
