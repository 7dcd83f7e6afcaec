import type { RefObject } from 'preact';

export class PromptNavigator {
  constructor(
    private readonly scroller: RefObject<HTMLElement | null>,
    private readonly scrollToPrompt: (prompt: HTMLElement) => void,
  ) {}

  /** Returns false if there is no loaded prompt in that direction. */
  goToPrompt(step: 1 | -1): boolean {
    const scroller = this.scroller.current;
    if (!scroller) return false;
    const prompts = [...scroller.querySelectorAll<HTMLElement>('.entry-prompt')];
    const focused = prompts.findIndex((prompt) => prompt.contains(document.activeElement));
    const next =
      focused >= 0 ? prompts[focused + step] : findNearestPrompt(prompts, scroller.getBoundingClientRect().top, step);
    if (!next) return false;
    next.focus({ preventScroll: true });
    this.scrollToPrompt(next);
    return true;
  }
}

function findNearestPrompt(prompts: readonly HTMLElement[], edge: number, step: 1 | -1): HTMLElement | undefined {
  const topOf = (prompt: HTMLElement): number => prompt.getBoundingClientRect().top - edge;
  return step === 1 ? prompts.find((prompt) => topOf(prompt) > 16) : prompts.findLast((prompt) => topOf(prompt) < 0);
}
