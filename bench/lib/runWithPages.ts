import type { PageHarness } from '../../test/page/support/pageHarness';

/** Starts the pages for a benchmark, and stops them after it. If it fails, the process ends with 1. */
export async function runWithPages(pages: PageHarness, benchmark: () => Promise<void>): Promise<void> {
  try {
    await pages.start();
    try {
      await benchmark();
    } finally {
      await pages.stop();
    }
  } catch (error) {
    console.error(error);
    process.exit(1);
  }
}
