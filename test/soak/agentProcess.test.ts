import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../src/base/common/log';
import { systemClock } from '../../src/base/node/systemClock';
import { startAgentProcess } from '../../src/acp/node/process/agentProcess';
import { isProcessTreeAlive } from '../support/isProcessTreeAlive';

const script = path.resolve('test/fixtures/agents/misbehaving.mjs');
const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => !!entry[1]));

/** What keeps a process from ending, by kind. */
function handles(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

async function cycle(fault: string): Promise<void> {
  const command = { command: process.execPath, args: [script, fault], env, cwd: tmpdir() };
  const agent = await startAgentProcess(command, { clock: systemClock, log: nullLogger, graceMs: 1_000 });
  await new Promise((resolve) => {
    agent.stream.onDidClose(resolve);
    agent.stream.onMessage(resolve);
  });
  await agent.stop();
  assert.equal(isProcessTreeAlive(agent.pid), false);
}

describe('agent processes', () => {
  it('leave no handles and no listeners behind in 500 starts and stops', async () => {
    const faults = ['none', 'none', 'none', 'crash', 'halfALine'];
    for (let count = 0; count < 10; count++) await cycle(faults[count % faults.length] ?? 'none');
    const handlesBefore = handles();
    const listenersBefore = process.eventNames().map((name) => process.listenerCount(name));
    for (let count = 0; count < 500; count++) await cycle(faults[count % faults.length] ?? 'none');
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(handles(), handlesBefore);
    assert.deepEqual(
      process.eventNames().map((name) => process.listenerCount(name)),
      listenersBefore,
    );
  });
});
