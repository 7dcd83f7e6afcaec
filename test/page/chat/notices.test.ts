// What stands between the transcript and the composer, in the small windows that most people have.
import assert from 'node:assert/strict';
import type { ApprovalView, NoticeView } from '../../../src/chat/common/chatView';
import { chatRequests, didInvokeCommand } from '../../../src/chat/common/page/chatApi';
import { changes, commandApproval, diffApproval, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages } from './support/chatPages';
import { takePicture } from '../../support/pictures';

/** As the demo agent asks for a command, with what Backline says of each answer. */
const demoApproval: ApprovalView = {
  ...commandApproval,
  parts: [{ type: 'terminal', command: 'git status --short', output: '' }],
  options: [
    { label: 'Allow', kind: 'allow_once' },
    { label: 'Allow All', kind: 'allow_always' },
    { label: 'Deny', kind: 'reject_once' },
    { label: 'Deny All', kind: 'reject_always' },
  ],
};
const longApproval: ApprovalView = {
  ...demoApproval,
  parts: [
    {
      type: 'terminal',
      command: Array.from({ length: 60 }, (_, n) => `echo ${n} && rm -rf "/x/${n}"`).join('\n'),
      output: '',
    },
  ],
};

describe('the notices of a small window', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  for (const [width, height] of [
    [297, 800],
    [297, 720],
    [297, 550],
    [250, 600],
  ] as const) {
    it(`have every answer in reach at ${width}×${height}`, async () => {
      const session = sessionOf({ status: 'busy', approvals: [demoApproval] });
      const { page } = await pages.openChat(snapshot(session), { width, height });
      const buttons = page.locator('.approval-answers button');
      assert.equal(await buttons.count(), 4);
      for (const button of await buttons.all()) {
        const { left, right } = await button.evaluate((element) => element.getBoundingClientRect());
        assert.ok(left >= 0 && right <= width, `from ${left} to ${right}`);
        await button.evaluate((element) => element.scrollIntoView({ block: 'nearest' }));
        const box = await button.evaluate((element) => {
          const { left, top, width, height } = element.getBoundingClientRect();
          const hit = document.elementFromPoint(left + width / 2, top + height / 2);
          return { isHit: element.contains(hit), bottom: top + height };
        });
        assert.ok(box.isHit && box.bottom <= height, JSON.stringify(box));
      }
    });
  }

  it('make room for a question, which shows how much of its command is out of sight', async () => {
    const session = sessionOf({
      status: 'busy',
      approvals: [longApproval, diffApproval],
      changes,
      queue: [{ id: 'q', text: 'and then', attachments: [] }],
    });
    const chat = await pages.openChat(snapshot(session), { width: 250, height: 600 });
    const { page } = chat;
    await page.getByText(/^\d+ more lines$/).waitFor();
    assert.equal(await page.locator('.changes').isVisible(), false);
    assert.equal(await page.locator('.queue').isVisible(), false);
    const card = await page.locator('.approval').boundingBox();
    const answers = await page.locator('.approval-answers').boundingBox();
    assert.ok(card && answers && answers.y + answers.height <= card.y + card.height, 'nothing hangs out of the card');
    await chat.tellSession({ approvals: [] });
    await page.locator('.changes').waitFor();
    await page.locator('.queue').waitFor();
  });

  it('do not count the lines of a command that is seen whole', async () => {
    const { page } = await pages.openChat(snapshot(sessionOf({ status: 'busy', approvals: [demoApproval] })));
    await page.getByText('git status --short').waitFor();
    assert.equal(await page.getByText(/more lines?$/).count(), 0);
  });
});

describe('what Backline says while the user is in the chat', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());
  const notice: NoticeView = {
    id: '7',
    level: 'info',
    text: 'This workspace wants to run or use: the MCP server “db”. Review before you allow it.',
    actions: ['Review…'],
  };

  it('stands above the composer, can be answered and dismissed, and leaves the focus where it is', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({})), {
      width: 250,
      height: 600,
    });
    const { composer, host, page } = chat;
    await composer.click();
    await chat.tell({ notices: [notice] });
    const banner = page.locator('.banner', { hasText: notice.text });
    await banner.waitFor();
    assert.ok(await composer.evaluate((element) => element === document.activeElement));
    const [above, below] = [await banner.boundingBox(), await composer.boundingBox()];
    assert.ok(above && below && above.y + above.height <= below.y, 'it covers nothing that is typed');
    assert.deepEqual(await chat.axe(), []);
    await takePicture(page, 'chat-notice-250');
    await page.getByRole('button', { name: 'Review…' }).click();
    assert.deepEqual(await host.waitFor(chatRequests.answerNotice), { id: '7', action: 'Review…' });
    await page.getByRole('button', { name: 'Dismiss' }).click();
    assert.deepEqual(await host.waitFor(chatRequests.answerNotice, 2), { id: '7' });
    await chat.tell({ notices: [] });
    await banner.waitFor({ state: 'detached' });
  });

  it('reports to the host that the page has lost the focus', async () => {
    const { composer, host, page } = await pages.openChat();
    await composer.click();
    await host.waitFor(chatRequests.focused);
    await page.evaluate(() => window.dispatchEvent(new FocusEvent('blur')));
    await host.waitFor(chatRequests.blurred);
  });
});

describe('the sound', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  after(() => pages.stop());

  it('is played once the user has clicked in the page, and ends by itself', async () => {
    const { host, page } = await pages.openChat(snapshot(sessionOf({})));
    await page.evaluate(() => {
      const states: string[] = [];
      window.AudioContext = class extends AudioContext {
        constructor() {
          super();
          this.onstatechange = () => {
            states.push(this.state);
            document.body.dataset['sound'] = states.join(' ');
          };
        }
      };
    });
    await page.locator('.chat-transcript').click();
    await host.notify(didInvokeCommand, { what: 'playSound' });
    await page.locator('body[data-sound="running closed"]').waitFor({ state: 'attached' });
  });
});

describe('what is not kept on disk', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  for (const status of ['idle', 'starting', 'busy', 'stopping', 'failed', 'readonly'] as const) {
    it(`is said as long as it is so: ${status}`, async () => {
      const problem = 'The disk is full. The conversation goes on in memory only.';
      const chat = await pages.openChat(snapshot(sessionOf({ status, problem })));
      const { page } = chat;
      await page.locator('.banner.is-warning', { hasText: problem }).waitFor();
      await chat.tellSession({ problem: undefined });
      await page.locator('.banner', { hasText: problem }).waitFor({ state: 'detached' });
    });
  }
});
