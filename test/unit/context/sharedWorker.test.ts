import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContextClient } from '../../../src/context/common/contextClient';
import type { ContextItem } from '../../../src/context/common/items/contextItem';
import type { WorkerLimits } from '../../../src/context/node/workers/workerThread';
import {
  documentOf,
  factoryOf,
  impatientLimits,
  listOf,
  realClient,
  testWorkerLimits,
  titles,
} from './support/contextHarness';
import { buildContextWorker } from './support/contextWorker';
import { until } from '../../support/eventually';

/** Its item says in which worker it runs, and how often it was asked there. */
const counting = `import { threadId } from 'node:worker_threads';
let count = 0;
export default { capabilities: () => ({}), items: () => [{ title: threadId + ' ' + ++count }] };`;

/** `what` runs when the text is "now". */
const bad = (what: string, first = ''): string => `import { threadId } from 'node:worker_threads';
${first}
export default {
  kept: [],
  capabilities: () => ({}),
  async items({ content }) {
    if (content === 'now' && !globalThis.wasBad) { ${what} }
    return [{ title: threadId + ' bad' }];
  },
};`;

describe('providers that share a worker', () => {
  let worker: Awaited<ReturnType<typeof buildContextWorker>>;
  let client: ContextClient;
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
  async function open(others: readonly string[], limits: WorkerLimits = testWorkerLimits): Promise<string[]> {
    const folder = `shared ${++count}`;
    const sources = [counting, ...others, counting];
    const urls = await Promise.all(sources.map((text, index) => write(`${folder}/p${index}.mjs`, text)));
    client = realClient(factoryOf(worker.file, limits), Object.fromEntries(urls.map((url) => [url, true])));
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

  for (const [says, source] of [
    ['never ends', bad('for (;;);')],
    ['never ends after a while', bad('await new Promise((done) => setTimeout(done, 1)); for (;;);')],
    ['never ends when it is loaded', `for (;;);\n${counting}`],
    ['is never loaded', `await new Promise(() => setInterval(() => {}, 999));\n${counting}`],
  ] as const) {
    it(`lose only for a moment one that ${says}, which then fails alone`, async () => {
      await open([source], impatientLimits);
      await ask('first');
      const found = await ask('now');
      assert.equal(found.length, 2, found.join());
      assert.equal(new Set(workersOf(found)).size, 1);
      assert.match(stateOf(1)?.lastError ?? '', /did not answer within 3 s/);
      assert.match(stateOf(1)?.notes.join() ?? '', /runs separately from the other providers, because it blocked them/);
      assert.deepEqual([stateOf(0)?.status, stateOf(2)?.status], ['ready', 'ready']);
      const after = await ask('after');
      assert.equal(new Set(workersOf([after[0] ?? '', after.at(-1) ?? ''])).size, 1);
    });
  }

  it('are asked again at once when one only takes long, which answers alone', async () => {
    await open([bad('const end = Date.now() + 1_000; while (Date.now() < end);')]);
    await ask('first');
    const found = await ask('now');
    assert.deepEqual(workersOf(found), [0, 1, 0]);
    assert.equal(stateOf(1)?.status, 'ready');
    assert.match(stateOf(1)?.notes.join() ?? '', /because it blocked them/);
    assert.deepEqual(workersOf(await ask('after')), [0, 1, 0]);
  });

  for (const [says, source, error, note] of [
    ['never answers', bad('await new Promise(() => {});'), /within 3 s/, /did not answer in time/],
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
      // Whatever is noticed first.
      /used too much memory|blocked them/,
    ],
    [
      'keeps too large buffers',
      // Not filled, because that takes so long on some machines that it blocks the others.
      bad('this.kept.push(Buffer.alloc(80 * 1024 * 1024));'),
      /more than 64 MiB of memory/,
      /used too much memory/,
    ],
  ] as const) {
    it(`lose only for a moment one that ${says}`, async () => {
      await open([source], error.source.includes('within') ? impatientLimits : testWorkerLimits);
      await ask('first');
      const found = await ask('now');
      assert.equal(found.length, 2, found.join());
      assert.match(stateOf(1)?.lastError ?? '', error);
      assert.match(stateOf(1)?.notes.join() ?? '', note);
      assert.deepEqual([stateOf(0)?.notes, stateOf(2)?.notes], [[], []]);
      const after = await ask('after');
      assert.deepEqual(workersOf(after), [0, 1, 0], after.join());
    });
  }

  for (const [says, source] of [
    ['replaces a standard function', bad('Array.prototype.map = () => { throw new Error("not yours"); };')],
    ['replaces one when it is loaded', bad('', 'JSON.stringify = () => "mine";')],
    ['adds to what all use', bad('Object.prototype.mine = 1;')],
    ['adds a global name', bad('globalThis.mine = 1;')],
    ['changes the environment', bad('process.env.MINE = "1";')],
  ] as const) {
    it(`do not see what one changed that ${says}`, async () => {
      const seeing = `import { threadId } from 'node:worker_threads';
const isChanged = () => [1].map((each) => each)[0] !== 1 || JSON.stringify({}) !== '{}' || 'mine' in globalThis || 'mine' in {} || 'MINE' in process.env;
export default { capabilities: () => ({}), items: () => [{ title: threadId + (isChanged() ? ' changed' : ' same') }] };`;
      await open([source, seeing]);
      await ask('first');
      // The first may have answered before the worker ended.
      const [, ...now] = await ask('now');
      assert.deepEqual(workersOf(now), [0, 1, 1], now.join());
      const after = await ask('after');
      assert.deepEqual(workersOf(after), [0, 1, 0, 0], after.join());
      for (const found of [now[1], after[2]]) assert.ok(found?.endsWith(' same'), found);
      assert.match(stateOf(1)?.notes.join() ?? '', /changed global objects/);
    });
  }

  it('do not see what one has changed while it was alone', async () => {
    const seeing = `import { threadId } from 'node:worker_threads';
export default { capabilities: () => ({}), items: () => [{ title: threadId + ('mine' in globalThis ? ' changed' : ' same') }] };`;
    const [, first = '', second = ''] = await open([bad('globalThis.mine = 1;'), seeing]);
    const use = (...urls: readonly string[]): void =>
      client.setProviders(listOf(Object.fromEntries(urls.map((url) => [url, true]))));
    use(first);
    // It was checked a moment before.
    await ask('first');
    await ask('now');
    use(first, second);
    const found = await ask('with another');
    assert.equal(found[1]?.split(' ')[1], 'same');
    const after = await ask('after');
    assert.deepEqual(workersOf(after), [0, 1], after.join());
    assert.match(stateOf(0)?.notes.join() ?? '', /changed global objects/);
  });

  for (const extension of ['mjs', 'cjs'] as const) {
    it(`do not share the state of a file that two load: ${extension}`, async () => {
      const folder = `lib ${++count}`;
      const [lib, importing] =
        extension === 'mjs'
          ? ['export const state = { users: 0 };', `import { state } from './lib.mjs';`]
          : [
              'exports.state = { users: 0 };',
              `import { createRequire } from 'node:module'; const { state } = createRequire(import.meta.url)('./lib.cjs');`,
            ];
      await write(`${folder}/lib.${extension}`, lib);
      const using = `${importing}\nimport { threadId } from 'node:worker_threads';
state.users++;
export default { capabilities: () => ({}), items: () => [{ title: threadId + ' ' + state.users }] };`;
      const urls = [await write(`${folder}/a.mjs`, using), await write(`${folder}/b.mjs`, using)];
      client = realClient(factoryOf(worker.file), Object.fromEntries(urls.map((url) => [url, true])));
      const found = await ask();
      assert.deepEqual(
        [workersOf(found), found.map((title) => title.split(' ')[1])],
        [
          [0, 1],
          ['1', '1'],
        ],
      );
      assert.match(stateOf(1)?.notes.join() ?? '', /loads the same files as another provider/);
    });
  }

  /** Runs for this long if the text is "much". */
  const slow = (ms: number, async = ''): string => `import { threadId } from 'node:worker_threads';
let count = 0;
export default {
  capabilities: () => ({}),
  ${async} items({ content }) {
    const end = performance.now() + (content === 'much' ? ${ms} : 0);
    while (performance.now() < end);
    return [{ title: threadId + ' ' + ++count }];
  },
};`;

  for (const [says, sources] of [
    ['', [slow(3), slow(3)]],
    [', if they answer with promises', [slow(3, 'async'), slow(3, 'async'), slow(3, 'async')]],
    [', if some answer with promises', [slow(3), slow(3, 'async')]],
    [', if their answers are sent in several messages', [slow(12), slow(12)]],
  ] as const) {
    it(`get a second worker only if one has much to do for many questions${says}`, async () => {
      await open(sources);
      const one = (found: readonly string[]): void => assert.deepEqual(new Set(workersOf(found)), new Set([0]));
      for (let question = 1; question <= 2; question++) one(await ask('little'));
      for (let question = 1; question <= 8; question++) one(await ask('much'));
      for (let question = 1; question <= 2; question++) one(await ask('little'));
      for (let question = 1; question <= 8; question++) one(await ask('much'));
      await until('there are two', async () => new Set(workersOf(await ask('much'))).size === 2);
      const found = await ask('much');
      const [, first, ...others] = workersOf(found).slice(0, -1);
      assert.ok(
        others.some((other) => other !== first),
        found.join(),
      );
      assert.ok(
        found.every((title) => Number(title.split(' ')[1]) > 1),
        found.join(),
      );
      for (const { status, notes } of client.providerStates) assert.deepEqual([status, notes], ['ready', []]);
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
