// The longest time for which a page stands still over an answer that wants to keep it busy, whole and streamed, beside that
// of a known amount of work in the same page. Run by `npm run bench -- markdownHostile`.
import { hostileTexts } from '../../test/page/markdown/support/hostileTexts';
import { openMarkdown } from '../../test/page/markdown/support/openMarkdown';
import { PageHarness, type OpenedPage } from '../../test/page/support/pageHarness';
import { printBenchLine } from '../lib/benchLine';
import { runWithPages } from '../lib/runWithPages';

/** Pieces in which a text is streamed. */
const pieces = 2_000;

const pages = new PageHarness();
void runWithPages(pages, async () => {
  const opened = await openMarkdown(pages);
  let longestMs = 0;
  for (const { text } of hostileTexts) {
    longestMs = Math.max(
      longestMs,
      await renderMs(opened, text),
      await streamMs(opened, text, Math.max(3, Math.ceil(text.length / pieces))),
    );
  }
  printBenchLine({
    bench: 'chat.hostile',
    value: longestMs,
    unit: 'ms of the longest block of the page',
    peer: { name: 'half a million elements that are made and written as HTML', value: await knownWorkMs(opened) },
    bar: 6.7,
    better: 'lower',
  });
});

function renderMs({ page }: OpenedPage, text: string): Promise<number> {
  return page.evaluate((source) => {
    const startMs = performance.now();
    window.markdownPage.render(source);
    window.markdownPage.container.getBoundingClientRect();
    return performance.now() - startMs;
  }, text);
}

function streamMs({ page }: OpenedPage, text: string, units: number): Promise<number> {
  return page.evaluate(([source, size]) => window.markdownPage.streamedGently(source, size), [text, units] as const);
}

function knownWorkMs({ page }: OpenedPage): Promise<number> {
  return page.evaluate(() => {
    const startMs = performance.now();
    for (let count = 0; count < 1_000; count++) {
      const box = document.createElement('div');
      for (let at = 0; at < 500; at++) box.append(Object.assign(document.createElement('b'), { textContent: `${at}` }));
      box.innerHTML.replace(/<[^>]+>/g, '');
    }
    return performance.now() - startMs;
  });
}
