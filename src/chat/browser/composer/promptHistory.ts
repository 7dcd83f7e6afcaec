/** Position in the list of sent prompts. `history` is oldest first. */
export class PromptHistory {
  private index: number | undefined;
  private shownPrompt: string | undefined;

  /** Returns the previous prompt; undefined at the oldest one, or when the user has changed the text. */
  previousPrompt(history: readonly string[], text: string): string | undefined {
    if (!this.canReplace(text)) return undefined;
    return this.select(history, (this.index ?? history.length) - 1);
  }

  /** Returns the next prompt, or the empty text after the newest one; undefined if the history is not in use. */
  nextPrompt(history: readonly string[], text: string): string | undefined {
    if (this.index === undefined || !this.canReplace(text)) return undefined;
    if (this.index + 1 < history.length) return this.select(history, this.index + 1);
    this.index = undefined;
    this.shownPrompt = undefined;
    return '';
  }

  private canReplace(text: string): boolean {
    if (text === '') this.index = undefined;
    return text === '' || text === this.shownPrompt;
  }

  private select(history: readonly string[], index: number): string | undefined {
    const found = history[index];
    if (found === undefined) return undefined;
    this.index = index;
    this.shownPrompt = found;
    return found;
  }
}
