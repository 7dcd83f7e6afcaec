/** Of several pages side by side, the one the user is in: what commands mean. */
export class FocusOrder<Page extends { readonly isVisible: boolean }> {
  /** Whoever had the focus last stands last. */
  private readonly pages = new Set<Page>();

  /** What is hidden is not meant, but has its turn again when it is back. */
  get active(): Page | undefined {
    return [...this.pages].findLast(({ isVisible }) => isVisible);
  }

  focused(page: Page): void {
    this.pages.delete(page);
    this.pages.add(page);
  }

  remove(page: Page): void {
    this.pages.delete(page);
  }
}
