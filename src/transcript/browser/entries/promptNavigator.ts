import type { RefObject } from 'preact';

export class PromptNavigator {
  constructor(
    private readonly scroller: RefObject<HTMLElement | null>,
    private readonly scrollToPrompt: (prompt: HTMLElement) => void,
  ) {}

  goToPrompt(step: 1 | -1): void {
    const scroller = this.scroller.current;
    if (!scroller) return;
    const prompts = [...scroller.querySelectorAll<HTMLElement>('.entry-prompt')];
    const focused = prompts.findIndex((prompt) => prompt.contains(document.activeElement));
    const next =
      focused >= 0 ? prompts[focused + step] : findNearestPrompt(prompts, scroller.getBoundingClientRect().top, step);
    if (!next) return;
    next.focus({ preventScroll: true });
    this.scrollToPrompt(next);
  }
}

function findNearestPrompt(prompts: readonly HTMLElement[], edge: number, step: 1 | -1): HTMLElement | undefined {
  const topOf = (prompt: HTMLElement): number => prompt.getBoundingClientRect().top - edge;
  return step === 1 ? prompts.find((prompt) => topOf(prompt) > 16) : prompts.findLast((prompt) => topOf(prompt) < 0);
}
