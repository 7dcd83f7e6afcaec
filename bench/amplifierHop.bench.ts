// A delta from the server's write to the client's event beside a bare node:http stream. Run by `npm run bench -- amplifierHop`.
import * as z from 'zod';
import { machineMs, runAmplifierBenchServer } from './lib/amplifierBenchServer';
import { bareStream, wholeClient, type TurnRunner } from './lib/amplifierSubjects';
import { median, printBenchLine } from './lib/benchLine';
import { BenchChild } from './lib/child';

const rounds = 9;
const turn = { deltas: 400, intervalMs: 2 };
const Started = z.object({ port: z.number() });

async function main(): Promise<void> {
  const [subject, peer] = [await begin(wholeClient), await begin(bareStream)];
  const hops = { subject: [] as number[], peer: [] as number[] };
  // The first round warms both up.
  for (let round = 0; round <= rounds; round++) {
    const [subjectMs, peerMs] = [await measure(subject.runner), await measure(peer.runner)];
    if (round === 0) continue;
    hops.subject.push(subjectMs);
    hops.peer.push(peerMs);
  }
  printBenchLine({
    bench: 'amplifier.hop',
    value: median(hops.subject),
    unit: 'ms',
    peer: { name: 'node:http stream', value: median(hops.peer) },
    bar: 1.5,
    better: 'lower',
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

/** The median, in milliseconds, of the hops of one turn. */
async function measure(runner: TurnRunner): Promise<number> {
  const hops: number[] = [];
  await runner.run(turn, (writtenAt) => hops.push(machineMs() - Number(writtenAt)));
  return median(hops);
}

(process.argv[2] === 'server' ? runAmplifierBenchServer() : main()).catch((error: unknown) => {
  console.error(error);
  process.exit(1);
});
