// What is wrong with how a page is laid out, measured in the page.
import type { Page } from 'playwright-core';

/** Widths of a panel in CSS pixels, each once, and how far VS Code zooms: a window of one size then has fewer of them. */
export const panelWidths = [
  ...new Set(
    [250, 300, 360, 400, 850].flatMap((width) =>
      // VS Code makes no side bar narrower than 170.
      [1, 1.5, 2].map((zoom) => Math.max(170, Math.floor(width / zoom))),
    ),
  ),
];

/**
 * One line for each fault below `root`: what is drawn beyond its parent, a name that is cut below 8 em, a control of less than
 * 24 pixels, and text under a control that floats.
 */
export function layoutFaults(page: Page, root: string): Promise<string[]> {
  return page.evaluate((selector) => {
    const faults: string[] = [];
    const nameOf = (element: Element): string =>
      `${element.tagName}.${element.getAttribute('class') ?? ''} "${element.textContent.slice(0, 40)}"`;
    const isDrawn = (element: Element): boolean => {
      const { width, height } = element.getBoundingClientRect();
      return (
        width > 0 && height > 0 && element.checkVisibility({ contentVisibilityAuto: false, visibilityProperty: true })
      );
    };
    /** Fully clipped by its parent: a line that has wrapped because there is no room. */
    const isClippedAway = (element: Element): boolean => {
      const { top, left } = element.getBoundingClientRect();
      const parent = element.parentElement;
      if (!parent || parent === document.body) return false;
      const box = parent.getBoundingClientRect();
      const clips = ['clip', 'hidden'].includes(getComputedStyle(parent).overflowY);
      return (clips && (top >= box.bottom || left >= box.right)) || isClippedAway(parent);
    };
    const scrolls = 'pre, table, .diff-scroll, .md-table, .md-code, .visually-hidden, svg, dialog, [hidden]';
    const drawn = [...document.querySelectorAll(`${selector} *`)].filter(
      (element) => !element.closest(scrolls) && isDrawn(element) && !isClippedAway(element),
    );
    for (const element of drawn) {
      const parent = element.parentElement;
      if (!parent) continue;
      const style = getComputedStyle(element);
      const around = getComputedStyle(parent);
      const hasNoBox = [style, around].some(({ display }) => ['inline', 'contents'].includes(display));
      if (style.position === 'absolute' || hasNoBox) continue;
      // The end of a text that is cut has an ellipsis.
      if (around.textOverflow === 'ellipsis' || element.closest('.one-line')?.contains(parent)) continue;
      const box = element.getBoundingClientRect();
      const within = parent.getBoundingClientRect();
      const sideways = Math.max(within.left - box.left, box.right - within.right);
      const upOrDown = Math.max(within.top - box.top, box.bottom - within.bottom);
      if (sideways > 1 || (upOrDown > 1 && around.overflowY === 'clip'))
        faults.push(`beyond its parent by ${Math.max(sideways, upOrDown)}: ${nameOf(element)} in ${nameOf(parent)}`);
    }
    for (const title of drawn.filter((element) => element.matches('.tool .title, .run .title'))) {
      const em = Number.parseFloat(getComputedStyle(title).fontSize);
      if (title.scrollWidth > title.clientWidth && title.clientWidth < 8 * em - 1)
        faults.push(`cut to ${title.clientWidth}: ${nameOf(title)}`);
    }
    for (const control of drawn.filter((element) => element.matches('button, summary'))) {
      // Links in a sentence are as high as its text.
      if (getComputedStyle(control).display.startsWith('inline') && control.closest('p, li, td')) continue;
      const { height, width } = control.getBoundingClientRect();
      if (height < 23.5 || width < 23.5) faults.push(`${width}×${height}: ${nameOf(control)}`);
    }
    const floating = [...document.querySelectorAll(`${selector} *`)].filter(
      (element) =>
        element.matches('.toolbar, .jump, .raw-button, .corner') &&
        isDrawn(element) &&
        !element.closest('dialog, [hidden]'),
    );
    const walker = document.createTreeWalker(document.querySelector(selector) ?? document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const owner = node.parentElement;
      if (!owner || node.textContent?.trim() === '' || owner.closest('.visually-hidden, [hidden], dialog')) continue;
      if (!isDrawn(owner) || isClippedAway(owner)) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const line of range.getClientRects()) {
        for (const control of floating) {
          if (control.contains(owner)) continue;
          const box = control.getBoundingClientRect();
          const isUnder =
            line.left < box.right - 1 &&
            line.right > box.left + 1 &&
            line.top < box.bottom - 2 &&
            line.bottom > box.top + 2;
          const clip = owner.closest('.one-line, .transcript-scroll')?.getBoundingClientRect();
          if (isUnder && (!clip || (clip.right > box.left + 1 && clip.bottom > box.top + 1)))
            faults.push(`${nameOf(owner)} under ${nameOf(control)}`);
        }
      }
    }
    return [...new Set(faults)];
  }, root);
}

/** Everything on the page that is wider than it may be. */
export function overflowing(page: Page): Promise<string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((element) => {
        const { right, width } = element.getBoundingClientRect();
        return (
          width > 0 && right > window.innerWidth + 1 && !element.closest('pre, table, .visually-hidden, .diff-scroll')
        );
      })
      .map((element) => `${element.tagName}.${element.getAttribute('class') ?? ''}`),
  );
}
