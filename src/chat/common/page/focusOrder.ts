/** Tracks which of several pages had the focus last: the target of commands. */
export class FocusOrder<Page extends { readonly isVisible: boolean }> {
  /** In the order of focus; the most recent is last. */
  private readonly pages = new Set<Page>();

  /** The visible page that had the focus last. Hidden pages keep their place in the order. */
  get activePage(): Page | undefined {
    return [...this.pages].findLast(({ isVisible }) => isVisible);
  }

  markFocused(page: Page): void {
    this.pages.delete(page);
    this.pages.add(page);
  }

  remove(page: Page): void {
    this.pages.delete(page);
  }
}
