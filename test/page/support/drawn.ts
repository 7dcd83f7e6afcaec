// Waits for pages to come to rest, and for their clock to stand still.
import type { Page } from 'playwright-core';

/** Frames without a change after which no more comes: more than anything in the pages waits for. */
const quietFrames = 6;

/**
 * Until the browser has drawn what the page was told, and what follows from it. What waits for a frame, for a size or for
 * what comes near the screen happens some frames later, and a busy machine is slow to draw them.
 */
export async function drawn(page: Page): Promise<void> {
  await page.evaluate(async (wanted) => {
    let changes = 0;
    const change = (): void => {
      changes++;
    };
    const observer = new MutationObserver(change);
    observer.observe(document, { subtree: true, childList: true, attributes: true });
    document.addEventListener('scroll', change, true);
    const heightNow = (): number => document.querySelector('.transcript-scroll')?.scrollHeight ?? 0;
    let height = heightNow();
    let known = changes;
    for (let quiet = 0; quiet < wanted; quiet++) {
      await new Promise(requestAnimationFrame);
      // Behind what others have put off until after the frame.
      await new Promise((resolve) => setTimeout(resolve));
      if (changes !== known || height !== heightNow()) quiet = -1;
      known = changes;
      height = heightNow();
    }
    observer.disconnect();
    document.removeEventListener('scroll', change, true);
  }, quietFrames);
}

/** From here on the page's time goes on only with `page.clock`. */
export async function pauseClock(page: Page, at: number): Promise<void> {
  // What waits for a frame of the true time would not come with the other one.
  await drawn(page);
  // Time goes on until it is paused, and a busy machine is slow to pause it.
  await page.clock.install({ time: at - 600_000 });
  await page.clock.pauseAt(at);
}

/** For a page's `before`: callbacks of its frames and timers run only when `runHeldCallbacks()` is called in it. */
export const holdCallbacks = `{
  const held = [];
  const { requestAnimationFrame, setTimeout } = window;
  window.requestAnimationFrame = (run) => held.push(run);
  window.setTimeout = (run) => held.push(run);
  window.runHeldCallbacks = () => {
    Object.assign(window, { requestAnimationFrame, setTimeout });
    for (const run of held) run();
  };
}`;
