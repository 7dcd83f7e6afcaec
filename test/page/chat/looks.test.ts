import assert from 'node:assert/strict';
import { chatRequests, didInvokeCommand } from '../../../src/chat/common/page/chatApi';
import { overflowing } from '../support/layout';
import { themeNames } from '../support/themes';
import { changes, commandApproval, diffApproval, sessionOf, snapshot, type Update } from './support/chatFixtures';
import { ChatPages, type ChatHere } from './support/chatPages';

interface State {
  readonly name: string;
  readonly update: Update;
  readonly act?: (chat: ChatHere) => Promise<void>;
}

const busy = sessionOf({
  status: 'busy',
  title: 'A_very_long_title_without_any_spaces_that_has_to_be_cut_somewhere',
  options: [
    {
      type: 'select',
      id: 'mode',
      name: 'Mode',
      category: 'mode',
      value: 'ask',
      choices: [{ value: 'ask', name: 'Ask first' }],
    },
    { type: 'boolean', id: 'web', name: 'Web', value: true },
  ],
  queue: [{ id: 'q1', text: 'and then '.repeat(30), attachments: [] }],
  context: { used: 170_000, size: 200_000 },
  usage: { cost: { amount: 0.4, currency: 'USD' } },
  changes,
});

const chips = [
  { kind: 'selection', label: 'main.ts:1-3', isOn: true, tokens: 40 },
  { kind: 'problems', label: 'Problems', isOn: false },
];

const states: readonly State[] = [
  { name: 'empty', update: snapshot(null) },
  { name: 'untrusted', update: snapshot(null, { untrusted: true }) },
  { name: 'unavailable', update: snapshot(null, { chosenBackend: 'amplifier' }) },
  {
    name: 'busy',
    update: snapshot(busy, {
      chips,
      draft: { text: '', attachments: [{ kind: 'file', id: 'f', title: 'x'.repeat(200) }] },
    }),
    act: ({ page }) => page.getByText('3 files').click(),
  },
  {
    name: 'command approval',
    update: snapshot(sessionOf({ status: 'busy', approvals: [{ ...commandApproval, expiresInMs: 300_000 }] })),
  },
  {
    name: 'diff approval',
    update: snapshot(sessionOf({ status: 'busy', approvals: [diffApproval, commandApproval] })),
  },
  {
    name: 'failed',
    update: snapshot(sessionOf({ status: 'failed', statusText: 'It ended.', statusDetails: 'exit code 1' })),
    act: ({ page }) => page.getByText('Details', { exact: true }).click(),
  },
  { name: 'reconnecting', update: snapshot(sessionOf({ status: 'reconnecting' })) },
  { name: 'sign-in', update: snapshot(sessionOf({ status: 'signIn' })) },
  { name: 'readonly', update: snapshot(sessionOf({ status: 'readonly' })) },
  {
    name: 'conversations',
    update: snapshot(sessionOf()),
    act: async ({ page, host }) => {
      await host.notify(didInvokeCommand, { what: 'showSessions' });
      await page.keyboard.press('ArrowDown');
    },
  },
  {
    name: 'backends',
    update: snapshot(null),
    act: ({ page }) => page.getByRole('button', { name: /^Agent: / }).click(),
  },
  {
    name: 'mentions',
    update: snapshot(sessionOf()),
    act: async ({ composer, page, host }) => {
      host.answer(chatRequests.mentions, () => ({
        rows: [{ kind: 'file' as const, id: '1', title: `${'long'.repeat(40)}.ts`, path: 'src/a.ts', tokens: 1200 }],
      }));
      await composer.fill('@');
      await page.getByRole('option', { name: /longlong/ }).waitFor();
    },
  },
];

describe('the looks of the chat', function () {
  // axe takes its time on a busy machine, and looks at each page several times.
  this.timeout(180_000);
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  for (const { name, update, act } of states) {
    it(`can be used by everyone in every theme: ${name}`, async () => {
      const chat = await pages.openChat(update, { reducedMotion: true });
      await act?.(chat);
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        assert.deepEqual(await chat.axe(), [], theme);
      }
      assert.deepEqual(chat.problems, []);
    });

    it(`fits into 250 pixels: ${name}`, async () => {
      const chat = await pages.openChat(update, { width: 250, height: 500, reducedMotion: true });
      await act?.(chat);
      assert.deepEqual(await overflowing(chat.page), []);
      const box = await chat.page
        .getByRole('button', { name: /^(Send|Queue|Stop)$/ })
        .last()
        .boundingBox();
      assert.ok(box && box.x + box.width <= 250 && box.y + box.height <= 500, JSON.stringify(box));
    });
  }
});
