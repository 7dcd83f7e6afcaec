import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { defineRequest } from '../../../src/webview/common/protocol';
import { eventually } from '../../support/eventually';
import { PageHarness, type OpenedPage } from './pageHarness';
import { themeNames, themes } from './themes';

const greet = defineRequest('test/greet', z.object({ name: z.string() }), z.object({ text: z.string() }));
const entry = 'test/page/support/harnessPage.tsx';
const style = 'test/page/support/harnessPage.css';

describe('the harness of pages', () => {
  const pages = new PageHarness();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  it('answers a request of the page', async () => {
    const { page, problems } = await pages.openPage({
      entry,
      style,
      prepare: (host) => host.answer(greet, ({ name }) => ({ text: `Hello, ${name}` })),
    });
    await page.getByText('Hello, page').waitFor();
    assert.deepEqual(problems, []);
  });

  for (const theme of themeNames)
    it(`shows the colours of ${theme}`, async () => {
      const { page } = await pages.openPage({ entry, style, theme });
      const { kind } = themes[theme];
      assert.equal(await page.getAttribute('body', 'data-vscode-theme-kind'), kind);
      const border = await page.evaluate(() =>
        getComputedStyle(document.body).getPropertyValue('--vscode-contrastBorder'),
      );
      assert.equal(border !== '', kind.includes('high-contrast'));
    });

  it('changes the theme of an open page', async () => {
    const { page, setTheme } = await pages.openPage({ entry, style, theme: 'darkModern' });
    const background = (): Promise<string> =>
      page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const dark = await background();
    await setTheme('lightModern');
    assert.notEqual(await background(), dark);
  });

  it('has the policy of the extension: no inline style, nothing from elsewhere', async () => {
    const { page, problems } = await pages.openPage({ entry, style });
    const blocked = await page.evaluate(
      () =>
        new Promise<string[]>((resolve) => {
          const directives = new Set<string>();
          document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
            directives.add(effectiveDirective);
            if (directives.size === 2) resolve([...directives]);
          });
          document.body.insertAdjacentHTML(
            'beforeend',
            '<p style="color: red">a</p><img src="https://example.com/a.png" alt="">',
          );
        }),
    );
    assert.deepEqual(blocked.sort(), ['img-src', 'style-src-attr']);
    assert.ok(!problems.some((problem) => problem.startsWith('a request left')));
  });

  it('lets no request out, and reports it', async () => {
    const { page, problems } = await pages.openPage({
      entry,
      style,
      prepare: (host) => host.answer(greet, ({ name }) => ({ text: `Hello, ${name}` })),
    });
    // An answer that is under way when the page is left would be a problem, too.
    await page.getByText('Hello, page').waitFor();
    await page.evaluate(() => location.assign('https://example.com/'));
    await eventually('the report', () => assert.deepEqual(problems, ['a request left the page: https://example.com/']));
  });

  it('shows one page after another, each with what is its own', async () => {
    const isBare = { entry: 'test/page/support/barePage.ts', style };
    const first = await pages.openPage({ ...isBare, theme: 'darkModern', width: 300 });
    const state = (opened: OpenedPage): Promise<unknown> =>
      opened.page.evaluate(() => {
        const api = window.acquireVsCodeApi();
        const before = api.getState();
        api.setState('kept');
        return before;
      });
    assert.equal(await state(first), undefined);
    await pages.closePages();
    const second = await pages.openPage({ ...isBare, theme: 'lightModern', width: 500, reducedMotion: true });
    assert.ok(second.page === first.page);
    assert.equal(await state(second), undefined);
    assert.deepEqual(
      await second.page.evaluate(() => [innerWidth, matchMedia('(prefers-reduced-motion: reduce)').matches]),
      [500, true],
    );
    assert.equal(await second.page.getAttribute('body', 'data-vscode-theme-kind'), themes.lightModern.kind);
    await second.page.clock.install();
    await pages.closePages();
    const third = await pages.openPage(isBare);
    assert.ok(third.page !== second.page);
    assert.equal(await state(third), undefined);
  });

  it('finds what is not accessible', async () => {
    const { page, axe } = await pages.openPage({ entry, style });
    assert.deepEqual(await axe(), []);
    await page.evaluate(() => document.body.append(document.createElement('button')));
    assert.match((await axe()).join('\n'), /button-name/);
  });

  it('finds what cannot be read in another theme, of a page that has not changed since', async () => {
    const { axe, page } = await pages.openPage({ entry, style });
    await page.evaluate(() => document.body.append('Text on the color of the page'));
    assert.deepEqual(await axe(), []);
    await page.evaluate(() => (document.documentElement.style.cssText += '; color: white; background: white'));
    await page.evaluate(() => (document.body.style.cssText += '; color: white; background: white'));
    assert.match((await axe()).join('\n'), /color-contrast/);
  });
});
