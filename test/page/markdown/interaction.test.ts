import assert from 'node:assert/strict';
import { PageHarness, type OpenedPage } from '../support/pageHarness';
import { themeNames } from '../support/themes';
import { openMarkdown } from './support/openMarkdown';
import { sample } from './support/sample';

describe('links and code of markdown', () => {
  const pages = new PageHarness();
  let opened: OpenedPage;
  before(() => pages.start());
  beforeEach(async () => {
    opened = await openMarkdown(pages);
  });
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const render = (text: string): Promise<string> =>
    opened.page.evaluate((source) => window.markdownPage.render(source), text);
  const asked = (): Promise<unknown[][]> => opened.page.evaluate(() => window.markdownPage.asked.splice(0));

  for (const [text, ...expected] of [
    ['[a](src/a.ts)', 'src/a.ts'],
    ['[a](src/a.ts:12)', 'src/a.ts', 12],
    ['[a](src/a.ts#L3-L5)', 'src/a.ts', 3],
    ['[a](/work/my%20file.ts#L7)', '/work/my file.ts', 7],
    ['[a](<C:\\work\\a.ts:4:2>)', 'C:\\work\\a.ts', 4, 2],
    ['[a](src/a.ts:12:5)', 'src/a.ts', 12, 5],
    ['[a](src/a.ts:12-20)', 'src/a.ts', 12],
    ['[a](src/a.ts#L12C5-L13C1)', 'src/a.ts', 12, 5],
    ['`src/a.ts:12:5`', 'src/a.ts', 12, 5],
    ['[a](file:///work/a.ts#L9)', 'file:///work/a.ts', 9],
    ['[a](https://example.com/a.ts#L9)', 'https://example.com/a.ts#L9'],
    ['https://example.com/x', 'https://example.com/x'],
    ['<https://example.com/y>', 'https://example.com/y'],
    ['file:///work/b.ts', 'file:///work/b.ts'],
    ['`src/a.ts`', 'src/a.ts'],
    ['`a.ts:12`', 'a.ts', 12],
    ['see ../lib/a.ts:5 there', '../lib/a.ts', 5],
    ['![a](https://example.com/a.png)', 'https://example.com/a.png'],
  ] as const)
    it(`opens ${text}`, async () => {
      await render(text);
      await opened.page.locator('#root a').click();
      const [[what, ...rest] = []] = await asked();
      assert.equal(what, 'open');
      assert.deepEqual(
        rest.filter((value) => value !== null && value !== undefined),
        expected,
      );
    });

  for (const text of [
    '`a.ts`',
    '`npm/run`',
    '`1/2.5`',
    'and/or.',
    'README.md is read',
    'at 12:30',
    '[a](#top)',
    'a@b.com',
  ])
    it(`makes no link of ${text}`, async () => assert.doesNotMatch(await render(text), /<a /));

  it('opens a link by Enter', async () => {
    await render('[a](src/a.ts:12)');
    await opened.page.locator('#root a').focus();
    await opened.page.keyboard.press('Enter');
    assert.deepEqual(await asked(), [['open', 'src/a.ts', 12]]);
  });

  it('shows where a link leads, whatever its title says', async () => {
    const html = await render('[https://good.example](https://аpple.com "https://good.example")');
    assert.match(html, /title="https:\/\/xn--/);
    assert.doesNotMatch(html, /title="https:\/\/good/);
  });

  it('shows characters that change what is read, and copies them', async () => {
    const html = await render('```c\nif (a) \u202e{ x\n```\n');
    assert.match(html, /data-character="U\+202E"/);
    await opened.page.locator('.md-code').hover();
    await opened.page.getByRole('button', { name: 'Copy' }).click();
    assert.deepEqual(await asked(), [['copy', 'if (a) \u202e{ x\n']]);
  });

  it('does with code what its buttons say', async () => {
    await render('```ts title="src/a.ts"\nconst a = 1;\n```');
    await opened.page.locator('.md-code').hover();
    for (const name of ['Copy', 'Insert at Cursor', 'Apply in Editor', 'Open in New File'])
      await opened.page.getByRole('button', { name }).click();
    assert.deepEqual(await asked(), [
      ['copy', 'const a = 1;\n'],
      ['insertAtCursor', 'const a = 1;\n'],
      ['applyCode', 'const a = 1;\n', 'src/a.ts'],
      ['openAsNewFile', 'const a = 1;\n', 'ts'],
    ]);
  });

  it('shows a view of Amp as its title with Open in Browser, and its HTML only as source', async () => {
    const html =
      '<title>Deep mode\n tripled</title><script>window.top.ran = 1</script><img src="x" onerror="ran = 1">\n';
    const rendered = await render(`Look:\n\n\`\`\`amp-view\n${html}\`\`\`\n`);
    assert.doesNotMatch(rendered, /<(script|img|title)/);
    const view = opened.page.locator('.md-view');
    assert.equal(await view.locator('.md-code-title').textContent(), 'View: Deep mode tripled');
    assert.equal(await view.locator('pre').isVisible(), false);
    await view.getByRole('button', { name: 'Open in Browser' }).click();
    await view.getByText('HTML source').click();
    assert.equal(await view.locator('pre').isVisible(), true);
    assert.deepEqual(await asked(), [['openView', html]]);
    assert.equal(await view.getByRole('button').count(), 2);
  });

  it('has no button for what cannot be done', async () => {
    await opened.page.evaluate(() => window.markdownPage.renderReadOnly('```ts\na\n```'));
    assert.equal(await opened.page.locator('button').count(), 1);
  });

  it('shows the buttons when one of them has the focus', async () => {
    await render('```ts\na\n```');
    const bar = opened.page.locator('.md-actions');
    assert.equal(await bar.evaluate((element) => getComputedStyle(element).opacity), '0');
    await opened.page.keyboard.press('Tab');
    assert.equal(await bar.evaluate((element) => getComputedStyle(element).opacity), '1');
  });

  for (const [info, language, path] of [
    ['ts src/a.ts', 'ts', 'src/a.ts'],
    ['ts:src/a.ts', 'ts', 'src/a.ts'],
    ['12:15:src/a.py', 'py', 'src/a.py'],
    ['src/a.go', 'go', 'src/a.go'],
    ['{.ts}', 'ts', undefined],
    ['c++', 'c++', undefined],
    ['ts file=a.ts', 'ts', 'a.ts'],
  ] as const)
    it(`understands a block of ${info}`, async () => {
      await render(`\`\`\`${info}\nx\n\`\`\``);
      const block = opened.page.locator('.md-code');
      assert.equal(await block.getAttribute('data-language'), language);
      assert.equal((await block.getAttribute('data-path')) ?? undefined, path);
    });

  it('begins code right below the row of its language and buttons, which is no higher than they are', async () => {
    await render('```ts\nconst a = 1;\n```');
    const { code, row, targets } = await opened.page.locator('.md-code').evaluate((block) => {
      const boxOf = (selector: string) => block.querySelector(selector)?.getBoundingClientRect();
      return {
        row: boxOf('.md-code-head'),
        code: boxOf('code'),
        targets: [...block.querySelectorAll('button')].map((button) => button.getBoundingClientRect().bottom),
      };
    });
    assert.ok(row && code && row.height <= 24, `${row?.height} px`);
    assert.equal(code.top, row.bottom);
    assert.ok(targets.length > 0 && targets.every((bottom) => bottom <= code.top));
  });

  it('scrolls long code inside its block', async () => {
    await render(`\`\`\`ts\n${'x '.repeat(500)}\n\`\`\``);
    const sizes = await opened.page.evaluate(() => {
      const pre = document.querySelector('pre');
      return {
        inner: (pre?.scrollWidth ?? 0) > (pre?.clientWidth ?? 0),
        page: document.body.scrollWidth <= innerWidth,
      };
    });
    assert.deepEqual(sizes, { inner: true, page: true });
  });

  it('shows output of a terminal in the colours of the theme and its own', async () => {
    await opened.page.evaluate(() =>
      window.markdownPage.renderAnsi('\x1b[1;31mred\x1b[0m \x1b[38;2;1;2;3mown\x1b[0m <b>'),
    );
    assert.equal(
      await opened.page.evaluate(() => window.markdownPage.container.innerHTML),
      '<span class="ansi-bold ansi-fg-1">red</span> <span style="color: rgb(1, 2, 3);">own</span> &lt;b&gt;',
    );
    assert.deepEqual(opened.problems, []);
  });

  for (const theme of themeNames)
    it(`is accessible in ${theme}`, async () => {
      await opened.setTheme(theme);
      await render(sample);
      assert.deepEqual(await opened.axe(), []);
    });
});
