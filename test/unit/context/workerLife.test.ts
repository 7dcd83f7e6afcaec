import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Clock } from '../../../src/base/common/async';
import type { Logger } from '../../../src/base/common/log';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import type { ContextProvider, ItemsParams } from '../../../src/context/common/providers/contextProvider';
import { RequestCancelledError } from '../../../src/context/common/providers/callWithTimeout';
import { ProviderFactory, type ProviderFactoryDeps } from '../../../src/context/node/providerFactory';
import { FakeClock } from '../../fake/fakeClock';
import { documentOf, listOf, realClient, testWorkerLimits, unpacked } from './support/contextHarness';
import { buildContextWorker } from './support/contextWorker';

const signal = new AbortController().signal;
const asking = (content: string): ItemsParams => ({ uri: 'file:///a.ts', version: 1, content });

describe('the worker of a provider', () => {
  let worker: Awaited<ReturnType<typeof buildContextWorker>>;
  let count = 0;
  const opened: { dispose(): void }[] = [];
  before(async () => (worker = await buildContextWorker()));
  after(() => worker.remove());
  afterEach(() => opened.splice(0).forEach((each) => each.dispose()));

  function factoryOf(more: Partial<ProviderFactoryDeps> = {}): ProviderFactory {
    return new ProviderFactory({
      workerFile: worker.file,
      remoteFolder: path.join(worker.folder, 'remote'),
      fetch: () => Promise.reject(new Error('offline')),
      clock: systemClock,
      log: nullLogger,
      isAllowed: () => false,
      workerLimits: testWorkerLimits,
      ...more,
    });
  }

  async function greeted(
    items: string,
    more: Partial<ProviderFactoryDeps> = {},
    settings: unknown = true,
  ): Promise<ContextProvider> {
    const file = path.join(worker.folder, `life${++count}.mjs`);
    await writeFile(file, `export default { capabilities: () => ({}), ${items} };`);
    const [entry] = listOf({ [pathToFileURL(file).href]: settings }).entries;
    if (!entry) throw new Error('There is no provider.');
    const provider = factoryOf(more).create(entry);
    opened.push(provider);
    await provider.capabilities({}, signal);
    return provider;
  }

  const asked = async (provider: ContextProvider, content: string): Promise<string[]> =>
    unpacked(await provider.documentItems(asking(content), {}, signal)).map(({ title }) => title);

  const remembering = `asked: [], async items({ content }) {
    this.asked.push(content);
    await new Promise((resolve) => setTimeout(resolve, 100));
    return [{ title: this.asked.join() }];
  }`;

  it('is not asked what was taken back before its turn', async () => {
    const provider = await greeted(remembering);
    const first = asked(provider, 'first');
    const takenBack = new AbortController();
    const second = provider.documentItems(asking('second'), {}, takenBack.signal);
    const third = asked(provider, 'third');
    takenBack.abort();
    await assert.rejects(second, RequestCancelledError);
    assert.deepEqual([await first, await third], [['first'], ['first,third']]);
    await assert.rejects(provider.documentItems(asking('fourth'), {}, takenBack.signal), RequestCancelledError);
  });

  it('has its time for each question, however long that waited for its turn', async () => {
    const clock: Clock & FakeClock = new FakeClock();
    const provider = await greeted(remembering, { clock, workerLimits: { memoryMib: 64, callMs: 10_000 } });
    const first = asked(provider, 'first');
    const second = asked(provider, 'second');
    clock.advance(7_000);
    await first;
    clock.advance(7_000);
    assert.deepEqual(await second, ['first,second']);
  });

  it('is not watched while nobody is asked, also when it is its provider’s own', async () => {
    for (const settings of [true, { key: '${secret:key}' }]) {
      const clock: Clock & FakeClock = new FakeClock();
      await greeted('items: () => []', { clock }, settings);
      clock.advance(1_000);
      assert.equal(clock.pending, 1, 'only the timer that ends an idle worker');
    }
  });

  it('ends when its buffers are too large, also those of earlier questions', async () => {
    const provider = await greeted(
      'kept: [], items() { this.kept.push(Buffer.alloc(40 * 1024 * 1024, 1)); return [{ title: String(this.kept.length) }]; }',
    );
    assert.deepEqual(await asked(provider, 'one'), ['1']);
    await assert.rejects(asked(provider, 'two'), /more than 64 MiB of memory/);
    assert.deepEqual(await asked(provider, 'three'), ['1'], 'a new one');
  });

  it('reports that something was not caught, but not what: it may be a secret', async () => {
    const lines: string[] = [];
    const keep = (message: string, error?: unknown): void => void lines.push(`${message} ${String(error)}`);
    const log: Logger = { ...nullLogger, debug: keep, info: keep, warn: keep, error: keep };
    const provider = await greeted(
      `async items() {
        void Promise.reject(new Error('s3cret'));
        setTimeout(() => { throw new Error('s3cret'); });
        await new Promise((resolve) => setTimeout(resolve, 50));
        return [];
      }`,
      { log },
    );
    await asked(provider, 'text');
    assert.equal(lines.filter((line) => line.includes('did not catch an error')).length, 2);
    assert.doesNotMatch(lines.join('\n'), /s3cret/);
  });

  it('of code from elsewhere ends when the user takes the word for it back', async () => {
    const code = `export default { capabilities: () => ({}), items: () => [{ title: 'x' }] };`;
    const integrity = `sha384-${createHash('sha384').update(code).digest('base64')}`;
    let isAllowed = true;
    const factory = factoryOf({ fetch: () => Promise.resolve(new Response(code)), isAllowed: () => isAllowed });
    const url = 'https://example.com/p.mjs';
    const client = realClient(factory, { [url]: { integrity } });
    opened.push(client);
    const statusNow = async (): Promise<unknown> => {
      await client.requestItems(documentOf('text'));
      return client.providerStates[0]?.status;
    };
    assert.equal(await statusNow(), 'ready');
    isAllowed = false;
    client.retry(url);
    assert.equal(await statusNow(), 'needsConsent');
  });
});
