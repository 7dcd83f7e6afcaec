// The question of an agent in windows of all sizes. VS Code zooms a whole window at once: a page then has fewer CSS pixels, by
// that factor, and nothing else of it changes.
import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { Locator } from 'playwright-core';
import type { ApprovalView } from '../../../../src/chat/common/chatView';
import { createDiff } from '../../../../src/transcript/common/lineDiff';
import { overflowing } from '../../support/layout';
import { drawn } from '../../support/drawn';
import { changes, commandApproval, diffApproval, sessionOf, snapshot } from '../support/chatFixtures';
import { ChatPages, type ChatHere } from '../support/chatPages';

const sizes = [1, 1.5, 2].flatMap((zoom) =>
  [
    [250, 500],
    [1366, 768],
  ].map(([width = 0, height = 0]) => ({
    name: `${width}×${height} at ${zoom * 100} %`,
    width: Math.floor(width / zoom),
    height: Math.floor(height / zoom),
  })),
);

const options: ApprovalView['options'] = [
  { label: 'Always Allow in project: npm *', kind: 'allow_always' },
  { label: 'Allow', kind: 'allow_once' },
  { label: 'Allow All', kind: 'allow_always' },
  { label: 'Deny', kind: 'reject_once' },
  { label: 'Deny All', kind: 'reject_always' },
];
const ownWords: ApprovalView['options'] = [
  { label: 'Yes, proceed', kind: 'allow_once' },
  { label: 'Yes, and don’t ask again for these files', kind: 'allow_always' },
  { label: 'No, and tell Codex what to do differently', kind: 'reject_once' },
];
const lines = (count: number, word = 'echo'): string =>
  Array.from({ length: count }, (_, index) => `${word} ${index}`).join('\n');

const questionOf = (command: string): ApprovalView => ({
  ...commandApproval,
  options,
  parts: [{ type: 'terminal', command, output: '' }],
});
const questions: Readonly<Record<string, ApprovalView>> = {
  'a command of 1 line': questionOf('npm test'),
  'a command of 12 lines': questionOf(lines(12)),
  'a command of 40 lines': questionOf(lines(40)),
  'a command of 300 lines': questionOf(lines(300)),
  'a command of 200,000 characters': questionOf('x'.repeat(200_000)),
  'a change of 300 lines': {
    ...diffApproval,
    options,
    parts: [createDiff('src/a.ts', lines(300, 'old'), lines(300, 'new'))],
  },
  'a command with everything': {
    ...questionOf(lines(40)),
    prompt: `Run ${'something '.repeat(30)}`,
    warnings: ['This file makes things run: .vscode/tasks.json. It is asked for whatever the rules say.'],
    escalations: [{ name: 'dangerouslyDisableSandbox', value: 'true' }],
    env: [{ name: 'PATH', value: '/tmp/fakebin', effect: 'decides which program runs' }],
    more: [{ name: 'description', value: 'text '.repeat(200) }],
  },
  'a question with the agent’s own words': { ...questionOf(lines(12)), options: ownWords },
  'a question with long names': {
    ...questionOf('npm test'),
    options: [
      { label: 'Overwrite my changes', kind: 'allow_once' },
      { label: 'Edit first', kind: 'other' },
      { label: 'Keep my changes', kind: 'reject_once' },
    ],
  },
};

/** What of an answer cannot be clicked: points of it that are outside the window, or where something else is. */
function unreachable(answers: Locator): Promise<string[]> {
  return answers.evaluateAll((buttons) =>
    buttons.flatMap((button) => {
      const { left, right, top, bottom } = button.getBoundingClientRect();
      const points = [
        [(left + right) / 2, (top + bottom) / 2],
        [left + 3, top + 3],
        [right - 3, top + 3],
        [left + 3, bottom - 3],
        [right - 3, bottom - 3],
      ];
      return points.flatMap(([x = 0, y = 0]) =>
        button.contains(document.elementFromPoint(x, y)) ? [] : [`${button.textContent}: ${x}, ${y}`],
      );
    }),
  );
}

interface Measured {
  readonly card: number;
  readonly evidence: number;
  readonly isAllSeen: boolean;
}

function measured({ page }: ChatHere): Promise<Measured> {
  return page.locator('.approval').evaluate((card) => {
    const box = card.querySelector('.approval-evidence');
    const scroll = card.querySelector('.approval-scroll');
    if (!box || !scroll) throw new Error('There is no evidence.');
    return {
      card: card.getBoundingClientRect().height,
      evidence: box.getBoundingClientRect().height,
      isAllSeen: scroll.scrollHeight <= scroll.clientHeight,
    };
  });
}

describe('a question in a window of any size', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  /** Where there is hardly room the transcript has none, so the question comes after it was drawn. */
  const openWith = async (approval: ApprovalView, size: { width: number; height: number }): Promise<ChatHere> => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy' })), size);
    await chat.tellSession({ approvals: [approval] });
    await chat.page.locator('.approval').waitFor();
    return chat;
  };

  for (const { name, width, height } of sizes) {
    it(`has every answer in sight, and most room for what would happen: ${name}`, async () => {
      const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy', changes })), { width, height });
      await chat.page.locator('.changes details').evaluate((details) => details.setAttribute('open', ''));
      for (const [what, question] of Object.entries(questions)) {
        for (const approvals of [
          [question],
          [
            { ...question, id: 'first', expiresInMs: 299_000 },
            { ...diffApproval, id: 'second' },
            { ...commandApproval, id: 'third' },
          ],
        ]) {
          const queue = [{ id: 'q', text: 'and then '.repeat(30), attachments: [] }];
          await chat.tellSession({ status: 'busy', approvals: [], changes, queue });
          await chat.tellSession({ status: 'busy', approvals, changes, queue });
          await drawn(chat.page);
          const about = `${what}, ${approvals.length}`;
          const answers = chat.page.locator(
            '.approval-answers > :not(.approval-all) button, .approval-answers > button',
          );
          assert.ok((await answers.count()) >= 3, about);
          assert.deepEqual(await unreachable(answers), [], about);
          const toAll = chat.page.locator('.approval-all button:visible');
          // Where there is hardly room for the evidence, only the menus have these.
          if (approvals.length > 1 && width >= 480) assert.ok((await toAll.count()) >= 1, about);
          assert.deepEqual(await unreachable(toAll), [], about);
          const { card, evidence, isAllSeen } = await measured(chat);
          assert.ok(isAllSeen || evidence >= 0.4 * card, `${about}: ${evidence} of ${card}`);
          const cardBox = await chat.page.locator('.approval').boundingBox();
          assert.ok(cardBox && cardBox.y >= 0 && cardBox.y + cardBox.height <= height, about);
          const tooWide = (await overflowing(chat.page)).filter((element) =>
            /approv|answer|split|button/.test(element),
          );
          assert.deepEqual(tooWide, [], about);
        }
      }
    });
  }

  it('has Allow and Deny in one row, uncut, whatever an agent offers', async function () {
    this.timeout(120_000);
    const chat = await openWith(questionOf('npm test'), { width: 250, height: 600 });
    const labels = ['Allow', 'Yes', 'No', 'Deny', `No, ${'because '.repeat(50)}`, 'Always', '', 'مرحبا'];
    const option = fc.record({
      label: fc.constantFrom(...labels),
      kind: fc.constantFrom('allow_once', 'allow_always', 'reject_once', 'reject_always', 'other' as const),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(option, { maxLength: 6 }),
        fc.constantFrom(125, 166, 250, 400),
        async (given, width) => {
          await chat.page.setViewportSize({ width, height: 600 });
          const approval = { ...questionOf('npm test'), id: JSON.stringify(given), options: given };
          await chat.tellSession({ status: 'busy', approvals: [approval] });
          await drawn(chat.page);
          const answers = chat.page.locator('.approval-answers button');
          assert.deepEqual(await unreachable(answers), []);
          const main = await chat.page
            .locator('.approval-answers .button:not(.split-arrow)')
            .evaluateAll((all) =>
              all.map((one) => ({ top: one.getBoundingClientRect().top, isCut: one.scrollWidth > one.clientWidth })),
            );
          assert.ok(!main.some(({ isCut }) => isCut));
          const [first, second] = main;
          if (width >= 250 && first && second) assert.equal(first.top, second.top);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('shows how much is out of sight, and less of it while it scrolls', async () => {
    const chat = await openWith(questionOf(lines(40)), { width: 250, height: 500 });
    const rest = chat.page.locator('.approval-rest');
    const restOf = async (): Promise<number> => Number.parseInt((await rest.textContent()) ?? '', 10);
    const scroll = chat.page.locator('.approval-scroll');
    await drawn(chat.page);
    const seen = await scroll.evaluate((box) => (box.clientHeight - 12) / 18);
    assert.ok(Math.abs((await restOf()) + seen - 40) <= 1, `${await restOf()} and ${seen}`);
    const [text, strip] = [await scroll.boundingBox(), await rest.boundingBox()];
    assert.ok(text && strip && strip.y >= text.y + text.height - 0.5, 'it lies over no text');
    const before = await restOf();
    await scroll.evaluate((box) => box.scrollBy(0, 5 * 18));
    await drawn(chat.page);
    assert.equal(await restOf(), before - 5);
    await rest.click();
    await drawn(chat.page);
    assert.ok((await restOf()) < before - 5);
    await scroll.evaluate((box) => box.scrollTo(0, box.scrollHeight));
    await rest.waitFor({ state: 'detached' });
  });

  it('says nothing of the kind when all is in sight', async () => {
    const chat = await openWith(questionOf('npm test'), { width: 250, height: 500 });
    await drawn(chat.page);
    assert.equal(await chat.page.locator('.approval-rest').count(), 0);
  });

  it('opens its menus upward and inside of the window, however small it is', async () => {
    for (const { width, height } of sizes) {
      const chat = await openWith(questionOf(lines(40)), { width, height });
      for (const name of ['More ways to allow', 'More ways to deny']) {
        const button = chat.page.getByRole('button', { name });
        await button.click();
        const menu = chat.page.getByRole('menu', { name });
        await menu.waitFor();
        const anchor = await button.boundingBox();
        const box = await chat.page.locator('.floating').boundingBox();
        assert.ok(
          box && anchor && box.x >= 0 && box.y >= 0 && box.x + box.width <= width,
          `${width}: ${JSON.stringify(box)}`,
        );
        assert.ok(box.y + box.height <= anchor.y, `${width}: upward`);
        await chat.page.keyboard.press('Escape');
        await menu.waitFor({ state: 'detached' });
      }
      await pages.closePages();
    }
  });
});
