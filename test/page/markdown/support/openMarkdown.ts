import { PageHarness, type OpenedPage, type PageOptions } from '../../support/pageHarness';

/** Opens the page of the tests of markdown. */
export function openMarkdown(
  pages: PageHarness,
  options: Omit<PageOptions, 'entry' | 'style'> = {},
): Promise<OpenedPage> {
  return pages.openPage({
    entry: 'test/page/markdown/support/markdownPage.ts',
    style: 'src/transcript/browser/markdown/markdown.css',
    ...options,
  });
}

/** One page for all tests of a `describe`, called in it: opened before them, and closed after them. */
export function sharedMarkdown(): Pick<OpenedPage, 'page' | 'problems'> {
  const pages = new PageHarness();
  let opened: OpenedPage | undefined;
  before(async () => {
    await pages.start();
    opened = await openMarkdown(pages);
  });
  after(() => pages.stop());
  const there = (): OpenedPage => {
    if (!opened) throw new Error('The page is opened by a hook: only tests have it.');
    return opened;
  };
  return {
    get page() {
      return there().page;
    },
    get problems() {
      return there().problems;
    },
  };
}
