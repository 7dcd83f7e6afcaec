// Opens the page of the tests of markdown.
import type { OpenedPage, PageHarness, PageOptions } from '../../support/pageHarness';

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
