// `chat.posts`: how often the host posts to the page in a frame of 16 ms while a backend tells 1,000 events a second: the mean
// over some seconds of a real clock. The peer posts each event. Run by `npm run bench -- chatPosts`.
import type { SessionEvent } from '../../src/session/common/sessionEvents';
import { systemClock } from '../../src/base/node/systemClock';
import { ChatTranscript } from '../../src/chat/common/transcript/chatTranscript';
import { FakeChat } from '../../test/fake/fakeChats';
import { benchFeed } from '../lib/benchFeed';
import { printBenchLine } from '../lib/benchLine';

const eventsPerSecond = 1_000;
const seconds = 4;
const frameMs = 16;

async function main(): Promise<void> {
  const chat = new FakeChat('one');
  const transcript = new ChatTranscript(chat.transcript, 'Demo agent');
  let posts = 0;
  const feed = benchFeed(systemClock, () => {
    posts++;
    // A page that shows it at once.
    setImmediate(() => feed.onShown());
  });
  feed.show(chat);
  feed.connectPage();
  posts = 0;

  let told = 0;
  const startMs = performance.now();
  for (const event of answerEvents()) {
    const dueMs = startMs + (told * 1_000) / eventsPerSecond;
    while (performance.now() < dueMs) await new Promise((resolve) => setImmediate(resolve));
    transcript.applyRecord({ type: 'event', at: Date.now(), event });
    told++;
  }
  await new Promise((resolve) => setTimeout(resolve, 2 * frameMs));
  const frames = (performance.now() - startMs) / frameMs;
  feed.dispose();
  chat.transcript.dispose();
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

function* answerEvents(): Generator<SessionEvent> {
  const session_id = 'one';
  yield { event: 'content_block:start', data: { session_id, block_type: 'text', block_index: 0 } };
  for (let at = 1; at < eventsPerSecond * seconds; at++) {
    const delta = at % 40 === 0 ? 'word.\n\n' : 'word ';
    yield { event: 'content_block:delta', data: { session_id, block_index: 0, delta } };
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
