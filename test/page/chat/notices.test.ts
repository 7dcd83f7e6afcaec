// What stands between the transcript and the composer, in the small windows that most people have.
import assert from 'node:assert/strict';
import type { ApprovalView } from '../../../src/chat/common/chatView';
import { didInvokeCommand } from '../../../src/chat/common/page/chatApi';
import { changes, commandApproval, diffApproval, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages } from './support/chatPages';

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

describe('the sound', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  after(() => pages.stop());

  it('is played once the user has clicked in the page, and ends by itself', async () => {
    const { host, page } = await pages.openChat(snapshot(sessionOf({})));
    await page.evaluate(() => {
      const log = (document.body.dataset['sound'] = '');
      window.AudioContext = class extends AudioContext {
        constructor() {
          super();
          this.onstatechange = () => (document.body.dataset['sound'] += ` ${this.state}`);
        }
      };
      return log;
    });
    await page.locator('.chat-transcript').click();
    await host.notify(didInvokeCommand, { what: 'playSound' });
    await page.locator('body[data-sound=" running closed"]').waitFor({ state: 'attached' });
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
