/** Moves through the list of sent prompts. `history` is sorted from oldest to newest. */
export class PromptHistoryCursor {
  private shownIndex: number | undefined;
  private shownPrompt: string | undefined;

  /** Returns the previous prompt. Undefined at the oldest prompt, or if the user has changed the text. */
  moveToPreviousPrompt(history: readonly string[], text: string): string | undefined {
    if (!this.canReplaceText(text)) return undefined;
    return this.selectPrompt(history, (this.shownIndex ?? history.length) - 1);
  }

  /** Returns the next prompt, or an empty text after the newest prompt. Undefined if the history is not in use. */
  moveToNextPrompt(history: readonly string[], text: string): string | undefined {
    if (this.shownIndex === undefined || !this.canReplaceText(text)) return undefined;
    if (this.shownIndex + 1 < history.length) return this.selectPrompt(history, this.shownIndex + 1);
    this.shownIndex = undefined;
    this.shownPrompt = undefined;
    return '';
  }

  private canReplaceText(text: string): boolean {
    if (text === '') this.shownIndex = undefined;
    return text === '' || text === this.shownPrompt;
  }

  private selectPrompt(history: readonly string[], index: number): string | undefined {
    const found = history[index];
    if (found === undefined) return undefined;
    this.shownIndex = index;
    this.shownPrompt = found;
    return found;
  }
}
