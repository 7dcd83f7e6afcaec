import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { BackendSession } from '../src/session/common/sessionBackend';
import { FakeEditor } from '../test/fake/fakeEditor';
import { benchAgent } from './lib/benchAgent';
import { median, printBenchLine } from './lib/benchLine';
import { runUpdateAgent, sharedTime, writePaced } from './lib/updateAgent';
import { longestBlock } from './support/blocks';

/**
 * `acp.update`: from the agent's write of a `session/update` to the event in the hands of a reader, against the arrival
 * of the same bytes at a bare pipe. `acp.flood`: the longest time for which 100,000 updates at once keep the event loop
 * from anybody else.
 */
const rounds = 7;
const updatesPerRound = 300;
const updateBar = 1.25;
const floodUpdates = 100_000;
const floodRounds = 3;
const floodBarMs = 20;

const role = process.argv[2];
if (role === 'agent') runUpdateAgent();
else if (role === 'pipe') void writePaced(updatesPerRound);
else void main();

async function main(): Promise<void> {
  const backend = benchAgent(new FakeEditor({}, [process.cwd()]));
  const session = await backend.createSession({ cwd: process.cwd() });
  const turns = new Turns(session);
  await benchUpdates(turns);
  await benchFlood(turns);
  await session.close();
  await backend.stop();
  backend.dispose();
}

async function benchUpdates(turns: Turns): Promise<void> {
  const ours: number[] = [];
  const theirs: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const [event, pipe] = [await eventLatency(turns), await pipeLatency()];
    if (round < 0) continue;
    ours.push(event);
    theirs.push(pipe);
  }
  const peer = { name: 'bare pipe', value: median(theirs) };
  printBenchLine({ bench: 'acp.update', value: median(ours), unit: 'µs', peer, bar: updateBar, better: 'lower' });
}

async function benchFlood(turns: Turns): Promise<void> {
  const blocks: number[] = [];
  for (let round = 0; round < floodRounds; round++)
    blocks.push(await longestBlock(() => turns.run(`flood ${floodUpdates}`)));
  printBenchLine({ bench: 'acp.flood', value: median(blocks), unit: 'ms', bar: floodBarMs, better: 'lower' });
}

/** The median, in microseconds. */
async function eventLatency(turns: Turns): Promise<number> {
  const times: number[] = [];
  await turns.run(`paced ${updatesPerRound}`, (delta) => times.push(microsecondsSince(delta)));
  return median(times);
}

async function pipeLatency(): Promise<number> {
  const child = spawn(process.execPath, [__filename, 'pipe'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const times: number[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    const arrived = sharedTime();
    const written = /"text":"(\d+) "/.exec(chunk.toString())?.[1];
    if (written !== undefined) times.push(Number(arrived - BigInt(written)) / 1_000);
  });
  await once(child, 'close');
  return median(times);
}

/** Turns of one session, one after another, each read from its own beginning. */
class Turns {
  private lastSequence = 0;

  constructor(private readonly session: BackendSession) {}

  async run(text: string, onDelta: (delta: string) => void = () => undefined): Promise<void> {
    await this.session.sendPrompt({ text });
    for await (const { sequence, event } of this.session.events({ afterSequence: this.lastSequence })) {
      this.lastSequence = sequence;
      if (event.event === 'content_block:delta') onDelta(event.data.delta);
      if (event.event === 'error') throw new Error(event.data.error);
      if (event.event === 'prompt:complete') return;
    }
  }
}

function microsecondsSince(time: string): number {
  return Number(sharedTime() - BigInt(time.trim())) / 1_000;
}
