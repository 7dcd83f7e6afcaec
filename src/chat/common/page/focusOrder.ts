/** Tracks which of several pages had the focus last. Commands apply to that page. */
export class FocusOrder<Page extends { readonly isVisible: boolean }> {
  /** The pages in the order in which they received the focus. The most recent page is last. */
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
