import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContextClient } from '../../../src/context/common/contextClient';
import type { ProviderEntry } from '../../../src/context/common/providers/providerSettings';
import { listProviders } from '../../../src/context/common/providers/providerSettings';
import {
  answerWithoutLast,
  tellThatItRuns,
  testWorkerLimits,
  documentOf,
  factoryOf,
  listOf,
  realClient,
  titles,
} from './support/contextHarness';
import { systemClock } from '../../../src/base/node/systemClock';
import { FakeClock } from '../../fake/fakeClock';
import { eventually } from '../../support/eventually';
import { buildContextWorker } from './support/contextWorker';
import { turns } from '../../support/turns';
import { until } from '../../support/eventually';

const good = (title: string): string =>
  `export default { capabilities: () => ({}), items: () => [{ title: ${JSON.stringify(title)} }] };\n`;

describe('a JavaScript provider', () => {
  let worker: Awaited<ReturnType<typeof buildContextWorker>>;
  let client: ContextClient | undefined;
  let count = 0;
  before(async () => (worker = await buildContextWorker()));
  after(() => worker.remove());
  afterEach(() => client?.dispose());

  async function write(name: string, text: string): Promise<string> {
    const file = path.join(worker.folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, text);
    return pathToFileURL(file).href;
  }

  /** The file is in a folder of its own: `type` and node_modules are the test's. */
  const writeNew = (text: string, extension = 'mjs'): Promise<string> => write(`p ${++count}/p.${extension}`, text);

  /** Beside another provider that works. */
  async function ask(
    url: string,
    settings: unknown = true,
    /** Its time is over when it runs. */
    isLate = false,
  ): Promise<{ found: string[]; error: string | undefined }> {
    const other = await writeNew(good('other'));
    const clock = new FakeClock();
    const [its, others] = [factoryOf(worker.file, testWorkerLimits, clock), factoryOf(worker.file)];
    const create = (entry: ProviderEntry) => (entry.id === url ? its : others).create(entry);
    client = realClient({ create }, { [url]: settings, [other]: true });
    const asked = client.requestItems(documentOf('text'));
    const { items } = await (isLate
      ? answerWithoutLast(client, asked, () => {
          if (existsSync(new URL('runs', url))) clock.advance(testWorkerLimits.callMs);
        })
      : asked);
    return { found: titles(items), error: client.providerStates[0]?.lastError };
  }

  for (const [says, text, extension] of [
    ['an ES module, in a path with a space', good('x'), 'mjs'],
    ['CommonJS', `module.exports = { capabilities: () => ({}), items: () => [{ title: 'x' }] };`, 'cjs'],
    [
      'CommonJS with a default export',
      `exports.default = { capabilities: () => ({}), items: () => [{ title: 'x' }] };`,
      'cjs',
    ],
    [
      'a compiled ES module',
      `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = { capabilities: () => ({}), items: () => [{ title: 'x' }] };`,
      'js',
    ],
    ['an ES module called .js', good('x'), 'js'],
    [
      'TypeScript',
      `interface P { uri: string }\nexport default { capabilities: (): object => ({}), items: (_p: P): unknown => [{ title: 'x' }] } as const;`,
      'ts',
    ],
    [
      'CommonJS in TypeScript',
      `module.exports = { capabilities: (): object => ({}), items: () => [{ title: 'x' }] };`,
      'cts',
    ],
    [
      'an instance of a class',
      `class P { title = 'x'; capabilities() { return {}; } items() { return [{ title: this.title }]; } }\nexport default new P();`,
      'mjs',
    ],
    [
      'top-level await and import.meta',
      `const title = await Promise.resolve(import.meta.url.startsWith('file:') ? 'x' : 'no');\nexport default { capabilities: () => ({}), items: async () => [{ title }] };`,
      'mjs',
    ],
  ] as const) {
    it(`may be ${says}`, async () => {
      assert.deepEqual(await ask(await writeNew(text, extension)), { found: ['x', 'other'], error: undefined });
    });
  }

  it('may import what is beside it, also in TypeScript', async () => {
    await write('relative/title.ts', 'export const title: string = "x";\n');
    const url = await write(
      'relative/p.mjs',
      `import { title } from './title.ts';\nexport default { capabilities: () => ({}), items: () => [{ title }] };`,
    );
    assert.deepEqual((await ask(url)).found, ['x', 'other']);
  });

  it('in TypeScript that cannot be loaded names its file and line', async () => {
    for (const wrong of ['let a: = 3;', 'enum A { B }']) {
      const { error } = await ask(await writeNew(`const b = 1;\n${wrong}\nexport default {};`, 'ts'));
      assert.match(String(error), /\(\S+\.ts:2\)/u);
    }
  });

  it('may be a package of the workspace', async () => {
    const manifest = { name: '@team/provider', exports: { import: './p.mjs' } };
    await write('w/node_modules/@team/provider/package.json', JSON.stringify(manifest));
    await write('w/node_modules/@team/provider/p.mjs', good('packaged'));
    const uri = pathToFileURL(path.join(worker.folder, 'w')).href;
    const list = listProviders({
      user: { backline: { '@team/provider': true } },
      workspace: {},
      folders: [{ uri, settings: {} }],
      isTrusted: true,
    });
    client = realClient(factoryOf(worker.file), {});
    client.setProviders(list);
    const { items } = await client.requestItems(documentOf('text', 1, `${uri}/a.ts`));
    assert.deepEqual(titles(items), ['packaged']);
  });

  it('gets its settings unchanged, and the text as it is', async () => {
    const url = await writeNew(
      `export default { capabilities: () => ({}), items: ({ uri, content }, settings) => [{ title: JSON.stringify({ uri, content, settings }) }] };`,
    );
    const settings = { a: [1, null, { b: 'é' }], enable: false };
    client = realClient(factoryOf(worker.file), { [url]: settings });
    const content = 'one\r\ntwo 😀 é\u2028';
    const { items } = await client.requestItems(documentOf(content));
    const { uri } = documentOf('');
    assert.deepEqual(JSON.parse([...items][0]?.title ?? ''), { uri, content, settings });
  });

  for (const [says, text, error] of [
    ['exports nothing', '', /has no provider: its default export/],
    ['has named exports only', 'export const items = () => [];', /has no provider/],
    ['throws at import', 'throw new Error("at import");', /at import/],
    [
      'throws what has no text at import',
      'throw Object.create(null);',
      /The provider failed with .* instead of an error/,
    ],
    [
      'throws what has a hostile text',
      'export default { capabilities: () => ({}), items() { throw { toString() { throw 1; } }; } };',
      /The provider failed with .* instead of an error/,
    ],
    ['cannot be parsed', 'export default {', /Unexpected end of input/],
    [
      'throws in capabilities',
      'export default { capabilities() { throw new Error("in capabilities"); }, items() {} };',
      /in capabilities/,
    ],
    [
      'rejects with a text',
      'export default { capabilities: () => ({}), items: () => Promise.reject("a text") };',
      /a text/,
    ],
    [
      'has a selector that is null',
      'export default { capabilities: () => ({ selector: null }), items: () => [] };',
      /`selector` that is a list/,
    ],
    [
      'answers with the wrong type',
      'export default { capabilities: () => ({}), items: () => ({}) };',
      /array of items/,
    ],
    ['has no items', 'export default { capabilities: () => ({}) };', /no function `items`/],
    [
      'never answers',
      `export default { capabilities: () => ({}), async items() { ${tellThatItRuns} await new Promise(() => {}); } };`,
      /within 45 s/,
    ],
    [
      'never ends',
      `export default { capabilities: () => ({}), async items() { ${tellThatItRuns} for (;;); } };`,
      /within 45 s/,
    ],
    ['never ends at import', `${tellThatItRuns} for (;;);`, /within 45 s/],
    [
      'exits its process',
      'export default { capabilities: () => ({}), items: () => process.exit(3) };',
      /exited \(code 3\)/,
    ],
    [
      'breaks the way out of its worker',
      `import { parentPort } from 'node:worker_threads';\nexport default { capabilities: () => ({}), items() { parentPort.postMessage({ kind: 'items', id: 2, packed: 'x' }); return new Promise(() => {}); } };`,
      /invalid data/,
    ],
  ] as const) {
    it(`that ${says} says so, and hides nobody else's items`, async () => {
      const { found, error: told } = await ask(await writeNew(text), true, error.source.includes('within'));
      assert.match(told ?? '', error);
      assert.deepEqual(found, ['other']);
    });
  }

  it('is stopped with a message if it uses too much memory', async () => {
    const url = await writeNew(
      'export default { capabilities: () => ({}), items() { const all = []; for (;;) all.push(new Array(1e5).fill({})); } };',
    );
    client = realClient(factoryOf(worker.file, { memoryMib: 32, callMs: 45_000 }), { [url]: true });
    await client.requestItems(documentOf('text'), { reason: 'explicit' });
    assert.match(client.providerStates[0]?.lastError ?? '', /more than 32 MiB/);
  });

  it('is reported if it is missing', async () => {
    assert.match((await ask(pathToFileURL('/no/such/provider.mjs').href)).error ?? '', /Cannot find module/);
  });

  it('that writes to globals only changes its own', async () => {
    const url = await writeNew(
      `Array.prototype.map = () => { throw new Error('mine'); }; globalThis.JSON = undefined; process.env.BACKLINE_TEST_LEAK = 'x';\n${good('x')}`,
    );
    await ask(url);
    assert.deepEqual([1].map(String), ['1']);
    assert.equal(typeof JSON.stringify, 'function');
    assert.equal(process.env['BACKLINE_TEST_LEAK'], undefined);
  });

  it('continues after an uncaught error', async () => {
    const url = await writeNew(
      `export default { capabilities: () => ({}), async items() { void Promise.reject(new Error('lost')); setTimeout(() => { throw new Error('later'); }); await new Promise((resolve) => setTimeout(resolve, 20)); return [{ title: 'x' }]; } };`,
    );
    assert.deepEqual(await ask(url), { found: ['x', 'other'], error: undefined });
  });

  it('leaves the window free while it loops, and starts again when it is asked again', async () => {
    const url = await writeNew(
      `export default { capabilities: () => ({}), items({ content }) { while (content === 'loop'); return [{ title: content }]; } };`,
    );
    const clock = new FakeClock();
    client = realClient(factoryOf(worker.file, testWorkerLimits, clock), { [url]: true });
    assert.deepEqual(titles((await client.requestItems(documentOf('warm', 1))).items), ['warm']);
    const looping = client.requestItems(documentOf('loop', 2));
    // The window has a turn again and again: nothing in it waits for the loop.
    await until('the question', () => clock.pending > 0);
    await turns(200);
    clock.advance(testWorkerLimits.callMs);
    assert.deepEqual([...(await looping).items], []);
    const { items } = await client.requestItems(documentOf('fine', 3), { reason: 'explicit' });
    assert.deepEqual(titles(items), ['fine']);
  });

  it('keeps its state between questions, until it is let go', async () => {
    const url = await writeNew(
      'let count = 0;\nexport default { capabilities: () => ({}), items: () => [{ title: String(++count) }] };',
    );
    client = realClient(factoryOf(worker.file), { [url]: true });
    const titlesOf = async (version: number): Promise<string[]> =>
      titles((await client?.requestItems(documentOf('', version)))?.items ?? []);
    assert.deepEqual([await titlesOf(1), await titlesOf(2)], [['1'], ['2']]);
    client.setProviders(listOf({}));
    client.setProviders(listOf({ [url]: true }));
    assert.deepEqual(await titlesOf(3), ['1']);
  });

  for (const [says, changed] of [
    ['its file', 'p.mjs'],
    ['a file that it imports', 'title.mjs'],
  ] as const) {
    it(`is loaded again when ${says} changes`, async () => {
      const folder = `reload ${++count}`;
      const textOf = (title: string): string =>
        `import './title.mjs';\nexport default { capabilities: () => ({}), items: () => [{ title: '${title}' + globalThis.suffix }] };`;
      await write(`${folder}/title.mjs`, 'globalThis.suffix = 1;');
      const url = await write(`${folder}/p.mjs`, textOf('old'));
      const current = (client = realClient(factoryOf(worker.file, testWorkerLimits, systemClock), { [url]: true }));
      assert.deepEqual(titles((await current.requestItems(documentOf(''))).items), ['old1']);
      const reloaded = new Promise((resolve) => current.onDidChangeItems(resolve));
      await write(`${folder}/${changed}`, changed === 'p.mjs' ? textOf('new') : 'globalThis.suffix = 2;');
      await reloaded;
      const expected = changed === 'p.mjs' ? 'new1' : 'old2';
      // It may have been read half-written first.
      await eventually('the change', async () =>
        assert.deepEqual(titles((await current.requestItems(documentOf(''))).items), [expected]),
      );
    });
  }

  for (const [says, broken] of [
    ['its file', 'p.mjs'],
    ['a file that it imports', 'title.mjs'],
  ] as const) {
    it(`that could not be loaded is tried again when ${says} was mended`, async () => {
      const whole = {
        'p.mjs': `import { title } from './title.mjs';\nexport default { capabilities: () => ({}), items: () => [{ title }] };`,
        'title.mjs': `export const title = 'mended';`,
      };
      const folder = `mended ${++count}`;
      await write(`${folder}/title.mjs`, whole['title.mjs']);
      const url = await write(`${folder}/p.mjs`, whole['p.mjs']);
      await write(`${folder}/${broken}`, 'export default {');
      const current = (client = realClient(factoryOf(worker.file, testWorkerLimits, systemClock), { [url]: true }));
      assert.equal((await current.requestItems(documentOf(''))).items.length, 0);
      const reloaded = new Promise((resolve) => current.onDidChangeItems(resolve));
      await write(`${folder}/${broken}`, whole[broken]);
      await reloaded;
      await eventually('the mended one', async () =>
        assert.deepEqual(titles((await current.requestItems(documentOf(''))).items), ['mended']),
      );
    });
  }

  it('does not run before the first request', async () => {
    const flag = path.join(worker.folder, 'ran');
    const url = await writeNew(
      `import { writeFileSync } from 'node:fs';\nwriteFileSync(${JSON.stringify(flag)}, '');\n${good('x')}`,
    );
    const entries: readonly ProviderEntry[] = listOf({ [url]: true }).entries;
    for (const entry of entries) factoryOf(worker.file).create(entry).dispose();
    await assert.rejects(
      import('node:fs/promises').then(({ stat }) => stat(flag)),
      /ENOENT/,
    );
  });
});
