// The end of a turn that has failed: one line that says what was wrong, and what can be done about it.
import assert from 'node:assert/strict';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import type { Entry, Failure } from '../../../src/transcript/common/entries';
import { overflowing } from '../support/layout';
import { themeNames } from '../support/themes';
import type { PageOptions } from '../support/pageHarness';
import { now, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages, type ChatHere } from './support/chatPages';
import { takePicture } from '../../support/pictures';

function turn(number: number, kind: Failure['kind'], text: string, more: Partial<Failure> = {}): Entry[] {
  const outcome =
    kind === 'cutOff' ? 'limit' : kind === 'refused' ? 'refused' : kind === 'noAnswer' ? 'completed' : 'failed';
  return [
    { kind: 'prompt', id: `p${number}`, turn: number, at: now, text: 'Add a search field to the list of albums' },
    {
      kind: 'end',
      id: `e${number}`,
      turn: number,
      at: now,
      outcome,
      text,
      ...(outcome === 'failed' && { details: '{"type":"error","error":{"type":"overloaded_error"}}' }),
      durationMs: 1200,
      failure: { kind, canRetry: true, ...more },
    },
  ];
}

/** Each kind, with the buttons that it has. */
const kinds: readonly (readonly [Failure['kind'], string, string[]])[] = [
  ['overloaded', 'Claude is overloaded (529).', ['Retry', 'Continue with Another Agent', 'Show Log']],
  ['rateLimit', 'Claude has sent too many requests.', ['Retry', 'Continue with Another Agent', 'Show Log']],
  ['usageLimit', 'The usage limit of Claude is reached.', ['Continue with Another Agent', 'Retry']],
  [
    'contextFull',
    'This conversation is too long for the model.',
    ['Continue in New Session', 'Continue with Another Agent'],
  ],
  ['signIn', 'Claude requires you to sign in.', ['Sign In…', 'Retry', 'Continue with Another Agent', 'Show Log']],
  [
    'network',
    'Claude can’t reach its service. Check the network and the proxy.',
    ['Retry', 'Continue with Another Agent', 'Show Log'],
  ],
  ['crash', 'Claude stopped (exit code 1).', ['Restart and Retry', 'Continue with Another Agent', 'Show Log']],
  ['service', 'The model service of Claude failed (500).', ['Retry', 'Continue with Another Agent', 'Show Log']],
  ['other', 'Claude: Tool use concurrency is not supported.', ['Retry', 'Continue with Another Agent', 'Show Log']],
  ['refused', 'Claude refused to continue.', ['Retry', 'Continue with Another Agent']],
  ['cutOff', 'The answer reached the token limit.', ['Continue', 'Retry']],
  ['noAnswer', 'Claude ended the turn without an answer.', ['Retry', 'Continue with Another Agent', 'Show Log']],
];

describe('the end of a turn that has failed', function () {
  this.timeout(120_000);
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  async function open(entries: Entry[], options: Partial<PageOptions> = {}): Promise<ChatHere> {
    const first = { ...snapshot(sessionOf()), transcript: { reset: true, put: entries, before: 0 } };
    const chat = await pages.openChat(first, {
      ...options,
      prepare: (host) => {
        for (const type of [
          chatRequests.retry,
          chatRequests.continueWith,
          chatRequests.repairBackend,
          chatRequests.showLog,
        ])
          host.answer(type, () => ({}));
      },
    });
    await chat.page.locator('.entry-end').first().waitFor();
    return chat;
  }

  for (const [kind, text, labels] of kinds) {
    it(`says what was wrong and offers what helps: ${kind}`, async () => {
      const { page } = await open(turn(1, kind, text));
      assert.equal(await page.locator('.outcome p').first().innerText(), text);
      assert.deepEqual(await page.locator('.next-steps button').allInnerTexts(), labels);
    });
  }

  it('asks for each step, also by the keyboard', async () => {
    const { page, host } = await open(turn(1, 'overloaded', 'Claude is overloaded (529).'));
    await page.getByRole('button', { name: 'Retry' }).focus();
    await page.keyboard.press('Enter');
    assert.equal((await host.waitFor(chatRequests.retry)).entryId, 'e1');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    assert.equal((await host.waitFor(chatRequests.continueWith)).isSameAgent, false);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await host.waitFor(chatRequests.showLog);
  });

  it('offers no steps in a fork, which only continues an answer', async () => {
    const { page } = await open(turn(1, 'overloaded', 'Claude is overloaded.', { canRetry: undefined, isPast: true }));
    assert.equal(await page.locator('.next-steps button').count(), 0);
    await pages.closePages();
    const cut = await open(turn(1, 'cutOff', 'The answer was cut off.', { canRetry: undefined, isPast: true }));
    assert.deepEqual(await cut.page.locator('.next-steps button').allInnerTexts(), ['Continue']);
  });

  it('asks for the sign-in itself, whatever the state of the agent is', async () => {
    const { page, host } = await open(turn(1, 'signIn', 'Claude requires you to sign in.'));
    await page.getByRole('button', { name: 'Sign In…' }).click();
    assert.equal((await host.waitFor(chatRequests.repairBackend)).how, 'signIn');
  });

  it('says when a limit ends', async () => {
    const resetsAt = new Date(now).setHours(23, 59, 0, 0);
    const { page } = await open(turn(1, 'usageLimit', 'The usage limit of Claude is reached.', { resetsAt }));
    assert.match(await page.locator('.outcome p').first().innerText(), /reached\. It resets at .*59/u);
  });

  it('has steps only in the newest turn, and only where the conversation can go on', async () => {
    const entries = [
      ...turn(1, 'overloaded', 'Claude is overloaded.'),
      ...turn(2, 'network', 'Claude can’t reach it.'),
    ];
    const chat = await open(entries);
    assert.equal(await chat.page.locator('.next-steps:visible').count(), 1);
    await chat.tell({
      transcript: { put: [{ kind: 'prompt', id: 'p3', turn: 3, text: 'Retry', isRetry: true }], before: 0 },
    });
    await chat.page.getByText('Sent again').waitFor();
    assert.equal(await chat.page.locator('.next-steps:visible').count(), 0);
    assert.equal(await chat.page.locator('.bubble').count(), 2, 'the prompt is not repeated');
    await pages.closePages();
    const first = {
      ...snapshot(sessionOf({ status: 'readonly' })),
      transcript: { reset: true, put: entries, before: 0 },
    };
    const { page } = await pages.openChat(first);
    await page.locator('.outcome').first().waitFor();
    assert.equal(await page.locator('.next-steps').count(), 0);
  });

  for (const theme of themeNames) {
    for (const width of [250, 400, 1440]) {
      it(`fits and is accessible in ${theme} at ${width} px`, async () => {
        const entries = kinds.flatMap(([kind, text], index) => turn(index + 1, kind, text));
        const { page, axe } = await open(
          [...entries, ...turn(20, 'usageLimit', kinds[2]?.[1] ?? '', { resetsAt: now })],
          { theme, width, height: 900 },
        );
        assert.deepEqual(await overflowing(page), []);
        for (const button of await page.locator('.next-steps button:visible').all()) {
          const box = await button.boundingBox();
          assert.ok(box && box.height >= 24, await button.innerText());
        }
        await takePicture(page, `failure-${theme}-${width}`);
        assert.deepEqual(await axe(), []);
      });
    }
  }
});
