import assert from 'node:assert/strict';
import { ContextMentions } from '../../../src/context/common/contextMentions';
import { ContextReader } from '../../../src/context/common/contextReader';
import { answerContextTool } from '../../../src/context/common/contextTool';
import { FakeClock } from '../../fake/fakeClock';
import { clientOf, documentOf, FakeProvider, never, provided, providedItem, settle } from './support/contextHarness';

describe('a provider that hangs', () => {
  const signal = new AbortController().signal;

  /** Beside `others`, in a window that looks at foo.ts. */
  function windowOf(others: Record<string, FakeProvider>) {
    const clock = new FakeClock();
    const client = clientOf(clock, { 'https://x/hangs': new FakeProvider(() => never()), ...others });
    const file = { path: '/repo/src/foo.ts', name: 'foo.ts', document: documentOf('text') };
    const reader = new ContextReader({
      client,
      open: () => Promise.resolve(file),
      active: () => Promise.resolve(file),
      pathOf: (uri) => Promise.resolve(new URL(uri).pathname),
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
    const rows = await after(clock, 300, new ContextMentions(reader).search('', signal));
    assert.ok(rows !== 'still waiting');
    assert.deepEqual(
      rows.map(({ title }) => title),
      ['quick'],
    );
    client.dispose();
  });

  it('is not waited for by a search that finds nothing yet', async () => {
    const { clock, reader, client } = windowOf({});
    assert.deepEqual(await after(clock, 300, new ContextMentions(reader).search('', signal)), []);
    client.dispose();
  });

  it('holds up neither a prompt nor a tool for long, and the tool says who is missing', async () => {
    const { clock, reader, client } = windowOf({ 'https://x/quick': quick() });
    const rows = await after(clock, 300, new ContextMentions(reader).search('quick', signal));
    assert.ok(rows !== 'still waiting');
    const sent = await after(clock, 1_000, new ContextMentions(reader).resolve({ id: rows[0]?.id ?? '' }, signal));
    assert.equal(sent.length, 1);
    const text = await after(clock, 1_000, answerContextTool(reader, {}, signal));
    assert.match(text, /foo\.ts:1 — quick[^]*Still waiting for hangs: ask again for more\.$/);
    client.dispose();
  });

  it('that was given up is not forgotten by the tool', async () => {
    const { clock, reader, client } = windowOf({ 'https://x/quick': quick() });
    await after(clock, 1_000, answerContextTool(reader, {}, signal));
    clock.advance(10_000);
    await settle();
    const text = await after(clock, 0, answerContextTool(reader, {}, signal));
    assert.match(text, /quick[^]*Not every provider could answer: there may be more\.$/);
    client.dispose();
  });
});
