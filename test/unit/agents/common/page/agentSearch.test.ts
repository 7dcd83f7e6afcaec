import assert from 'node:assert/strict';
import { announcementOfChanges, searchCards } from '../../../../../src/agents/common/page/agentSearch';
import type { AgentCard } from '../../../../../src/agents/common/page/agentsApi';

const card = (key: string, more: Partial<AgentCard> = {}): AgentCard => ({
  key,
  group: 'others',
  backendId: key,
  name: key,
  description: '',
  facts: [],
  origin: '',
  keywords: '',
  state: { kind: 'available', text: 'Not installed' },
  actions: [],
  ...more,
});

describe('the search for agents', () => {
  it('finds all words anywhere, and leaves empty groups out', () => {
    const cards = [
      card('one', { facts: ['Example Inc.'], keywords: '@x/one' }),
      card('two', { group: 'here', description: 'of example' }),
    ];
    assert.deepEqual(
      searchCards(cards, ' EXAMPLE  ').map(({ group }) => group),
      ['here', 'others'],
    );
    assert.deepEqual(
      searchCards(cards, 'inc @x').flatMap(({ cards: found }) => found.map(({ key }) => key)),
      ['one'],
    );
    assert.deepEqual(searchCards(cards, 'neither'), []);
  });
});

describe('what is announced', () => {
  it('is a changed state, but not each step of an installation', () => {
    const installing = card('one', { state: { kind: 'installing', text: 'Downloading…', fraction: 0.1 } });
    const further = card('one', { state: { kind: 'installing', text: 'Unpacking…' } });
    const done = card('one', { state: { kind: 'installed', text: 'Installed' } });
    assert.equal(announcementOfChanges([card('one')], [installing]), 'one: Downloading….');
    assert.equal(announcementOfChanges([installing], [further]), '');
    assert.equal(announcementOfChanges([further], [done, card('new')]), 'one: Installed.');
    assert.equal(announcementOfChanges([done], [done]), '');
  });
});
