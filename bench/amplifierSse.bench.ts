// Events a second through the whole Amplifier client beside the least that could read them. Run by `npm run bench -- amplifierSse`.
import { deltaText, runAmplifierBenchServer } from './lib/amplifier/amplifierBenchServer';
import { bareParser, wholeClient, type TurnRunner } from './lib/amplifier/amplifierSubjects';
import { median, printBenchLine } from './lib/benchLine';
import { overServer } from './lib/amplifier/overServer';

const deltas = 400_000;
const rounds = 7;

async function main(): Promise<void> {
  const [subject, peer] = [await overServer(wholeClient), await overServer(bareParser)];
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
    bar: 0.9,
    better: 'higher',
  });
  await subject.end();
  await peer.end();
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
