import assert from 'node:assert/strict';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import type { ConsentSubject } from '../../../src/consent/common/consentSubject';
import type { ConsentDecision } from '../../../src/consent/common/consentManager';
import { ContextClient } from '../../../src/context/common/contextClient';
import { listProviders } from '../../../src/context/common/providers/providerSettings';
import { ProviderFactory } from '../../../src/context/node/providerFactory';
import { eventually } from '../../support/eventually';
import { FakeClock } from '../../fake/fakeClock';
import { documentOf, testWorkerLimits, titles as titlesOf, withoutTimeLimit } from './support/contextHarness';
import { buildContextWorker } from './support/contextWorker';
import { serveProvider, type ProviderServer } from './support/providerServer';

describe('a context provider that only the workspace names', () => {
  let worker: Awaited<ReturnType<typeof buildContextWorker>>;
  let work: string;
  let client: ContextClient | undefined;
  let endpoint: ProviderServer | undefined;
  let fetched: string[];
  let seen: ConsentSubject[];
  let kept: string[][];
  let answers: Map<string, ConsentDecision>;

  before(async () => (worker = await buildContextWorker()));
  after(() => worker.remove());
  beforeEach(async () => {
    work = path.join(worker.folder, 'work');
    await rm(work, { recursive: true, force: true });
    await mkdir(work, { recursive: true });
    fetched = [];
    seen = [];
    kept = [];
    answers = new Map();
  });
  afterEach(() => {
    client?.dispose();
    endpoint?.close();
    endpoint = undefined;
  });

  const file = (name: string): string => path.join(work, name);
  const ran = (): Promise<string> => readFile(file('ran.txt'), 'utf8').catch(() => '');
  /** Writes down that it runs. */
  const noting = (word: string): string =>
    `import { appendFileSync } from 'node:fs'; appendFileSync(${JSON.stringify(file('ran.txt'))}, '${word} ');\n`;
  const moduleOf = (title: string): string =>
    `export default { capabilities: () => ({}), items: () => [{ title: ${title} }] };\n`;

  function open(key: string, value: unknown = true, isUserDefined = false): ContextClient {
    const factory = new ProviderFactory({
      workerFile: worker.file,
      remoteFolder: file('remote'),
      fetch: (url, init) => {
        fetched.push(url);
        return fetch(url, init);
      },
      clock: systemClock,
      log: nullLogger,
      isAllowed: () => false,
      decide: (subject) => {
        seen.push(subject);
        return answers.get(subject.hash) ?? 'ask';
      },
      workspaceFolders: () => [pathToFileURL(work).href],
      workerLimits: testWorkerLimits,
    });
    client = new ContextClient({
      clock: new FakeClock(),
      log: nullLogger,
      secrets: { get: () => Promise.resolve(undefined) },
      runWithTimeLimit: withoutTimeLimit,
      onProvidersKept: (ids) => kept.push([...ids]),
      createProvider: (entry) => factory.create(entry),
    });
    const named = { backline: { [key]: value } };
    const folders = [{ uri: pathToFileURL(work).href, settings: {} }];
    const workspace = isUserDefined ? {} : { ...named, file: file('.vscode/settings.json') };
    client.setProviders(listProviders({ user: isUserDefined ? named : {}, workspace, folders, isTrusted: true }));
    return client;
  }

  async function titles(): Promise<string[]> {
    const { id } = client?.providerStates[0] ?? { id: '' };
    client?.retry(id);
    const uri = pathToFileURL(file('a.ts')).href;
    const { items } = (await client?.requestItems(documentOf('text', 1, uri))) ?? {};
    return items ? titlesOf(items) : [];
  }

  /** Asked until it is so: a change of a file lets go of whoever asks at that moment. */
  const until = (decision: ConsentDecision): Promise<void> =>
    eventually(decision, async () => {
      await titles();
      const { consent, status } = client?.providerStates[0] ?? {};
      const isDenied = consent?.kind === 'brought' ? consent.isDenied : undefined;
      assert.equal(
        status === 'ready' ? 'allowed' : isDenied ? 'denied' : isDenied === false ? 'ask' : status,
        decision,
      );
    });

  function answer(decision: ConsentDecision): void {
    const subject = seen.at(-1);
    assert.ok(subject);
    answers.set(subject.hash, decision);
  }

  it('reports a missing module without its own internals', async () => {
    open('./gone.mjs');
    await titles();
    assert.equal(client?.providerStates[0]?.lastError, `Cannot find module '${file('gone.mjs')}'`);
    assert.deepEqual(seen, []);
  });

  it('is a module that does not run before all its files are allowed, and again for each change of one', async () => {
    await writeFile(file('p.mjs'), `${noting('entry')}import { word } from './part.mjs';\n${moduleOf('word')}`);
    await writeFile(
      file('part.mjs'),
      `${noting('part')}import legacy from './legacy.cjs'; export const word = legacy.word;`,
    );
    await writeFile(file('legacy.cjs'), "require('./deep.cjs'); module.exports = { word: 'One' };");
    await writeFile(
      file('deep.cjs'),
      `require('node:fs').appendFileSync(${JSON.stringify(file('ran.txt'))}, 'deep ');`,
    );
    open('./p.mjs', { level: 3 });
    assert.deepEqual(await titles(), []);
    assert.equal(client?.providerStates[0]?.status, 'needsConsent');
    assert.equal(await ran(), '');
    assert.deepEqual(
      seen[0]?.facts.map(({ label, value }) => `${label}: ${value.replace(`${work}/`, '')}`),
      [
        'Module: p.mjs',
        'Setting level: 3',
        'Runs the file: deep.cjs',
        'Runs the file: legacy.cjs',
        'Runs the file: part.mjs',
      ],
    );
    assert.deepEqual(seen[0].source, {
      file: file('.vscode/settings.json'),
      keys: ['backline.context.providers', './p.mjs'],
    });
    answer('allowed');
    assert.deepEqual(await titles(), ['One']);
    assert.equal(await ran(), 'deep part entry ');
    for (const name of ['deep.cjs', 'part.mjs', 'p.mjs']) {
      await writeFile(file(name), `${await readFile(file(name), 'utf8')}// changed\n`);
      await until('ask');
      answer('denied');
      await until('denied');
      assert.equal(await ran(), 'deep part entry ', name);
      answer('allowed');
      await until('allowed');
      assert.match(await ran(), /^(deep part entry ){2,}$/, name);
      await writeFile(file('ran.txt'), 'deep part entry ');
    }
  });

  it('runs as it was checked, even if the file has changed', async () => {
    await writeFile(file('p.mjs'), moduleOf("'Looked at'"));
    open('./p.mjs');
    await titles();
    const decided = new Promise<void>((resolve) => {
      const { hash } = seen[0] ?? { hash: '' };
      const get = answers.get.bind(answers);
      answers.get = (asked) => {
        // The moment between the look and the start.
        if (asked === hash) void writeFile(file('p.mjs'), moduleOf("'Swapped'")).then(resolve);
        return asked === hash ? 'allowed' : get(asked);
      };
    });
    assert.deepEqual(await titles(), ['Looked at']);
    await decided;
  });

  it('cannot load files later that were not checked', async () => {
    await writeFile(file('late.mjs'), `${noting('late')}export const word = 'Late';`);
    const computed = "capabilities: () => ({}), items: async () => [{ title: (await import('./la' + 'te.mjs')).word }]";
    await writeFile(file('p.mjs'), `export default { ${computed} };`);
    open('./p.mjs');
    await titles();
    answer('allowed');
    assert.deepEqual(await titles(), []);
    assert.match(client?.providerStates[0]?.lastError ?? '', /The module loads .*late\.mjs dynamically/);
    assert.equal(await ran(), '');
    await writeFile(file('p.mjs'), `export default { ${computed.replace("'./la' + 'te.mjs'", "'./late.mjs'")} };`);
    await until('ask');
    assert.match(
      seen
        .at(-1)
        ?.facts.map(({ value }) => value)
        .join() ?? '',
      /late\.mjs/,
    );
    answer('allowed');
    await eventually('the items', async () => assert.deepEqual(await titles(), ['Late']));
  });

  it('is a package or TypeScript with the same care', async () => {
    await mkdir(file('node_modules/pack'), { recursive: true });
    await writeFile(file('node_modules/pack/package.json'), '{ "name": "pack", "main": "main.js" }');
    await writeFile(file('node_modules/pack/main.js'), "module.exports = require('./rest');");
    await writeFile(
      file('node_modules/pack/rest.js'),
      `module.exports = ${moduleOf("'Packed'").replace('export default ', '')}`,
    );
    open('pack');
    assert.deepEqual(await titles(), []);
    assert.match(seen[0]?.facts.map(({ value }) => value).join() ?? '', /rest\.js/);
    answer('allowed');
    assert.deepEqual(await titles(), ['Packed']);
    client?.dispose();
    await writeFile(file('typed.ts'), `const word: string = 'Typed';\n${moduleOf('word')}`);
    open('./typed.ts');
    assert.deepEqual(await titles(), []);
    answer('allowed');
    assert.deepEqual(await titles(), ['Typed']);
  });

  it('reports a module that cannot be loaded, without asking', async () => {
    await writeFile(file('p.mjs'), "import { gone } from './part.mjs';");
    await writeFile(file('part.mjs'), noting('part'));
    open('./p.mjs');
    await titles();
    assert.match(client?.providerStates[0]?.lastError ?? '', /gone/);
    assert.deepEqual([seen, await ran()], [[], '']);
  });

  it('is an address that gets nothing before it is allowed, with the settings that are sent', async () => {
    endpoint = await serveProvider({ capabilities: () => ({}), items: () => [{ title: 'From afar' }] });
    open(endpoint.url, { token: 'x', headers: { 'x-key': 'y' } });
    assert.deepEqual([await titles(), fetched], [[], []]);
    assert.deepEqual(
      seen[0]?.facts.map(({ label, value }) => `${label}: ${value}`),
      [`Sends text to: ${endpoint.url}`, 'Setting token: x', 'Setting headers: {"x-key":"y"}'],
    );
    answer('denied');
    assert.deepEqual([await titles(), fetched], [[], []]);
    assert.match(client?.providerStates[0]?.lastError ?? '', /You did not allow it/);
    answer('allowed');
    assert.deepEqual(await titles(), ['From afar']);
    client?.dispose();
    fetched = [];
    open(endpoint.url, { token: 'other' });
    assert.deepEqual([await titles(), fetched], [[], []]);
  });

  it('is code from the web whose address is not even asked before it is allowed', async () => {
    open('https://127.0.0.1:9/p.js');
    assert.deepEqual([await titles(), fetched], [[], []]);
    assert.deepEqual(seen[0]?.facts, [{ label: 'Downloads code from', value: 'https://127.0.0.1:9/p.js' }]);
    answer('allowed');
    await titles();
    assert.deepEqual(fetched, ['https://127.0.0.1:9/p.js']);
  });

  it('waits for an answer only as long as the settings name it, unchanged', () => {
    const folders = [{ uri: pathToFileURL(work).href, settings: {} }];
    const listed = (backline: unknown) =>
      listProviders({ user: {}, workspace: { backline }, folders, isTrusted: true });
    const opened = open('./p.mjs', { level: 1 });
    opened.setProviders(listed({ './p.mjs': { level: 1 }, './q.mjs': true }));
    opened.setProviders(listed({ './p.mjs': { level: 2 }, './q.mjs': true }));
    opened.setProviders(listed({}));
    assert.deepEqual(kept, [[], ['./p.mjs'], ['./q.mjs'], []]);
  });

  it('is not what the user names, as long as its code is not the workspace’s', async () => {
    const outside = path.join(worker.folder, 'outside.mjs');
    await writeFile(outside, moduleOf("'Mine'"));
    open(outside, true, true);
    assert.deepEqual([await titles(), seen], [['Mine'], []]);
    client?.dispose();
    endpoint = await serveProvider({ capabilities: () => ({}), items: () => [{ title: 'From afar' }] });
    open(endpoint.url, true, true);
    assert.deepEqual([await titles(), seen], [['From afar'], []]);
  });

  it('has its code asked for also where the user names it: by a relative path, through a link, as a package', async () => {
    await writeFile(file('p.mjs'), `${noting('entry')}${moduleOf("'Theirs'")}`);
    const link = path.join(worker.folder, 'link.mjs');
    await rm(link, { force: true });
    await symlink(file('p.mjs'), link);
    await mkdir(file('node_modules/pack'), { recursive: true });
    await writeFile(
      file('node_modules/pack/package.json'),
      '{ "name": "pack", "type": "module", "exports": "./index.js" }',
    );
    await writeFile(file('node_modules/pack/index.js'), `${noting('entry')}${moduleOf("'Packed'")}`);
    for (const key of ['./p.mjs', link, 'pack']) {
      seen = [];
      open(key, true, true);
      assert.deepEqual([await titles(), await ran(), seen[0]?.kind], [[], '', 'providerModule'], key);
      assert.match(seen[0]?.source.file ?? '', /\.m?js$/, key);
      client?.dispose();
    }
    open('./p.mjs', true, true);
    await titles();
    answer('allowed');
    assert.deepEqual(await titles(), ['Theirs']);
  });
});
