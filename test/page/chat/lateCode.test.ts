// The script that highlights code is loaded when the first code is shown.
import assert from 'node:assert/strict';
import type { Entry } from '../../../src/transcript/common/entries';
import { sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages } from './support/chatPages';

const code = '```ts\nexport const one = 1;\nexport const two = 2;\n```\n';
const answer = (id: string, text: string, streaming = false): Entry => ({
  kind: 'answer',
  id,
  turn: 1,
  text,
  ...(streaming ? { streaming } : {}),
});

describe('the script that highlights code', function () {
  this.timeout(120_000);
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  it('is loaded with the first code, which is plain until then; nothing moves when it comes', async () => {
    const first = snapshot(sessionOf(), { transcript: { reset: true, put: [answer('a', 'Hello')], before: 0 } });
    const chat = await pages.openChat(first);
    const { page, problems } = chat;
    let requests = 0;
    let release = (): void => undefined;
    const wanted = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/code.js', async (route) => {
      requests++;
      await wanted;
      await route.continue();
    });
    await chat.tell({ transcript: { put: [answer('b', code), answer('c', code.slice(0, 40), true)], before: 1 } });
    await page.locator('.entry-answer code').nth(1).waitFor();
    assert.equal(await page.locator('.hljs-keyword').count(), 0);
    const places = () =>
      page.locator('.entry-answer, .md-code pre').evaluateAll((all) =>
        all.map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return { x, y, width, height };
        }),
      );
    const before = await places();
    const texts = () => page.locator('.entry-answer code').allTextContents();
    const [whole, half] = await texts();
    release();
    await page.locator('[data-entry=b] .hljs-keyword').first().waitFor();
    await page.locator('[data-entry=c] .hljs-keyword').first().waitFor();
    assert.deepEqual(await places(), before);
    assert.deepEqual(await texts(), [whole, half]);
    await chat.tell({ transcript: { put: [answer('c', code, true)], before: 1 } });
    await chat.tell({ transcript: { put: [answer('c', code)], before: 1 } });
    await page.locator('[data-entry=c] .hljs-keyword').nth(3).waitFor();
    assert.deepEqual(await texts(), [whole, whole]);
    assert.equal(requests, 1);
    assert.deepEqual(problems, []);
  });

  it('is not needed: code stays plain without it', async () => {
    const chat = await pages.openChat();
    const { page } = chat;
    await page.route('**/code.js', (route) => route.abort());
    await chat.tell({ transcript: { put: [answer('b', code)], before: 0 } });
    await page.locator('[data-entry=b] code').waitFor();
    await chat.tell({ transcript: { put: [answer('c', code)], before: 0 } });
    assert.match((await page.locator('[data-entry=c] code').textContent()) ?? '', /^export const one/);
  });
});

describe('the script that draws formulas', function () {
  this.timeout(120_000);
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  it('is loaded with the first formula, whose source is shown until then; nothing else is drawn again', async () => {
    const chat = await pages.openChat();
    const { page, problems } = chat;
    let release = (): void => undefined;
    const wanted = new Promise<void>((resolve) => (release = resolve));
    await page.route('**/math.js', async (route) => {
      await wanted;
      await route.continue();
    });
    const text = 'The area is $r^2$.\n\n- one';
    await chat.tell({ transcript: { put: [answer('b', text), answer('c', 'Now $x', true)], before: 0 } });
    await page.locator('[data-entry=b] .md-formula-source').waitFor();
    assert.equal(await page.locator('[data-entry=b] p').innerText(), 'The area is $r^2$.');
    assert.equal(await page.locator('math').count(), 0);
    await page.evaluate(() => {
      for (const node of document.querySelectorAll('.entry-answer *')) node.setAttribute('data-before', '');
    });
    release();
    await page.locator('[data-entry=b] math msup').waitFor();
    assert.equal(await page.locator('.entry-answer .markdown :not([data-before], math, math *)').count(), 0);
    assert.equal(await page.locator('[data-entry=c] p').innerText(), 'Now $x');
    await chat.tell({ transcript: { put: [answer('c', 'Now $x$', true)], before: 1 } });
    await page.locator('[data-entry=c] math').waitFor();
    assert.deepEqual(problems, []);
  });

  it('is not needed: the source is shown without it', async () => {
    const chat = await pages.openChat();
    const { page } = chat;
    await page.route('**/math.js', (route) => route.abort());
    await chat.tell({ transcript: { put: [answer('b', 'So $x$')], before: 0 } });
    await page.locator('[data-entry=b] .md-formula').waitFor();
    assert.equal(await page.locator('[data-entry=b] p').innerText(), 'So $x$');
  });
});
