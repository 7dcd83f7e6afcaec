/** Position in the list of sent prompts. `history` is oldest first. */
export class HistoryWalk {
  private index: number | undefined;
  private shown: string | undefined;

  /** Returns the previous prompt; undefined at the oldest one, or when the user has changed the text. */
  older(history: readonly string[], text: string): string | undefined {
    if (!this.mayLeave(text)) return undefined;
    return this.show(history, (this.index ?? history.length) - 1);
  }

  /** Returns the next prompt, or the empty text after the newest one; undefined if the history is not in use. */
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
