// Side questions: how they are asked at an answer, and the strip that says what they are, in four themes and two widths.
import assert from 'node:assert/strict';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import type { Entry } from '../../../src/transcript/common/entries';
import { overflowing } from '../support/layout';
import { themeNames } from '../support/themes';
import { now, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages } from './support/chatPages';
import { until } from '../../support/eventually';
import { takePicture } from '../../support/pictures';

const about = 'Rename the function greet to welcome everywhere';
const entries: Entry[] = [
  { kind: 'prompt', id: 'p1', turn: 1, at: now, text: about },
  {
    kind: 'answer',
    id: 'a1',
    turn: 1,
    at: now,
    text: 'I renamed `greet` in 12 files.\n\nThe tests of `greetAll` still use the old name, because they load it by a string. Should I change that, too?',
  },
  {
    kind: 'end',
    id: 'e1',
    turn: 1,
    at: now,
    outcome: 'interrupted',
    text: 'The turn goes on in the first conversation. What follows there is not known here.',
  },
  {
    kind: 'notice',
    id: 'n1',
    turn: 1,
    at: now,
    level: 'info',
    text: 'Claude answers side questions in a new session and gets a summary with the first one.',
  },
  { kind: 'prompt', id: 'p2', turn: 2, at: now, text: 'Why a string?' },
  { kind: 'answer', id: 'a2', turn: 2, at: now, text: 'The names come from a configuration file.' },
];
const transcript = { reset: true, before: 0, put: entries };
const aside = sessionOf({ title: `Aside: ${about}`, aside: { about } });
const draft = { text: '> The tests of `greetAll` still use the old name\n\n', attachments: [] };

describe('side questions', function () {
  this.timeout(180_000);
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  for (const [width, height] of [
    [250, 640],
    [1440, 800],
  ] as const) {
    it(`say what they are in every theme, ${width} px wide`, async () => {
      const chat = await pages.openChat(snapshot(aside, { transcript, draft }), { width, height, reducedMotion: true });
      await chat.page.locator('.aside-strip').waitFor();
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        await takePicture(chat.page, `aside-${width}-${theme}`);
        assert.deepEqual(await chat.axe(), [], theme);
      }
      assert.deepEqual(await overflowing(chat.page), []);
    });
  }

  it('are kept by one button, which is gone then', async () => {
    const chat = await pages.openChat(snapshot(aside, { transcript }));
    chat.host.answer(chatRequests.keepAside, () => ({}));
    const strip = chat.page.getByRole('complementary', { name: 'Side question' });
    assert.match(
      await strip.innerText(),
      /A side question on “Rename .* everywhere”\. Whatever goes beyond reading is denied, and it is deleted when you close its tab\./,
    );
    assert.equal(await chat.page.getByRole('button', { name: 'Ask Side Question' }).count(), 0, 'it is asked in it');
    await strip.getByRole('button', { name: 'Keep' }).click();
    assert.equal((await chat.host.waitFor(chatRequests.keepAside)).sessionId, aside.id);
    const kept = await pages.openChat(snapshot({ ...aside, aside: { about, isKept: true } }, { transcript }));
    const text = kept.page.getByRole('complementary', { name: 'Side question' });
    assert.match(await text.innerText(), /is denied\. To go on with changes, fork it\./);
    assert.equal(await text.getByRole('button').count(), 0);
  });

  it('are asked at an answer, about what is selected in it, and nothing else', async () => {
    const chat = await pages.openChat(snapshot(sessionOf(), { transcript }), { width: 700, height: 700 });
    assert.equal(await chat.page.locator('.aside-strip').count(), 0);
    const quotes: string[] = [];
    chat.host.answer(chatRequests.askAside, ({ quote }) => {
      quotes.push(quote);
      return {};
    });
    const answer = chat.page.locator('.entry-answer').first();
    const ask = answer.getByRole('button', { name: 'Ask Side Question' });
    const asked = async (): Promise<string | undefined> => {
      const before = quotes.length;
      await ask.click();
      await until('the request', () => quotes.length > before);
      return quotes.at(-1);
    };
    await answer.hover();
    await takePicture(chat.page, 'aside-action');
    assert.equal(await asked(), '');
    await answer.getByText('I renamed').selectText();
    assert.equal((await asked())?.trim(), 'I renamed greet in 12 files.');
    await chat.page.getByText('Why a string?').selectText();
    assert.equal(await asked(), '', 'text of another entry');
  });
});
