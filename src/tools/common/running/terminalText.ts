import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { parseAnsi } from '../../../base/common/terminal/ansi';
import { truncateText } from '../text/lineTexts';
import { ToolError } from '../toolError';

/** Limit of a line, in UTF-16 units. */
const maxLineLength = 1_000;
/** Limit of a page, in UTF-16 units. */
const maxPageLength = 12_000;

/** Returns the lines that a terminal shows for the output, without colors and trailing empty lines. */
export function terminalLines(output: string): readonly string[] {
  const text = parseAnsi(output)
    .map((segment) => segment.text)
    .join('');
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trimEnd()
    .split('\n');
}

/** Returns one page of lines, in text order. Page 1 contains the last lines. @throws ToolError past the last page */
export function selectPageFromEnd(lines: readonly string[], page: number, linesPerPage: number): readonly string[] {
  const pages = pagesFromEnd(lines, linesPerPage);
  const found = pages[page - 1];
  if (!found) throw new ToolError(`There is no page ${page}: the last one is ${pages.length}.`);
  const earlier = pages.slice(page).reduce((sum, { length }) => sum + length, 0);
  const head = earlier > 0 ? [`… ${countWithNoun(earlier, 'earlier line')}: page ${page + 1} of ${pages.length}`] : [];
  return [...head, ...found];
}

function pagesFromEnd(lines: readonly string[], linesPerPage: number): readonly (readonly string[])[] {
  const pages: string[][] = [];
  let page: string[] = [];
  let length = 0;
  for (const line of lines.toReversed()) {
    const row = truncateText(line, maxLineLength);
    if (page.length === linesPerPage || length + row.length > maxPageLength) {
      pages.push(page.reverse());
      [page, length] = [[], 0];
    }
    page.push(row);
    length += row.length + 1;
  }
  return [...pages, page.reverse()];
}
