import type { BackendSession } from '../src/session/common/sessionBackend';
import { FakeEditor } from '../test/fake/fakeEditor';
import { benchAgent } from './lib/benchAgent';
import { median, printBenchLine } from './lib/benchLine';
import { runUpdateAgent } from './lib/updateAgent';
import { longestBlock } from './support/blocks';

/** `acp.flood`: the longest time for which 100,000 updates at once keep the event loop from anybody else. */
const floodUpdates = 100_000;
const floodRounds = 3;
const floodBarMs = 20;

const role = process.argv[2];
if (role === 'agent') runUpdateAgent();
else void main();

async function main(): Promise<void> {
  const backend = benchAgent(new FakeEditor({}, [process.cwd()]));
  const session = await backend.createSession({ cwd: process.cwd() });
  const turns = new Turns(session);
  await benchFlood(turns);
  await session.close();
  await backend.stop();
  backend.dispose();
}

async function benchFlood(turns: Turns): Promise<void> {
  const blocks: number[] = [];
  for (let round = 0; round < floodRounds; round++)
    blocks.push(await longestBlock(() => turns.run(`flood ${floodUpdates}`)));
  printBenchLine({ bench: 'acp.flood', value: median(blocks), unit: 'ms', bar: floodBarMs, better: 'lower' });
}

/** Turns of one session, one after another, each read from its own beginning. */
class Turns {
  private lastSequence = 0;

  constructor(private readonly session: BackendSession) {}

  async run(text: string): Promise<void> {
    await this.session.sendPrompt({ text });
    for await (const { sequence, event } of this.session.events({ afterSequence: this.lastSequence })) {
      this.lastSequence = sequence;
      if (event.event === 'error') throw new Error(event.data.error);
      if (event.event === 'prompt:complete') return;
    }
  }
}
