import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContextClient } from '../../../src/context/common/contextClient';
import type { ContextItem } from '../../../src/context/common/items/contextItem';
import { FakeClock } from '../../fake/fakeClock';
import { until } from '../../support/eventually';
import {
  answerWithoutLast,
  documentOf,
  factoryOf,
  realClient,
  tellThatItRuns,
  testWorkerLimits,
  titles,
} from './support/contextHarness';
import { buildContextWorker } from './support/contextWorker';

/** Its item says in which worker it runs, and how often it was asked there. */
const counting = `import { threadId } from 'node:worker_threads';
let count = 0;
export default { capabilities: () => ({}), items: () => [{ title: threadId + ' ' + ++count }] };`;

/** `what` runs when the text is "now". */
const bad = (what: string): string => `import { threadId } from 'node:worker_threads';
export default {
  kept: [],
  capabilities: () => ({}),
  async items({ content }) {
    if (content === 'now') { ${what} }
    return [{ title: threadId + ' bad' }];
  },
};`;

describe('providers that share a worker', () => {
  let worker: Awaited<ReturnType<typeof buildContextWorker>>;
  let client: ContextClient;
  let clock: FakeClock;
  let folder: string;
  let count = 0;
  before(async () => (worker = await buildContextWorker()));
  after(() => worker.remove());
  afterEach(() => client.dispose());

  async function write(name: string, text: string): Promise<string> {
    const file = path.join(worker.folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    return pathToFileURL(file).href;
  }

  /** Two that count, and others between them. */
  async function open(others: readonly string[]): Promise<string[]> {
    folder = `shared ${++count}`;
    clock = new FakeClock();
    const sources = [counting, ...others, counting];
    const urls = await Promise.all(sources.map((text, index) => write(`${folder}/p${index}.mjs`, text)));
    client = realClient(
      factoryOf(worker.file, testWorkerLimits, clock),
      Object.fromEntries(urls.map((url) => [url, true])),
    );
    return urls;
  }

  let version = 0;
  const ask = async (text = ''): Promise<string[]> => titles(await items(text));
  const items = async (text: string): Promise<Iterable<ContextItem>> =>
    (await client.requestItems(documentOf(text, ++version), { reason: 'explicit' })).items;
  /** The numbers of the workers, counted from the first one that is named. */
  const workersOf = (found: readonly string[]): number[] => {
    const ids = found.map((title) => title.split(' ')[0]);
    const known = [...new Set(ids)];
    return ids.map((id) => known.indexOf(id));
  };
  const stateOf = (index: number) => client.providerStates[index];
  const fileOf = (name: string): string => path.join(worker.folder, folder, name);
  /** Longer than a module may take that is loaded in a shared worker, and shorter than a call may. */
  const blockedMs = 2_000;
  /** Once the bad one runs, it blocks the worker of all. */
  async function blockAll(): Promise<void> {
    await until('the bad one', () => existsSync(fileOf('runs')));
    clock.advance(blockedMs);
  }
  /** Without the bad one, whose time ends when the others have answered. */
  const withoutBad = (asked: Promise<string[]>): Promise<string[]> =>
    answerWithoutLast(client, asked, () => clock.advance(testWorkerLimits.callMs));

  it('are all in one, and keep their state', async () => {
    await open([counting, counting]);
    assert.deepEqual(workersOf(await ask()), [0, 0, 0, 0]);
    const again = await ask();
    assert.deepEqual(workersOf(again), [0, 0, 0, 0]);
    assert.ok(
      again.every((title) => title.endsWith(' 2')),
      again.join(),
    );
  });

  for (const [says, source, isLoaded] of [
    ['never ends', bad(`${tellThatItRuns} for (;;);`), true],
    [
      'never ends after a while',
      bad(`await new Promise((done) => setTimeout(done, 1)); ${tellThatItRuns} for (;;);`),
      true,
    ],
    ['never ends when it is loaded', `${tellThatItRuns} for (;;);\n${counting}`, false],
    ['is never loaded', `${tellThatItRuns} await new Promise(() => setInterval(() => {}, 999));\n${counting}`, false],
  ] as const) {
    it(`go on in workers of their own, without one that ${says}`, async () => {
      await open([source]);
      if (isLoaded) await ask('first');
      const asked = ask('now');
      await blockAll();
      const found = await withoutBad(asked);
      assert.equal(found.length, 2, found.join());
      assert.match(stateOf(1)?.lastError ?? '', /did not answer within 45 s/);
      assert.deepEqual([stateOf(0)?.status, stateOf(2)?.status], ['ready', 'ready']);
      const after = await (isLoaded ? ask('after') : withoutBad(ask('after')));
      assert.deepEqual(workersOf([after[0] ?? '', after.at(-1) ?? '']), [0, 1], after.join());
      for (const { notes } of client.providerStates) assert.match(notes.join(), /runs in its own worker, because/);
    });
  }

  it('are asked again at once, each alone, when one only takes long', async () => {
    const goesOn = `process.getBuiltinModule('node:fs').existsSync(new URL('go on', import.meta.url))`;
    await open([bad(`${tellThatItRuns} while (!${goesOn});`)]);
    await ask('first');
    const asked = ask('now');
    await blockAll();
    await writeFile(fileOf('go on'), '');
    const found = await asked;
    assert.deepEqual(workersOf(found), [0, 1, 2]);
    for (const { notes, status } of client.providerStates)
      assert.deepEqual([status, notes.length], ['ready', 1], notes.join());
    assert.deepEqual(workersOf([...found, ...(await ask('after'))]), [0, 1, 2, 0, 1, 2]);
  });

  for (const [says, source, error, note] of [
    ['never answers', bad('await new Promise(() => {});'), /within 45 s/, /did not answer in time/],
    ['exits', bad('process.exit(3);'), /exited \(code 3\)/, /stopped/],
    [
      'exits in a timer',
      bad('setTimeout(() => process.exit(3)); await new Promise(() => {});'),
      /exited \(code 3\)/,
      /stopped/,
    ],
    [
      'uses too much memory',
      bad('for (;;) this.kept.push(new Array(1e5).fill({}));'),
      /more than 64 MiB of memory/,
      /used too much memory/,
    ],
    [
      'keeps too large buffers',
      bad('this.kept.push(Buffer.alloc(80 * 1024 * 1024));'),
      /more than 64 MiB of memory/,
      /used too much memory/,
    ],
  ] as const) {
    it(`lose one only for a moment that ${says}, and each is then alone`, async () => {
      await open([source]);
      await ask('first');
      const found = await (error.source.includes('within') ? withoutBad(ask('now')) : ask('now'));
      assert.equal(found.length, 2, found.join());
      assert.match(stateOf(1)?.lastError ?? '', error);
      assert.match(stateOf(1)?.notes.join() ?? '', note);
      const after = await ask('after');
      assert.deepEqual(workersOf(after), [0, 1, 2], after.join());
    });
  }

  it('are not joined by one that is given secrets', async () => {
    const urls = await open([]);
    const secret = await write(`secret ${++count}/p.mjs`, counting);
    client.dispose();
    const settings = { [urls[0] ?? '']: true, [secret]: { token: '${secret:t}' }, [urls[1] ?? '']: true };
    client = realClient(factoryOf(worker.file), settings, { t: 'x' });
    assert.deepEqual(workersOf(await ask()), [0, 1, 0]);
    assert.deepEqual(stateOf(1)?.notes, []);
  });

  it('go on when the module of one cannot be loaded', async () => {
    await open(['throw new Error("at import");']);
    const first = await ask();
    const second = await ask();
    assert.deepEqual([...workersOf([...first, ...second])], [0, 0, 0, 0]);
    assert.ok(
      second.every((title) => title.endsWith(' 2')),
      second.join(),
    );
    assert.match(stateOf(1)?.lastError ?? '', /at import/);
  });

  it('have none of their code running when one is removed', async () => {
    const urls = await open([bad('')]);
    const before = await ask();
    client.retry(urls[1] ?? '');
    const after = await ask();
    assert.equal(new Set([...before, ...after].map((title) => title.split(' ')[0])).size, 2);
  });
});
