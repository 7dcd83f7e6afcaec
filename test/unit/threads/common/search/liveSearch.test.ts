import assert from 'node:assert/strict';
import { Emitter } from '../../../../../src/base/common/event';
import { LiveSearch, type LiveSearchState } from '../../../../../src/threads/common/search/liveSearch';
import type { ThreadHead } from '../../../../../src/threads/common/threadPorts';
import type { TextCoverage } from '../../../../../src/texts/common/searchableText';
import type { FoundThread, ThreadSearchResults } from '../../../../../src/threads/common/search/threadSearch';
import { FakeClock } from '../../../../fake/fakeClock';
import { head } from '../../support/threadHead';

const all: TextCoverage = { indexed: 2_000, total: 2_000 };
const part: TextCoverage = { indexed: 300, total: 2_000 };
const hit = (id: string): FoundThread => ({
  head: head(id),
  hit: { threadId: id, entryId: 'm0', kind: 'answer', snippet: '', score: 1 },
});
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a search while it is typed', () => {
  let clock: FakeClock;
  let coverage: Emitter<TextCoverage>;
  let live: LiveSearch;
  let views: LiveSearchState[];
  let here: () => Promise<ThreadSearchResults>;
  let account: (query: string, signal: AbortSignal) => Promise<readonly ThreadHead[]>;
  let asked: string[];
  let askedAccount: string[];

  beforeEach(() => {
    clock = new FakeClock();
    coverage = new Emitter((error) => assert.fail(String(error)));
    views = [];
    asked = [];
    askedAccount = [];
    here = () => Promise.resolve({ found: [hit('T-here'), hit('T-both')], coverage: all });
    account = () => Promise.resolve([head('T-both'), head('T-away')]);
    const ports = {
      search: (query: string) => {
        asked.push(query);
        return here();
      },
      searchAccount: (query: string, signal: AbortSignal) => {
        askedAccount.push(query);
        return account(query, signal);
      },
      onDidChangeCoverage: coverage.event,
      clock,
    };
    live = new LiveSearch(ports, (view) => views.push(view));
    live.start();
  });
  afterEach(() => live.dispose());

  async function pass(ms: number): Promise<void> {
    clock.advance(ms);
    await turn();
  }
  const ids = (): (readonly string[])[] => views.map(({ found }) => found.map(({ head: { id } }) => id));
  const last = (): LiveSearchState | undefined => views.at(-1);

  it('finds here first, and adds each thread of the account once', async () => {
    live.setQuery('cart');
    await pass(120);
    assert.deepEqual(ids(), [['T-here', 'T-both']]);
    assert.equal(last()?.isBusy, true);
    await pass(180);
    assert.deepEqual(ids().at(-1), ['T-here', 'T-both', 'T-away']);
    assert.deepEqual([last()?.isBusy, last()?.notes], [false, []]);
  });

  it('asks the account only when nothing has been typed for a while', async () => {
    live.setQuery('c');
    await pass(200);
    live.setQuery('ca');
    await pass(200);
    live.setQuery('car');
    await pass(299);
    assert.deepEqual(askedAccount, []);
    await pass(1);
    assert.deepEqual(askedAccount, ['car']);
    assert.deepEqual(asked, ['c', 'ca', 'car']);
  });

  it('cancels the question to the account when the query changes, and drops its answer', async () => {
    const signals: AbortSignal[] = [];
    const answer = Promise.withResolvers<readonly ThreadHead[]>();
    account = (_query, signal) => {
      signals.push(signal);
      return answer.promise;
    };
    live.setQuery('cart');
    await pass(300);
    live.setQuery('tax');
    assert.equal(signals[0]?.aborted, true);
    answer.resolve([head('T-away')]);
    await pass(120);
    assert.deepEqual(ids().at(-1), ['T-here', 'T-both']);
  });

  it('keeps what was found here when the account fails, and says so', async () => {
    account = () => Promise.reject(new Error('It is offline.'));
    live.setQuery('cart');
    await pass(300);
    assert.deepEqual(ids().at(-1), ['T-here', 'T-both']);
    assert.deepEqual(last()?.notes, ['Amp account: It is offline.']);
    assert.equal(last()?.isBusy, false);
  });

  it('reports how much is indexed, stays busy, and asks again while it grows, once a second', async () => {
    here = () => Promise.resolve({ found: [], coverage: part });
    live.setQuery('cart');
    await pass(300);
    assert.deepEqual([last()?.isBusy, last()?.notes], [true, ['Indexed 300 of 2,000 threads.']]);
    here = () => Promise.resolve({ found: [hit('T-late')], coverage: all });
    for (let indexed = 400; indexed <= 2_000; indexed += 400) coverage.fire({ indexed, total: 2_000 });
    await pass(999);
    assert.equal(asked.length, 1);
    await pass(1);
    assert.equal(asked.length, 2);
    assert.deepEqual(ids().at(-1), ['T-late', 'T-both', 'T-away']);
    assert.deepEqual([last()?.isBusy, last()?.notes], [false, []]);
  });

  it('does not ask again when the index tells what it was', async () => {
    live.setQuery('cart');
    await pass(300);
    coverage.fire(all);
    await pass(1_000);
    assert.equal(asked.length, 1);
  });

  it('explains why it failed, until it does not', async () => {
    const works = here;
    here = () => Promise.reject(new Error('The index is gone.'));
    live.setQuery('cart');
    await pass(300);
    assert.deepEqual(last()?.notes, ['The index is gone.']);
    here = works;
    live.setQuery('carts');
    await pass(300);
    assert.deepEqual(last()?.notes, []);
  });

  it('does nothing for an empty query and after dispose', async () => {
    live.setQuery('cart');
    live.setQuery('');
    await pass(1_000);
    live.setQuery('cart');
    live.dispose();
    await pass(1_000);
    assert.deepEqual([views, asked, askedAccount], [[], [], []]);
  });
});
