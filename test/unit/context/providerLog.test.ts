import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { nullLogger } from '../../../src/base/common/log';
import { ContextClient } from '../../../src/context/common/contextClient';
import { OutputLineSplitter } from '../../../src/context/node/outputLineSplitter';
import { ProviderFactory } from '../../../src/context/node/providerFactory';
import type { TrafficEntry } from '../../../src/wire/common/traffic';
import { eventually } from '../../support/eventually';
import { FakeClock } from '../../fake/fakeClock';
import { documentOf, listOf, testWorkerLimits, withoutTimeLimit } from './support/contextHarness';
import { buildContextWorker } from './support/contextWorker';
import { serveProvider } from './support/providerServer';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

describe('what the author of a provider sees', () => {
  let worker: Awaited<ReturnType<typeof buildContextWorker>>;
  const ends: (() => void)[] = [];
  before(async () => {
    worker = await buildContextWorker();
  });
  after(() => worker.remove());
  afterEach(() => {
    for (const end of ends.splice(0)) end();
  });

  /** A client of one provider, with its log and its messages. */
  function use(key: string, settings: object | true = true, secret = 'none') {
    const lines: string[] = [];
    const traffic: TrafficEntry[] = [];
    const write = (level: string) => (line: string) => void lines.push(`${level} ${line}`);
    const factory = new ProviderFactory({
      workerFile: worker.file,
      remoteFolder: `${worker.file}.remote`,
      fetch: new OutgoingHttp().fetch,
      clock: new FakeClock(),
      log: nullLogger,
      traffic: { isRecording: true, record: (entry) => void traffic.push(entry) },
      isAllowed: () => false,
      workerLimits: testWorkerLimits,
    });
    const client = new ContextClient({
      clock: new FakeClock(),
      log: nullLogger,
      secrets: { get: () => Promise.resolve(secret) },
      runWithTimeLimit: withoutTimeLimit,
      createProvider: (entry) => factory.create(entry),
      logOf: () => ({ debug: write('debug'), info: write('info'), error: write('error'), dispose: () => undefined }),
    });
    client.setProviders(listOf({ [key]: settings }));
    ends.push(() => client.dispose());
    return { client, lines, traffic };
  }

  async function moduleOf(name: string, source: string): Promise<string> {
    const file = path.join(worker.folder, name);
    await writeFile(file, source);
    return pathToFileURL(file).href;
  }

  it('is what it prints, without the secrets of its settings', async () => {
    const source = `export default {
      capabilities: () => ({}),
      items(_params, { token }) {
        console.log('looking', { with: token });
        console.error('oh dear');
        setTimeout(() => { throw new Error('later ' + token); });
        return [];
      },
    };`;
    const { client, lines } = use(await moduleOf('prints.mjs', source), { token: '${secret:t}' }, 'hunter22');
    await client.requestItems(documentOf('text'));
    await eventually('the lines', () => {
      assert.ok(lines.includes("info looking { with: '•••' }"), lines.join());
      assert.ok(lines.includes('info oh dear'));
      assert.ok(
        lines.some((line) => /^info Not caught: Error: later •••[^]*prints\.mjs:6/.test(line)),
        lines.join(),
      );
    });
    assert.doesNotMatch(lines.join(), /hunter22/);
  });

  it('is where it failed: the file and line in its state, the stack in its log', async () => {
    const source =
      "export default {\n  capabilities: () => ({}),\n  items() {\n    throw new Error('No index');\n  },\n};\n";
    const { client, lines } = use(await moduleOf('my provider.mjs', source));
    await client.requestItems(documentOf('text'));
    assert.equal(client.providerStates[0]?.lastError, 'No index (my provider.mjs:4)');
    assert.ok(
      lines.some((line) => /^error Error: No index\n +at .*my%20provider\.mjs:4:\d+/.test(line)),
      lines.join(),
    );
  });

  for (const [thrown, message] of [
    ['undefined', 'The provider failed with undefined instead of an error'],
    ['null', 'The provider failed with null instead of an error'],
    ["''", "The provider failed with '' instead of an error"],
    ["'just text'", 'just text'],
    ['{ code: 7 }', 'The provider failed with { code: 7 } instead of an error'],
    ['new RangeError()', /^The provider failed with RangeError and no message \(throws\d\.mjs:1\)$/],
    [
      'new Proxy({}, { get() { throw 1; }, ownKeys() { throw 1; } })',
      /^The provider failed with .* instead of an error$/,
    ],
  ] as const) {
    it(`is what it threw, also when that is ${thrown}`, async () => {
      const name = `throws${thrown.length % 10}.mjs`;
      const source = `export default { capabilities: () => ({}), items() { throw ${thrown}; } };`;
      const { client } = use(await moduleOf(name, source));
      await client.requestItems(documentOf('text'));
      const { lastError = '' } = client.providerStates[0] ?? {};
      if (typeof message === 'string') assert.equal(lastError, message);
      else assert.match(lastError, message);
    });
  }

  it('is each message between it and the window', async () => {
    const source = "export default { capabilities: () => ({}), items: () => [{ title: 'x' }] };";
    const inWorker = use(await moduleOf('traffic.mjs', source));
    const server = await serveProvider({ meta: () => ({ name: 'N', annotations: {} }), annotations: () => [] });
    ends.push(() => server.close());
    const overHttp = use(server.url);
    for (const { client } of [inWorker, overHttp]) await client.requestItems(documentOf('text'));
    const told = (entries: readonly TrafficEntry[]): string[] =>
      entries.map(({ direction, method, durationMs: ms, bytes }) => {
        assert.equal(ms === undefined, direction === 'out');
        return `${direction} ${method} ${bytes > 0 ? 'bytes' : 'nothing'}`;
      });
    assert.deepEqual(told(inWorker.traffic), [
      ...['out capabilities nothing', 'in capabilities bytes'],
      ...['out items bytes', 'in items bytes'],
    ]);
    const both = (method: string): string[] => [`out ${method} bytes`, `in ${method} bytes`];
    assert.deepEqual(told(overHttp.traffic), ['capabilities', 'meta', 'annotations'].flatMap(both));
    assert.ok(inWorker.traffic.every(({ protocol, peer }) => protocol === 'context' && peer === 'traffic'));
    server.close();
    await overHttp.client.requestItems(documentOf('more', 2));
    assert.equal(overHttp.traffic.at(-1)?.error, 'ProviderError');
  });
});

describe('lines that a provider prints', () => {
  it('are whole, cut where they are long, and left out where there are too many', () => {
    const clock = new FakeClock();
    const lines: string[] = [];
    const printed = new OutputLineSplitter(clock, (line) => lines.push(line));
    const euro = Buffer.from('€\n');
    printed.write(euro.subarray(0, 1));
    printed.write(euro.subarray(1));
    printed.write(Buffer.from(`${'x'.repeat(5_000)}\r\nrest`));
    assert.deepEqual([lines[0], lines[1]?.length, lines.length], ['€', 2_001, 2]);
    printed.write(Buffer.from('\n'.repeat(2_000)));
    assert.equal(lines.length, 500);
    clock.advance(1_000);
    printed.write(Buffer.from('again\nend'));
    printed.end();
    assert.deepEqual(lines.slice(500), ['(1502 more lines were omitted)', 'again', 'end']);
  });

  it('are counted by the second also when the clock is set', () => {
    const clock = new FakeClock();
    let count = 0;
    const printed = new OutputLineSplitter(clock, () => count++);
    printed.write(Buffer.from('\n'.repeat(500)));
    clock.setForward(3_600_000);
    printed.write(Buffer.from('\n'));
    assert.equal(count, 500);
    clock.setBack(7_200_000);
    clock.advance(1_000);
    printed.write(Buffer.from('\n'));
    // With the line about the one that was left out.
    assert.equal(count, 502);
  });

  it('are kept no longer than a line may be', () => {
    const lines: string[] = [];
    const printed = new OutputLineSplitter(new FakeClock(), (line) => lines.push(line));
    for (let count = 0; count < 100; count++) printed.write(Buffer.from('x'.repeat(1_000)));
    printed.end();
    assert.deepEqual(
      lines.map(({ length }) => length),
      [2_000],
    );
  });
});
