import assert from 'node:assert/strict';
import { codebaseNameOf } from '../../../../src/context/common/ai/codebase';
import { ContextMentions } from '../../../../src/context/common/ai/contextMentions';
import { mentionLimits } from '../../../../src/context/common/limits';
import { toLookupParams, readMentions } from '../../../../src/context/common/ai/mentionReader';
import type { Mention, MentionsParams } from '../../../../src/context/common/ai/providerMention';
import { FakeClock } from '../../../fake/fakeClock';
import { clientOf, FakeProvider, lookupsOf, never, packedOf, provided, settle } from '../support/contextHarness';

const mentionOf = (title: string): Mention => ({ title, uri: `https://example.com/${title}` });
const noFile = { itemsOf: () => Promise.resolve(undefined), searchKnownItems: () => Promise.resolve([]) };
const signal = new AbortController().signal;

/** A provider that finds what the test says. */
function finder(find: (params: MentionsParams) => Promise<readonly Mention[]>): FakeProvider {
  const provider = new FakeProvider(() => provided());
  provider.findMentions = find;
  return provider;
}

describe('mentions that providers find', () => {
  const clock = new FakeClock();

  function windowOf(providers: Record<string, FakeProvider>, place: { uri?: string } = {}) {
    const client = clientOf(clock, providers);
    const lookups = lookupsOf(client, clock, place);
    return { client, lookups, mentions: new ContextMentions(noFile, lookups) };
  }

  /** The titles of a search, after so many milliseconds. */
  async function search(mentions: ContextMentions, query: string, ms = 300): Promise<string[] | undefined> {
    let found: string[] | undefined;
    void mentions.search(query, signal).then((rows) => (found = rows.map(({ title }) => title)));
    await settle();
    clock.advance(ms);
    await settle();
    return found;
  }

  it('do not wait for a slow provider, and include its results later', async () => {
    const late = Promise.withResolvers<readonly Mention[]>();
    const quick = finder(() => Promise.resolve([mentionOf('quick')]));
    const { client, mentions } = windowOf({ 'https://a/': finder(() => late.promise), 'https://b/': quick });
    assert.equal(await search(mentions, 'q', 299), undefined);
    clock.advance(1);
    await settle();
    assert.deepEqual(await search(mentions, 'q'), ['quick']);
    assert.equal(mentions.isSearching('q'), true);
    let hasMore = false;
    void mentions.waitForMoreResults('q', signal).then((isMore) => (hasMore = isMore));
    await settle();
    assert.equal(hasMore, false);
    late.resolve([mentionOf('late')]);
    await settle();
    assert.deepEqual([hasMore, mentions.isSearching('q')], [true, false]);
    assert.deepEqual(await search(mentions, 'q', 0), ['late', 'quick']);
    client.dispose();
  });

  it('cancel the requests of an earlier query', async () => {
    const hanging = finder(() => never());
    const { client, lookups, mentions } = windowOf({ 'https://a/': hanging });
    await search(mentions, 'a');
    await search(mentions, 'a');
    assert.deepEqual(
      hanging.signals.map(({ aborted }) => aborted),
      [false],
      'the same question is asked once',
    );
    await search(mentions, 'ab');
    assert.deepEqual(
      hanging.signals.map(({ aborted }) => aborted),
      [true, false],
    );
    lookups.dispose();
    await settle();
    assert.deepEqual(
      hanging.signals.map(({ aborted }) => aborted),
      [true, true],
    );
    assert.equal(client.providerStates[0]?.status, 'notAskedYet', 'to be taken back is no failure');
    client.dispose();
  });

  it('are found again after five seconds, and not asked for earlier, also when the clock is set', async () => {
    const quick = finder(() => Promise.resolve([mentionOf('quick')]));
    const { client, mentions } = windowOf({ 'https://a/': quick });
    await search(mentions, 'q', 0);
    clock.setForward(3_600_000);
    await search(mentions, 'q', 0);
    assert.equal(quick.signals.length, 1);
    clock.setBack(7_200_000);
    clock.advance(5_000);
    await search(mentions, 'q', 0);
    assert.equal(quick.signals.length, 2);
    client.dispose();
  });

  it('of two pages do not end each other again and again', async () => {
    const hanging = finder(() => never());
    const { client, lookups, mentions } = windowOf({ 'https://a/': hanging });
    await search(mentions, 'one');
    const toSearchAgain: boolean[] = [];
    void mentions.waitForMoreResults('one', signal).then((isMore) => toSearchAgain.push(isMore));
    await search(mentions, 'two');
    assert.deepEqual(toSearchAgain, [false], 'to search for the first again would end the second');
    assert.equal(await mentions.waitForMoreResults('one', signal), false);
    assert.deepEqual([mentions.isSearching('one'), mentions.isSearching('two')], [false, true]);
    assert.equal(hanging.signals.length, 2);
    lookups.dispose();
    client.dispose();
  });

  it('end with their time, and leave alone who failed, but not for documents', async () => {
    const hanging = finder(() => never());
    const { client, mentions } = windowOf({ 'https://a/': hanging });
    await search(mentions, 'a');
    let hasMore = false;
    void mentions.waitForMoreResults('a', signal).then((isMore) => (hasMore = isMore));
    clock.advance(10_000);
    await settle();
    assert.deepEqual([hasMore, mentions.isSearching('a')], [true, false]);
    assert.match(client.providerStates[0]?.lastError ?? '', /mentions took longer than/);
    await search(mentions, 'b', 0);
    assert.equal(hanging.signals.length, 1);
    await client.requestItems({ uri: 'file:///a', version: 1, getText: () => 'text' });
    assert.equal(hanging.asked.length, 1);
    assert.equal(client.providerStates[0]?.status, 'failing', 'what works hides no failure of the other kind');
    client.dispose();
    assert.equal(clock.pending, 0);
  });

  it('come from each provider in turn, and are no more than fit', async () => {
    const many = (name: string) =>
      finder(() => Promise.resolve(Array.from({ length: 50 }, (_, i) => mentionOf(`${name}${i}`))));
    const { client, mentions } = windowOf({ 'https://a/': many('a'), 'https://b/': many('b') });
    const found = await search(mentions, 'x');
    assert.deepEqual(found?.slice(0, 4), ['a0', 'b0', 'a1', 'b1']);
    assert.equal(found.length, 20);
    client.dispose();
  });

  it('report which file is looked at', async () => {
    const asked: MentionsParams[] = [];
    const provider = finder((params) => (asked.push(params), Promise.resolve([])));
    const { client, mentions } = windowOf({ 'https://a/': provider }, { uri: 'file:///w/a.ts' });
    await search(mentions, 'x');
    assert.deepEqual(asked, [{ query: 'x', uri: 'file:///w/a.ts' }]);
    client.dispose();
  });

  it('are sent as they are where their provider has no more to say, or fail loudly', async () => {
    const silent = finder(() => Promise.resolve([{ ...mentionOf('page'), description: 'What it is' }]));
    const { client, mentions } = windowOf({ 'https://a/': silent });
    const [row] = await mentions.search('p', signal);
    assert.equal(row?.detail, 'a, What it is');
    const [sent] = await mentions.resolve({ id: row.id }, signal);
    assert.equal(sent?.text, 'page (a)\nWhat it is\nhttps://example.com/page');
    silent.knowItems = () => Promise.reject(new Error('The token has expired'));
    client.retry('https://a/');
    await assert.rejects(mentions.resolve({ id: row.id }, signal), /The token has expired/);
    client.setProviders({ entries: [], folders: [], problems: [] });
    await assert.rejects(mentions.resolve({ id: row.id }, signal), /no longer configured/);
    client.dispose();
  });

  it('send no more of one than a prompt can bear', async () => {
    const provider = finder(() => Promise.resolve([mentionOf('page')]));
    const item = { title: 'part', aiContent: 'x'.repeat(200_000) };
    provider.knowItems = () => Promise.resolve(packedOf(item, item, item));
    const { client, mentions } = windowOf({ 'https://a/': provider });
    const [row] = await mentions.search('p', signal);
    const sent = await mentions.resolve({ id: row?.id ?? '' }, signal);
    assert.equal(
      sent.reduce((sum, { text }) => sum + text.length, 0),
      256 * 1_024,
    );
    client.dispose();
  });
});

describe('what providers answer to `mentions`', () => {
  it('is held to its limits', () => {
    const deep: Record<string, unknown> = { title: 'cyclic', uri: 'u' };
    deep['data'] = { deep };
    const answer = [
      ...[null, 'text', {}, { title: '', uri: 'u' }, { title: 't' }, { title: 't', uri: 'x'.repeat(9_000) }],
      { title: 'too much', uri: 'u', data: { text: 'x'.repeat(mentionLimits.data) } },
      deep,
      { title: 'x'.repeat(5_000), uri: 'u', description: null, data: null },
    ];
    const read = readMentions(answer);
    assert.deepEqual(
      read.map(({ title, data }) => [title.length, data]),
      [
        [6, undefined],
        [1_000, undefined],
      ],
    );
    assert.equal(readMentions(Array.from({ length: 5_000 }, () => mentionOf('a'))).length, mentionLimits.mentions);
    const large = { ...mentionOf('a'), data: { text: 'x'.repeat(10_000) } };
    assert.ok(readMentions(Array.from({ length: 50 }, () => large)).length < 30);
    assert.deepEqual(readMentions(undefined), []);
    assert.throws(() => readMentions({}), /must be an array/);
  });

  it('goes back to the provider as it came', () => {
    const given = { title: 't', uri: 'u', description: 'd', data: { a: [1, null], b: 'x' } };
    const [read] = readMentions([given]);
    assert.ok(read);
    assert.deepEqual(toLookupParams({ mention: read }), { mention: given });
    assert.deepEqual(toLookupParams({ query: 'q' }), { query: 'q', message: 'q' });
  });
});

describe('the name of a codebase', () => {
  for (const [remote, name] of [
    ['https://user:token@github.com/a/b.git', 'github.com/a/b'],
    ['git@github.com:a/b.git', 'github.com/a/b'],
    ['ssh://git@example.com:22/a/b/', 'example.com/a/b'],
    ['/srv/a.git', undefined],
    ['example:a/b.git', 'example/a/b'],
    ['C:\\Users\\me\\secret\\repo.git', undefined],
    ['C:/Users/me/secret/repo.git', undefined],
    ['C:secret/repo.git', undefined],
    ['\\\\server\\share\\repo.git', undefined],
    ['me@host:a\\b', undefined],
    ['file:///home/me/repo.git', undefined],
    ['file://server/share/repo.git', undefined],
    ['FILE:repo.git', undefined],
    ['../me/repo.git', undefined],
    ['./a:b/repo.git', undefined],
    ['helper::https://user:token@example.com/a', undefined],
    ['vscode-vfs://github/a/b', undefined],
    ['', undefined],
  ] as const) {
    it(`of ${remote || 'nothing'} is ${name ?? 'unknown'}`, () => assert.equal(codebaseNameOf(remote), name));
  }
});
