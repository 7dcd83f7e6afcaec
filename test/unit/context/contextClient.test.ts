import assert from 'node:assert/strict';
import { FakeClock } from '../../fake/fakeClock';
import type { PackedItems } from '../../../src/context/common/items/packedItems';
import { RequestCancelledError } from '../../../src/context/common/providers/callWithTimeout';
import {
  clientOf,
  documentOf,
  FakeProvider,
  listOf,
  never,
  packedOf,
  provided,
  providedItem,
  settle,
  titles,
} from './support/contextHarness';

const a = 'https://a/';
const b = 'https://b/';

const giving = (...names: string[]): FakeProvider =>
  new FakeProvider(() => provided(...names.map((name) => providedItem(name))));
const hanging = (): FakeProvider => new FakeProvider(() => never());
const failing = (): FakeProvider => new FakeProvider(() => Promise.reject(new Error('it broke')));

describe('the context client', () => {
  let clock: FakeClock;
  beforeEach(() => (clock = new FakeClock()));

  it('returns the items of all providers in the order of the settings, with their providers', async () => {
    const slow = new FakeProvider(async () => {
      await settle();
      return provided(providedItem('slow', 0));
    });
    const client = clientOf(clock, { [a]: slow, [b]: giving('whole') });
    const answer = await client.requestItems(documentOf('text'));
    assert.deepEqual(titles(answer.items), ['slow', 'whole']);
    assert.deepEqual([...answer.items][1]?.provider.id, b);
    assert.equal(answer.isComplete, true);
  });

  it('asks once per version, and never reads the text for a known one', async () => {
    const provider = giving('x');
    const client = clientOf(clock, { [a]: provider });
    const first = await client.requestItems(documentOf('one'));
    const again = { uri: first.uri, version: 1, getText: () => assert.fail('the text was read') };
    assert.equal(await client.requestItems(again), first);
    await client.requestItems(documentOf('two', 2));
    assert.deepEqual(provider.asked, ['one', 'two']);
    assert.equal(provider.greetings, 1);
  });

  it('shares a pending request', async () => {
    const provider = giving('x');
    const client = clientOf(clock, { [a]: provider });
    const answers = await Promise.all([1, 2, 3].map(() => client.requestItems(documentOf('one'))));
    assert.equal(provider.asked.length, 1);
    assert.deepEqual(
      answers.map(({ items }) => titles(items)),
      [['x'], ['x'], ['x']],
    );
  });

  it('asks only those whose selectors match', async () => {
    const css = new FakeProvider(() => provided(providedItem('css')), [{ path: '**/*.css' }]);
    const client = clientOf(clock, { [a]: css });
    const answer = await client.requestItems(documentOf('text'));
    assert.deepEqual([answer.items.length, answer.isComplete, css.asked], [0, true, []]);
  });

  it('waits for a hanging provider until the deadline, and keeps its late answer', async () => {
    let release: (items: PackedItems) => void = () => undefined;
    const late = new FakeProvider(() => new Promise((resolve) => (release = resolve)));
    const client = clientOf(clock, { [a]: late, [b]: giving('quick') });
    const changes: (string | undefined)[] = [];
    client.onDidChangeItems((uri) => changes.push(uri));
    const asked = client.requestItems(documentOf('one'));
    await settle();
    clock.advance(2_000);
    const first = await asked;
    assert.deepEqual([titles(first.items), first.pendingProviders.map(({ id }) => id)], [['quick'], [a]]);
    release(packedOf({ title: 'late' }));
    await settle();
    assert.deepEqual(changes, [first.uri]);
    const second = await client.requestItems(documentOf('one'));
    assert.deepEqual([titles(second.items), second.isComplete], [['late', 'quick'], true]);
    assert.equal(late.asked.length, 1);
  });

  it('waits only briefly for more once the known items are enough', async () => {
    const client = clientOf(clock, { [a]: hanging(), [b]: giving('quick') });
    const asked = client.requestItems(documentOf('one'), {
      reason: 'background',
      isEnough: (items) => items.length > 0,
    });
    await settle();
    clock.advance(25);
    const { items, pendingProviders } = await asked;
    assert.deepEqual([titles(items), pendingProviders.map(({ id }) => id)], [['quick'], [a]]);
  });

  it('waits until the deadline while the known items are not enough', async () => {
    const client = clientOf(clock, { [a]: hanging(), [b]: giving('quick') });
    let isAnswered = false;
    const asked = client.requestItems(documentOf('one'), { isEnough: () => false }).then(() => (isAnswered = true));
    await settle();
    clock.advance(1_999);
    await settle();
    assert.equal(isAnswered, false);
    clock.advance(1);
    await asked;
  });

  it('shows the items of others if a provider fails, and reports the error', async () => {
    const client = clientOf(clock, { [a]: failing(), [b]: giving('fine') });
    const answer = await client.requestItems(documentOf('one'));
    assert.deepEqual([titles(answer.items), answer.isComplete], [['fine'], false]);
    assert.deepEqual(
      client.providerStates.map(({ id, status, lastError }) => [id, status, lastError]),
      [
        [a, 'failing', 'it broke'],
        [b, 'ready', undefined],
      ],
    );
  });

  it('pauses a failing provider for longer each time, unless the user asks', async () => {
    const provider = failing();
    const client = clientOf(clock, { [a]: provider });
    const ask = (): Promise<unknown> => client.requestItems(documentOf('one'));
    await ask();
    await ask();
    assert.equal(provider.asked.length, 1);
    clock.advance(2_000);
    await ask();
    assert.equal(provider.asked.length, 2);
    clock.advance(2_000);
    await ask();
    assert.equal(provider.asked.length, 2);
    await client.requestItems(documentOf('one'), { reason: 'explicit' });
    assert.equal(provider.asked.length, 3);
  });

  it('forgets failures when one answers', async () => {
    const provider = new FakeProvider((_content, call) =>
      call === 1 ? Promise.reject(new Error('once')) : provided(providedItem('x')),
    );
    const client = clientOf(clock, { [a]: provider });
    await client.requestItems(documentOf('one'));
    clock.advance(2_000);
    assert.deepEqual(titles((await client.requestItems(documentOf('one'))).items), ['x']);
    assert.deepEqual([client.providerStates[0]?.status, client.providerStates[0]?.lastError], ['ready', undefined]);
  });

  it('starts over with a provider on retry', async () => {
    const provider = failing();
    const client = clientOf(clock, { [a]: provider });
    await client.requestItems(documentOf('one'));
    client.retry(a);
    assert.equal(client.providerStates[0]?.status, 'notAskedYet');
    await client.requestItems(documentOf('one'));
    assert.deepEqual([provider.asked.length, provider.greetings, provider.rests], [2, 2, 1]);
  });

  it('asks again for a caller who waits while the provider starts over, and counts no failure', async () => {
    const stopped = Promise.withResolvers<PackedItems>();
    const provider = new FakeProvider((_content, call) =>
      call === 1 ? stopped.promise : provided(providedItem('new')),
    );
    provider.findMentions = () => (provider.greetings === 1 ? never() : Promise.resolve([]));
    const client = clientOf(clock, { [a]: provider });
    const answer = client.requestItems(documentOf('one'));
    const mentions = client.providers.find(a)?.mentions({ query: '' }, new AbortController().signal);
    await settle();
    client.retry(a);
    stopped.reject(new Error('The provider was stopped.'));
    assert.deepEqual(titles((await answer).items), ['new']);
    assert.deepEqual(await mentions, []);
    assert.deepEqual([client.providerStates[0]?.status, provider.asked.length], ['ready', 2]);
    client.dispose();
    assert.equal(clock.pending, 0);
  });

  it('ends a request whose provider is removed', async () => {
    const provider = hanging();
    provider.findMentions = () => never();
    const client = clientOf(clock, { [a]: provider });
    const mentions = client.providers.find(a)?.mentions({ query: '' }, new AbortController().signal);
    const answer = client.requestItems(documentOf('one'));
    await settle();
    client.setProviders(listOf({}));
    assert.deepEqual(titles((await answer).items), []);
    await assert.rejects(mentions ?? Promise.resolve(), RequestCancelledError);
    assert.equal(clock.pending, 0);
  });

  it('gives up on a call that never ends', async () => {
    const client = clientOf(clock, { [a]: hanging() });
    const asked = client.requestItems(documentOf('one'), { reason: 'explicit' });
    await settle();
    clock.advance(10_000);
    await asked;
    await settle();
    assert.equal(client.providerStates[0]?.status, 'failing');
    client.dispose();
    assert.equal(clock.pending, 0);
  });

  it('cancels the request when the last caller cancels', async () => {
    const provider = hanging();
    const client = clientOf(clock, { [a]: provider });
    const first = new AbortController();
    const second = new AbortController();
    const answers = [first, second].map(({ signal }) => client.requestItems(documentOf('one'), { signal }));
    await settle();
    first.abort();
    await answers[0];
    assert.equal(provider.signals[0]?.aborted, false);
    second.abort();
    await answers[1];
    assert.equal(provider.signals[0].aborted, true);
    await settle();
    assert.equal(client.providerStates[0]?.status, 'notAskedYet');
    assert.equal(clock.pending, 0);
  });

  it('cancels a request for an old version', async () => {
    const provider = new FakeProvider((content) => (content === 'old' ? never() : provided(providedItem('new'))));
    const client = clientOf(clock, { [a]: provider });
    const old = client.requestItems(documentOf('old', 1));
    await settle();
    const fresh = await client.requestItems(documentOf('new', 2));
    assert.deepEqual(titles(fresh.items), ['new']);
    assert.equal((await old).items.length, 0);
    assert.equal(provider.signals[0]?.aborted, true);
  });

  it('moves items along with edits until the fresh answer comes', async () => {
    const provider = new FakeProvider((_content, call) =>
      call === 1 ? provided(providedItem('x', 1)) : provided(providedItem('y', 2)),
    );
    const client = clientOf(clock, { [a]: provider });
    const { uri } = await client.requestItems(documentOf('one\ntwo', 1));
    const start = { line: 0, character: 0 };
    client.documentEdited(uri, 2, [{ range: { start, end: start }, text: '\n' }]);
    const moved = client.knownItems(uri);
    assert.deepEqual(
      [moved?.version, moved?.isComplete, [...(moved?.items ?? [])][0]?.range?.start.line],
      [2, false, 2],
    );
    const fresh = await client.requestItems(documentOf('\none\ntwo', 2));
    assert.deepEqual([titles(fresh.items), fresh.isComplete], [['y'], true]);
  });

  it('delays background requests while the user types, and sends one when the text has settled', async () => {
    const provider = giving('x');
    const client = clientOf(clock, { [a]: provider });
    const { uri } = await client.requestItems(documentOf('1', 1));
    const changes: unknown[] = [];
    client.onDidChangeItems((changed) => changes.push(changed));
    for (let version = 2; version < 10; version++) {
      client.documentEdited(uri, version, []);
      const { items } = await client.requestItems(documentOf(`${version}`, version), { reason: 'background' });
      assert.deepEqual(titles(items), ['x']);
      clock.advance(100);
    }
    assert.deepEqual([provider.asked.length, changes], [1, []]);
    clock.advance(300);
    assert.deepEqual(changes, [uri]);
    await client.requestItems(documentOf('9', 9), { reason: 'background' });
    assert.deepEqual(provider.asked, ['1', '9']);
  });

  it('does not ask about a document that is too large, and says so', async () => {
    const provider = giving('x');
    const client = clientOf(clock, { [a]: provider }, { maxDocumentLength: 10 });
    const answer = await client.requestItems(documentOf('x'.repeat(11)));
    assert.match(answer.note ?? '', /more than 10 characters/);
    assert.deepEqual(provider.asked, []);
    assert.equal((await client.requestItems(documentOf('x', 2))).note, undefined);
  });

  it('forgets the documents that were not used for the longest time', async () => {
    const provider = new FakeProvider((content) => provided({ title: content, aiContent: 'x'.repeat(1_000) }));
    const client = clientOf(clock, { [a]: provider }, { records: { maxDocuments: 2, maxWeight: 2_500 } });
    const uris = ['file:///1', 'file:///2', 'file:///3'];
    for (const uri of uris) await client.requestItems(documentOf('text', 1, uri));
    assert.deepEqual(
      uris.map((uri) => client.knownItems(uri)?.items.length),
      [undefined, 1, 1],
    );
    client.documentClosed('file:///3');
    assert.equal(client.knownItems('file:///3'), undefined);
  });

  it('disposes providers that are no longer in the settings, and keeps the others', async () => {
    const gone = giving('gone');
    const stays = giving('stays');
    const client = clientOf(clock, { [a]: gone, [b]: stays });
    const { uri } = await client.requestItems(documentOf('text'));
    client.setProviders(listOf({ [b]: true }));
    assert.deepEqual([gone.isDisposed, stays.isDisposed], [true, false]);
    assert.deepEqual(titles(client.knownItems(uri)?.items ?? []), ['stays']);
    await client.requestItems(documentOf('text'));
    assert.equal(stays.asked.length, 1);
  });

  it('asks the providers of the folder that the document is in', async () => {
    const client = clientOf(clock, { [a]: giving('a'), [b]: giving('b') });
    const { entries } = listOf({ [a]: true, [b]: true });
    const folders = ['file:///w', 'file:///w/inner'];
    client.setProviders({
      folders,
      problems: [],
      entries: entries.map((entry, index) => ({
        ...entry,
        folders: folders.slice(index, index + 1),
        isOnOutsideFolders: index === 1,
      })),
    });
    const titlesOf = async (uri: string): Promise<string[]> =>
      titles((await client.requestItems(documentOf('', 1, uri))).items);
    assert.deepEqual(await titlesOf('file:///w/x.ts'), ['a']);
    assert.deepEqual(await titlesOf('file:///w/inner/x.ts'), ['b']);
    assert.deepEqual(await titlesOf('untitled:Untitled-1'), ['b']);
    assert.deepEqual(await titlesOf('vscode-notebook-cell:/w/x.ipynb#W0sZmlsZQ%3D%3D'), ['a']);
    assert.deepEqual(await titlesOf('vscode-notebook-cell://remote/w/inner/x.ipynb#W1'), ['b']);
  });

  it('searches what is known, the last used document first', async () => {
    const provider = new FakeProvider((content) => provided(providedItem(`about ${content}`)));
    const client = clientOf(clock, { [a]: provider });
    await client.requestItems(documentOf('ships', 1, 'file:///1'));
    await client.requestItems(documentOf('sails', 1, 'file:///2'));
    assert.deepEqual(
      client.searchKnownItems('about').map(({ uri }) => uri),
      ['file:///2', 'file:///1'],
    );
    assert.deepEqual(
      client.searchKnownItems('ships').map(({ item }) => item.title),
      ['about ships'],
    );
  });

  it('reports items outside the document', async () => {
    const provider = new FakeProvider(() => provided(providedItem('off', 99), providedItem('cut', 0, 0, 99)));
    const answer = await clientOf(clock, { [a]: provider }).requestItems(documentOf('text'));
    assert.deepEqual(titles(answer.items), ['cut']);
    assert.equal(answer.providerNotes[0]?.notes.length, 2);
  });

  it('reports problems of the items of a file once, with the items', async () => {
    const provider = new FakeProvider(() => Promise.resolve({ ...packedOf(), notes: ['2 items were left out.'] }));
    const client = clientOf(clock, { [a]: provider });
    const { providerNotes } = await client.requestItems(documentOf('text'));
    assert.deepEqual(
      [providerNotes.map(({ notes }) => notes), client.providerStates[0]?.notes],
      [[['2 items were left out.']], []],
    );
  });

  it('reports an invalid glob, and uses the other selectors', async () => {
    const provider = new FakeProvider(() => provided(providedItem('x')), [{ path: '' }, { path: '**' }]);
    const client = clientOf(clock, { [a]: provider });
    assert.deepEqual(titles((await client.requestItems(documentOf('text'))).items), ['x']);
    assert.match(client.providerStates[0]?.notes.join() ?? '', /glob ""/);
  });

  it('ends all requests on dispose', async () => {
    const provider = hanging();
    const client = clientOf(clock, { [a]: provider });
    const asked = client.requestItems(documentOf('text'));
    await settle();
    client.dispose();
    await asked;
    assert.deepEqual([provider.isDisposed, provider.signals[0]?.aborted, clock.pending], [true, true, 0]);
  });
});
