import assert from 'node:assert/strict';
import { PageHarness } from '../support/pageHarness';
import { themeNames } from '../support/themes';
import { openMarkdown, sharedMarkdown } from './support/openMarkdown';
import { takePicture } from '../../support/pictures';

const sample = String.raw`The solutions of $ax^2 + bx + c = 0$ are real if $\Delta = b^2 - 4ac \ge 0$:

$$
x_{1,2} = \frac{-b \pm \sqrt{b^2 - 4ac}}{2a}
$$

- The sum \(x_1 + x_2 = -\frac{b}{a}\), **bold** text after it
- A matrix:
  \[
  A = \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}, \quad \det A = -2
  \]

| law | formula |
|---|---|
| Euler | $e^{i\pi} + 1 = 0$ |

$$\begin{aligned}
\nabla \cdot \vec E &= \frac{\rho}{\varepsilon_0} & \nabla \times \vec B &= \mu_0 \vec J + \mu_0 \varepsilon_0 \frac{\partial \vec E}{\partial t} \\
f(x) &= \begin{cases} 1 & \text{if } x > 0 \\ 0 & \text{else} \end{cases} & \int_{-\infty}^{\infty} e^{-x^2}\,dx &= \boxed{\sqrt{\pi}}
\end{aligned}$$

It costs $5, not $6, in $HOME. An error stays as it is: $\frac{1$ and \(\undefined{x}\).`;

describe('formulas in answers', () => {
  const opened = sharedMarkdown();

  const render = (text: string) => opened.page.evaluate((source) => window.markdownPage.render(source), text);
  const drawn = () => opened.page.locator('.md-drawn > .md-formula-source').allTextContents();

  it('are drawn with their source, and prices, variables, code and links stay text', async () => {
    await render(
      'So $x^2$ and \\(y\\), $5 and $6, `$z$`, $HOME.\n\n$$\na = b\n- c\n$$\n\n```\n$$\nx\n$$\n```\n\nhttps://example.com/$a$',
    );
    assert.deepEqual(await drawn(), ['$x^2$', '\\(y\\)', '$$\na = b\n- c\n$$']);
    assert.equal(await opened.page.locator('math msup').count(), 1);
    assert.equal(await opened.page.locator('.md-display math[display=block]').count(), 1);
    const text = await opened.page.evaluate(() => document.querySelector('.markdown')?.textContent ?? '');
    for (const kept of ['$5 and $6', '$z$', '$HOME', 'https://example.com/$a$']) assert.ok(text.includes(kept), kept);
  });

  it('with errors, definitions or marked characters show their source', async () => {
    await render('$\\frac{1$, $\\def\\a{x}\\a$, $\\href{https://a.b}{x}$, $\\unknown$, $x\u202ey$');
    assert.deepEqual(await drawn(), []);
    assert.equal(await opened.page.locator('math').count(), 0);
    const text = await opened.page.evaluate(() => document.querySelector('.markdown')?.textContent ?? '');
    assert.match(text, /\$\\frac\{1\$, \$\\def\\a\{x\}\\a\$/);
  });

  it('beyond the first 500 of a paragraph show their source', async () => {
    await render(`${'$x$ '.repeat(510)}\n\n$y$`);
    assert.equal((await drawn()).length, 501);
    assert.equal(await opened.page.locator('.md-as-source').count(), 10);
    await render('**$x$** *$x$* '.repeat(255));
    assert.equal((await drawn()).length, 500);
  });

  it('are copied as their source', async () => {
    await render('The area is $\\pi r^2$ of it.\n\n$$\nx = 1\n$$\n\nEnd');
    const selected = await opened.page.evaluate(() => {
      getSelection()?.selectAllChildren(window.markdownPage.container);
      const event = new ClipboardEvent('copy', { clipboardData: new DataTransfer(), cancelable: true });
      document.dispatchEvent(event);
      return event.clipboardData?.getData('text/plain');
    });
    assert.equal(selected?.trim().replaceAll(/\n+/g, '\n'), 'The area is $\\pi r^2$ of it.\n$$\nx = 1\n$$\nEnd');
  });

  it('say nothing of the direction of their block', async () => {
    await render('$x$ שלום');
    assert.equal(await opened.page.locator('p').evaluate((block) => getComputedStyle(block).direction), 'rtl');
    assert.equal(await opened.page.locator('math').evaluate((math) => getComputedStyle(math).direction), 'ltr');
  });

  it('stand on the line of their text', async () => {
    await render('a $x$');
    const { text, formula } = await opened.page.evaluate(() => {
      const bottomOf = (node: Node | null | undefined) => {
        const range = document.createRange();
        if (node) range.selectNodeContents(node);
        return range.getBoundingClientRect().bottom;
      };
      return {
        text: bottomOf(document.querySelector('p')?.firstChild),
        formula: bottomOf(document.querySelector('mi')),
      };
    });
    assert.ok(Math.abs(text - formula) < 6, `${text} ${formula}`);
  });

  it('are text while they are streamed and not closed, and then drawn where they are', async () => {
    const text = 'First $a$.\n\n$$\nx_1 *y\n- z\n$$\n\nAfter $b_1$ it';
    const frames = await opened.page.evaluate((source) => window.markdownPage.frames(source, 1), text);
    assert.ok(frames.every((frame) => !/<(?:em|ul|strong)>/.test(frame)));
    const open = frames[text.indexOf('- z') + 2] ?? '';
    assert.match(open, /md-formula-source">\$\$\nx_1 \*y\n- z</);
    assert.equal(open.split('<math').length, 2);
    assert.equal((frames.at(-1) ?? '').split('<math').length, 4);
    const both = await opened.page.evaluate(
      (source) => [window.markdownPage.render(source), window.markdownPage.streamed(source, 3)],
      text,
    );
    assert.equal(both[0], both[1]);
  });
});

describe('how formulas look', () => {
  const pages = new PageHarness();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  for (const theme of themeNames)
    for (const width of [250, 400, 1_440])
      it(`scroll in their own box in ${theme} at ${width} pixels`, async () => {
        const opened = await openMarkdown(pages, { theme, width, height: 900 });
        const { page } = opened;
        await page.evaluate(
          (source) => {
            window.markdownPage.render(source);
            document.body.style.padding = '8px';
          },
          `${sample}\n\nWide: $${'a + '.repeat(60)}b$ end`,
        );
        await page.waitForFunction(() => document.querySelectorAll('.md-drawn').length === 8);
        const { pageWidth, beyond } = await page.evaluate(() => ({
          pageWidth: document.documentElement.scrollWidth,
          beyond: [...document.querySelectorAll('.md-formula')].filter(
            (formula) => formula.getBoundingClientRect().right > innerWidth,
          ).length,
        }));
        assert.equal(pageWidth, width);
        assert.equal(beyond, 0);
        await takePicture(page, `formulas-${theme}-${width}`);
        assert.deepEqual(await opened.axe(), []);
        assert.deepEqual(opened.problems, []);
      });
});
