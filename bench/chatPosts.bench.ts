// `chat.posts`: how often the host posts to the page in a frame of 16 ms while a backend tells 1,000 events a second: the mean
// over some seconds of a real clock. The peer posts each event. Run by `npm run bench -- chatPosts`.
import { printBenchLine } from './lib/benchLine';
import { FloodedChat } from './lib/flood';

const eventsPerSecond = 1_000;
const seconds = 4;
const frameMs = 16;

async function main(): Promise<void> {
  let posts = 0;
  const flooded = new FloodedChat(() => posts++);
  flooded.feed.connectPage();
  posts = 0;

  const startMs = performance.now();
  const told = await flooded.flood(eventsPerSecond, () => performance.now() - startMs > seconds * 1_000);
  await new Promise((resolve) => setTimeout(resolve, 2 * frameMs));
  const frames = (performance.now() - startMs) / frameMs;
  flooded.dispose();
  if (posts === 0) throw new Error('Nothing was posted.');

  printBenchLine({
    bench: 'chat.posts',
    value: posts / frames,
    unit: 'posts/frame',
    peer: { name: 'one post for each event', value: told / frames },
    bar: 1,
    barOf: 'value',
    better: 'lower',
  });
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
