import * as assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FakeEditor } from '../fake/fakeEditor';
import { AmpHarness } from '../unit/amp/node/support/ampHarness';
import type { AmpTestClient } from '../unit/amp/node/support/ampTestClient';

const mebibyte = 1024 * 1024;
const rounds = 60;

/** Bytes in use, on the heap and beside it, after everything that can be collected was. */
async function memoryInUse(): Promise<number> {
  await delay(50);
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe('the Amp server over a long day', () => {
  let harness: AmpHarness;
  let editor: FakeEditor;

  beforeEach(async () => {
    editor = new FakeEditor({ '/ws/a.ts': 'hello', '/ws/large.ts': 'é'.repeat(mebibyte) });
    harness = await AmpHarness.start(editor);
  });

  afterEach(() => harness.close());

  it('gives back the memory of every client, however it went', async () => {
    await round(0);
    const before = await memoryInUse();
    for (let i = 1; i <= rounds; i++) await round(i);
    while (harness.server.clients.length > 0) await delay(5);
    const growth = (await memoryInUse()) - before;
    assert.ok(growth < 16 * mebibyte, `${Math.round(growth / mebibyte)} MiB more after ${rounds} rounds`);
  });

  async function round(number: number): Promise<void> {
    const clients = await Promise.all(Array.from({ length: 10 }, () => harness.connect()));
    await Promise.all(clients.map((client, i) => busy(client, i)));
    editor.select('/ws/a.ts', {
      start: { line: number, character: 0 },
      end: { line: number, character: 0 },
      text: '',
    });
    for (const [i, client] of clients.entries()) {
      if (i % 2) client.terminate();
      else client.socket.close();
    }
    await Promise.all(clients.map(({ closed }) => closed));
    harness.forgetClients();
  }

  async function busy(client: AmpTestClient, i: number): Promise<void> {
    const path = i === 0 ? 'large.ts' : 'a.ts';
    for (let n = 0; n < 20; n++) await client.ask('readFile', { path });
    client.sendText('{');
    await client.ask('editFile', { path: `new${i}.ts`, fullContent: String(Math.random()) });
  }
});
