// A delta from the server's write to the client's event beside a bare node:http stream. Run by `npm run bench -- amplifierHop`.
import { machineMs, runAmplifierBenchServer } from './lib/amplifier/amplifierBenchServer';
import { bareStream, wholeClient, type TurnRunner } from './lib/amplifier/amplifierSubjects';
import { median, printBenchLine } from './lib/benchLine';
import { overServer } from './lib/amplifier/overServer';

const rounds = 9;
const turn = { deltas: 400, intervalMs: 2 };

async function main(): Promise<void> {
  const [subject, peer] = [await overServer(wholeClient), await overServer(bareStream)];
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
    bar: 1.3,
    better: 'lower',
  });
  await subject.end();
  await peer.end();
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
