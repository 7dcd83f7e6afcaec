import { ToolError } from '../toolError';

interface Page<T> {
  readonly items: readonly T[];
  /** The 1-based number of this page. */
  readonly page: number;
  readonly pageCount: number;
  readonly remainingCount: number;
}

/** Returns one page. @throws ToolError past the last page */
export function selectPage<T>(all: readonly T[], page: number, perPage: number): Page<T> {
  const pages = Math.max(1, Math.ceil(all.length / perPage));
  if (page > pages) throw new ToolError(`There is no page ${page}: the last one is ${pages}.`);
  const start = (page - 1) * perPage;
  const items = all.slice(start, start + perPage);
  return { items, page, pageCount: pages, remainingCount: all.length - start - items.length };
}

export function pageFooter({ page, pageCount: pages, remainingCount: left }: Page<unknown>, what: string): string[] {
  return left > 0 ? [`… ${left} more ${what}: page ${page + 1} of ${pages} has the next.`] : [];
}
