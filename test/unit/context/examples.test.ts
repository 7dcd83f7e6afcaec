import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import * as z from 'zod';
import type { ContextItem } from '../../../src/context/common/items/contextItem';
import { documentOf, factoryOf, realClient, titles } from './support/contextHarness';
import { buildContextWorker } from './support/contextWorker';

const examples = path.join(process.cwd(), 'examples/providers');

describe('the example providers', () => {
  let worker: Awaited<ReturnType<typeof buildContextWorker>>;
  before(async () => (worker = await buildContextWorker()));
  after(() => worker.remove());

  async function itemsOf(key: string, settings: object | true, text: string): Promise<readonly ContextItem[]> {
    const client = realClient(factoryOf(worker.file), { [key]: settings });
    const { items } = await client.requestItems(documentOf(text));
    assert.equal(client.providerStates[0]?.lastError, undefined);
    client.dispose();
    return [...items];
  }

  const fileOf = (name: string): string => pathToFileURL(path.join(examples, name)).href;

  it('know who owns a TODO', async () => {
    const settings = { owners: { alice: 'alice@example.com' } };
    const items = await itemsOf(fileOf('todoOwners.mjs'), settings, 'a\n// TODO(alice): mend it\n');
    assert.deepEqual(titles(items), ['TODO of alice: mend it', '1 TODOs']);
    assert.deepEqual(items[0]?.range, { start: { line: 1, character: 3 }, end: { line: 1, character: 23 } });
    assert.equal(items[0].url, 'mailto:alice@example.com');
    assert.match(items[1]?.aiContent ?? '', /mend it/);
  });

  it('link what matches a pattern', async () => {
    const link = { pattern: '#(?<id>\\d+)', title: 'Issue $<id>', url: 'https://example.com/$1' };
    const items = await itemsOf(fileOf('links.mjs'), { links: [link] }, 'see #12 and #7');
    assert.deepEqual(
      items.map(({ title, url }) => [title, url]),
      [
        ['Issue 12', 'https://example.com/12'],
        ['Issue 7', 'https://example.com/7'],
      ],
    );
    assert.deepEqual(await itemsOf(fileOf('links.mjs'), {}, 'see #12'), []);
  });

  it('answer over HTTP', async () => {
    const server = spawn(process.execPath, [path.join(examples, 'fileFacts.mjs'), '0'], { stdio: 'pipe' });
    try {
      const [printed] = z.tuple([z.instanceof(Buffer)]).parse(await once(server.stdout, 'data'));
      const url = /"(http:[^"]+)"/.exec(printed.toString())?.[1] ?? '';
      const items = await itemsOf(url, true, 'one\ntwo');
      assert.deepEqual(titles(items), ['2 lines, 7 characters']);
      assert.equal(items[0]?.aiContent, 'The file has 2 lines, 7 characters.');
    } finally {
      server.kill();
      await once(server, 'exit');
    }
  });
});
