// Events a second through the whole Amplifier client beside the least that could read them. Run by `npm run bench -- amplifierSse`.
import * as z from 'zod';
import { deltaText, runAmplifierBenchServer } from './lib/amplifierBenchServer';
import { bareParser, wholeClient, type TurnRunner } from './lib/amplifierSubjects';
import { median, printBenchLine } from './lib/benchLine';
import { BenchChild } from './lib/child';

const deltas = 400_000;
const rounds = 7;
const Started = z.object({ port: z.number() });

async function main(): Promise<void> {
  const [subject, peer] = [await begin(wholeClient), await begin(bareParser)];
  const rates = { subject: [] as number[], peer: [] as number[] };
  // The first round warms both up.
  for (let round = 0; round <= rounds; round++) {
    const [subjectRate, peerRate] = [await measure(subject.runner), await measure(peer.runner)];
    if (round === 0) continue;
    rates.subject.push(subjectRate);
    rates.peer.push(peerRate);
  }
  printBenchLine({
    bench: 'amplifier.sse',
    value: median(rates.subject),
    unit: 'events/s',
    peer: { name: 'eventsource-parser + JSON.parse', value: median(rates.peer) },
    bar: 0.8,
    better: 'higher',
  });
  await subject.end();
  await peer.end();
}

async function begin(open: (url: URL) => Promise<TurnRunner>) {
  const server = new BenchChild('server');
  const { port } = Started.parse(await server.next());
  const runner = await open(new URL(`http://127.0.0.1:${port}`));
  const end = async (): Promise<void> => {
    runner.dispose();
    await server.stop();
  };
  return { runner, end };
}

async function measure(runner: TurnRunner): Promise<number> {
  let length = 0;
  const startedAt = performance.now();
  await runner.run({ deltas, intervalMs: 0 }, (text) => {
    length += text.length;
  });
  const seconds = (performance.now() - startedAt) / 1000;
  if (length !== deltas * deltaText.length) throw new Error('The text of some deltas did not arrive.');
  return deltas / seconds;
}

(process.argv[2] === 'server' ? runAmplifierBenchServer() : main()).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
