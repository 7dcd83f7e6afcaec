// A thread of 200, 1,000, 5,000 and 20,000 entries: the page goes to one in the first third of it. What its thread works
// until that is in sight and all is at rest. Run by `npm run bench -- threadJump`.
import type { CDPSession } from 'playwright-core';
import * as z from 'zod';
import { didRequestFindOrJump } from '../../src/threads/common/page/threadApi';
import { drawn } from '../../test/page/support/drawn';
import { openLongThread } from '../../test/page/thread/support/longThread';
import { turns } from '../../test/page/thread/support/threadFixtures';
import { ThreadPages, watchGoals } from '../../test/page/thread/support/threadPages';
import { median, printBenchLine } from '../lib/benchLine';
import { runWithPages } from '../lib/runWithPages';

const rounds = 3;
const entriesPerTurn = 3;
const Metrics = z.object({ metrics: z.array(z.object({ name: z.string(), value: z.number() })) });

const pages = new ThreadPages();
void runWithPages(pages, async () => {
  for (const count of [200, 1_000, 5_000, 20_000]) {
    const values: number[] = [];
    for (let round = 0; round < rounds; round++) values.push(await jumpMs(pages, Math.ceil(count / entriesPerTurn)));
    printBenchLine({
      bench: `threads.jump${count}`,
      value: median(values),
      unit: 'ms of work of the page',
      bar: 1_000,
      better: 'lower',
    });
  }
});

async function jumpMs(pages: ThreadPages, turnCount: number): Promise<number> {
  const { page, host, close } = await openLongThread(pages, turns(1, turnCount + 1));
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const reached = await watchGoals(page);
  const entryId = `a${Math.floor(turnCount / 3)}`;
  const before = await workMs(session);
  await host.notify(didRequestFindOrJump, { kind: 'goTo', entryId });
  await reached(entryId);
  await drawn(page);
  const spent = (await workMs(session)) - before;
  await close();
  return spent;
}

/** Of the page's main thread since it began. */
async function workMs(session: CDPSession): Promise<number> {
  const { metrics } = Metrics.parse(await session.send('Performance.getMetrics'));
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1_000;
}
