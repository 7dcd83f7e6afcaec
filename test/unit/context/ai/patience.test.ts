import assert from 'node:assert/strict';
import { ContextMentions } from '../../../../src/context/common/ai/contextMentions';
import { ContextReader } from '../../../../src/context/common/ai/contextReader';
import { runContextTool } from '../../../../src/context/common/ai/contextTool';
import { FakeClock } from '../../../fake/fakeClock';
import type { ContextClient } from '../../../../src/context/common/contextClient';
import type { PackedItems } from '../../../../src/context/common/items/packedItems';
import {
  clientOf,
  documentOf,
  FakeProvider,
  never,
  noLookups,
  packedOf,
  provided,
  providedItem,
  settle,
  titles,
} from '../support/contextHarness';

describe('a hover that has something to show', () => {
  const a = 'https://a/';
  const b = 'https://b/';
  const isEnough = (items: { readonly length: number }): boolean => items.length > 0;
  const quick = (): FakeProvider => new FakeProvider(() => provided(providedItem('quick')));

  /** What it shows, and after how many milliseconds. */
  async function hover(clock: FakeClock, client: ContextClient, version = 1): Promise<[number, string[]]> {
    const startMs = clock.now();
    let shown: string[] | undefined;
    void client.requestItems(documentOf('text', version), { isEnough }).then(({ items }) => (shown = titles(items)));
    await settle();
    for (let ms = 0; !shown && ms < 3_000; ms++) {
      clock.advance(1);
      await settle();
    }
    return [clock.now() - startMs, shown ?? []];
  }

  it('waits for providers that are not known to be slow', async () => {
    const clock = new FakeClock();
    const answered = (): Promise<PackedItems> =>
      new Promise((resolve) => clock.setTimer(400, () => resolve(packedOf({ title: 'later' }))));
    const client = clientOf(clock, { [a]: new FakeProvider(answered), [b]: quick() });
    assert.deepEqual(await hover(clock, client), [400, ['later', 'quick']]);
    client.dispose();
  });

  it('does not wait twice for one that hangs, nor for one whose last answer was late', async () => {
    const clock = new FakeClock();
    const late = new FakeProvider(
      () => new Promise((resolve) => clock.setTimer(600, () => resolve(packedOf({ title: 'late' })))),
    );
    const hanging = new FakeProvider(() => never());
    for (const provider of [late, hanging]) {
      const client = clientOf(clock, { [a]: provider, [b]: quick() });
      await hover(clock, client);
      assert.deepEqual(await hover(clock, client, 2), [25, ['quick']]);
      client.dispose();
    }
  });

  it('does not wait for fresh items in place of those that moved along with an edit', async () => {
    const clock = new FakeClock();
    const once = new FakeProvider((_content, call) => (call === 1 ? provided(providedItem('moved', 0)) : never()));
    const client = clientOf(clock, { [a]: once });
    assert.deepEqual(await hover(clock, client), [0, ['moved']]);
    const start = { line: 0, character: 4 };
    client.documentEdited('file:///repo/src/foo.ts', 2, [{ range: { start, end: start }, text: '!' }]);
    assert.deepEqual(await hover(clock, client, 2), [25, ['moved']]);
    client.dispose();
  });

  it('waits again for one that has become quick', async () => {
    const clock = new FakeClock();
    const delays = [600, 10, 400];
    const changing = new FakeProvider(
      () => new Promise((resolve) => clock.setTimer(delays.shift() ?? 0, () => resolve(packedOf({ title: 'x' })))),
    );
    const client = clientOf(clock, { [a]: changing, [b]: quick() });
    assert.deepEqual(
      [await hover(clock, client), await hover(clock, client, 2)].flatMap(([ms]) => ms),
      [600, 10],
    );
    assert.deepEqual(await hover(clock, client, 3), [400, ['x', 'quick']]);
    client.dispose();
  });
});

describe('a provider that failed', () => {
  it('is asked again for what is shown, when its pause is over and when it answers again', async () => {
    const clock = new FakeClock();
    const provider = new FakeProvider((_content, call) =>
      call < 3 ? Promise.reject(new Error('it broke')) : provided(providedItem('x')),
    );
    const client = clientOf(clock, { 'https://a/': provider });
    const told: unknown[][] = [];
    client.onDidChangeItems((uri) => told.push([clock.now(), uri]));
    await client.requestItems(documentOf('text'));
    clock.advance(2_000);
    assert.deepEqual(told, [[2_000, undefined]]);
    await client.requestItems(documentOf('text'));
    clock.advance(4_000);
    assert.equal(told.length, 2);
    await client.requestItems(documentOf('text'));
    assert.deepEqual(told.slice(2), [[6_000, undefined]]);
    clock.advance(600_000);
    assert.deepEqual([told.length, clock.pending], [3, 0]);
  });

  it('leaves no timer behind', async () => {
    const clock = new FakeClock();
    const failing = new FakeProvider(() => Promise.reject(new Error('it broke')));
    const client = clientOf(clock, { 'https://a/': failing });
    await client.requestItems(documentOf('text'));
    client.retry('https://a/');
    assert.equal(clock.pending, 0);
    await client.requestItems(documentOf('text'));
    client.dispose();
    assert.equal(clock.pending, 0);
  });
});

describe('a provider that hangs', () => {
  const signal = new AbortController().signal;

  /** Beside `others`, in a window that looks at foo.ts. */
  function windowOf(others: Record<string, FakeProvider>) {
    const clock = new FakeClock();
    const client = clientOf(clock, { 'https://x/hangs': new FakeProvider(() => never()), ...others });
    const file = { path: '/repo/src/foo.ts', name: 'foo.ts', document: documentOf('text') };
    const reader = new ContextReader({
      client,
      openFile: () => Promise.resolve(file),
      activeFile: () => Promise.resolve(file),
      readablePath: (uri) => Promise.resolve(new URL(uri).pathname),
    });
    return { clock, reader, client };
  }

  const quick = (): FakeProvider => new FakeProvider(() => provided(providedItem('quick', 0)));

  /** The answer if it is there after `ms`. */
  async function after<T>(clock: FakeClock, ms: number, asked: Promise<T>): Promise<T | 'still waiting'> {
    let answer: T | 'still waiting' = 'still waiting';
    void asked.then((value) => (answer = value));
    await settle();
    clock.advance(ms);
    await settle();
    return answer;
  }

  it('takes no row of the others away from a search for mentions', async () => {
    const { clock, reader, client } = windowOf({ 'https://x/quick': quick() });
    const rows = await after(clock, 300, new ContextMentions(reader, noLookups).search('', signal));
    assert.ok(rows !== 'still waiting');
    assert.deepEqual(
      rows.map(({ title }) => title),
      ['quick'],
    );
    client.dispose();
  });

  it('does not delay a search without results', async () => {
    const { clock, reader, client } = windowOf({});
    assert.deepEqual(await after(clock, 300, new ContextMentions(reader, noLookups).search('', signal)), []);
    client.dispose();
  });

  it('delays neither a prompt nor a tool for long, and the tool names it', async () => {
    const { clock, reader, client } = windowOf({ 'https://x/quick': quick() });
    const rows = await after(clock, 300, new ContextMentions(reader, noLookups).search('quick', signal));
    assert.ok(rows !== 'still waiting');
    const sent = await after(
      clock,
      1_000,
      new ContextMentions(reader, noLookups).resolve({ id: rows[0]?.id ?? '' }, signal),
    );
    assert.equal(sent.length, 1);
    const text = await after(clock, 1_000, runContextTool({ reader, lookups: noLookups }, {}, signal));
    assert.match(text, /foo\.ts:1 — quick[^]*Still waiting for hangs\. Call the tool again for more\.$/);
    client.dispose();
  });

  it('that was given up is not forgotten by the tool', async () => {
    const { clock, reader, client } = windowOf({ 'https://x/quick': quick() });
    await after(clock, 1_000, runContextTool({ reader, lookups: noLookups }, {}, signal));
    clock.advance(10_000);
    await settle();
    const text = await after(clock, 0, runContextTool({ reader, lookups: noLookups }, {}, signal));
    assert.match(text, /quick[^]*Some providers could not answer, so items may be missing\.$/);
    client.dispose();
  });
});
