/** Walks through the prompts sent before. `history` has the newest last. */
export class HistoryWalk {
  private index: number | undefined;
  private shown: string | undefined;

  /** The prompt before; undefined when there is none, or the text is the user's own. */
  older(history: readonly string[], text: string): string | undefined {
    if (!this.mayLeave(text)) return undefined;
    return this.show(history, (this.index ?? history.length) - 1);
  }

  /** The prompt after, the empty text behind the newest; undefined when the walk has not begun. */
  newer(history: readonly string[], text: string): string | undefined {
    if (this.index === undefined || !this.mayLeave(text)) return undefined;
    if (this.index + 1 < history.length) return this.show(history, this.index + 1);
    this.index = undefined;
    this.shown = undefined;
    return '';
  }

  private mayLeave(text: string): boolean {
    if (text === '') this.index = undefined;
    return text === '' || text === this.shown;
  }

  private show(history: readonly string[], index: number): string | undefined {
    const found = history[index];
    if (found === undefined) return undefined;
    this.index = index;
    this.shown = found;
    return found;
  }
}
