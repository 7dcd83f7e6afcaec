// What 50 subscribers of one session get beside what one gets, times 50. Run by `npm run bench -- amplifierFanout`.
import * as z from 'zod';
import { printBenchLine } from './lib/benchLine';
import { BenchChild } from './lib/child';
import { runFanoutReaders } from './lib/amplifier/fanoutReaders';
import { runFanoutServer } from './lib/amplifier/fanoutServer';
import { runUpdateAgent } from './lib/updateAgent';

const rounds = 7;
const updates = 50_000;
const subscribers = 50;
const Started = z.object({ port: z.number() });
const Opened = z.object({ open: z.number() });
const Read = z.object({ bytes: z.array(z.number()) });
const Created = z.object({ session_id: z.string() });

async function main(): Promise<void> {
  const server = new BenchChild('server');
  const { port } = Started.parse(await server.next());
  const readers = new BenchChild('readers');
  const many: number[] = [];
  const one: number[] = [];
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    const [single, fanned] = [await deliver(port, readers, 1), await deliver(port, readers, subscribers)];
    if (round === 0) continue;
    one.push(single);
    many.push(fanned);
  }
  printBenchLine({
    bench: 'amplifier.fanout',
    // Four processes share the processors with all else that runs: the best round of each is the least disturbed.
    value: Math.max(...many),
    unit: 'events/s',
    peer: { name: `one subscriber times ${subscribers}`, value: Math.max(...one) * subscribers },
    bar: 0.6,
    better: 'higher',
  });
  await readers.stop();
  await server.stop();
}

/** One turn of an agent that says as much as it can; the events that all subscribers together get in a second. */
async function deliver(port: number, readers: BenchChild, count: number): Promise<number> {
  const { session_id: sessionId } = Created.parse(await post(port, '/sessions', { profile: 'dev' }));
  readers.send({ port, sessionId, count });
  Opened.parse(await readers.next());
  const startedAt = performance.now();
  await post(port, `/sessions/${sessionId}/prompt`, { prompt: `flood ${updates} token` });
  const { bytes } = Read.parse(await readers.next());
  const seconds = (performance.now() - startedAt) / 1000;
  const [first = 0] = bytes;
  if (first < updates * 100 || bytes.some((total) => Math.abs(total - first) > 64 * 1024)) {
    throw new Error(`Not all subscribers got everything: ${bytes.join(', ')} bytes.`);
  }
  await fetch(`http://127.0.0.1:${port}/sessions/${sessionId}`, { method: 'DELETE' });
  return (updates * count) / seconds;
}

async function post(port: number, path: string, body: object): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
  return await answer.json();
}

const roles: Readonly<Record<string, () => void | Promise<void>>> = {
  agent: runUpdateAgent,
  server: runFanoutServer,
  readers: runFanoutReaders,
};
Promise.resolve((roles[process.argv[2] ?? ''] ?? main)()).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
