import assert from 'node:assert/strict';
import type { ConversationRow } from '../../../../src/chat/common/chatView';
import { groupConversations } from '../../../../src/chat/common/list/groupConversations';
import { ListSettings, toggledAfter } from '../../../../src/chat/common/list/listSettings';

const now = new Date(2026, 10, 20, 12).getTime();
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const shop = { id: '/work/shop/.git', name: 'shop' };
const other = { id: '/work/other/.git', name: 'other' };

function row(id: string, part: Partial<ConversationRow> = {}): ConversationRow {
  return { id, title: id, backendId: 'a', backendTitle: 'Agent', updatedAt: now - hourMs, state: 'idle', ...part };
}

function grouped(rows: ConversationRow[], settings: Partial<ListSettings> = {}) {
  const { groups, ...counts } = groupConversations({
    ...ListSettings.parse(settings),
    rows,
    repositories: [shop.id],
    now,
  });
  return { groups: groups.map(({ title, rows: inside }) => [title, ...inside.map(({ id }) => id)]), ...counts };
}

const elsewhere = { folder: '/work/other', isGone: false };

describe('the groups of conversations', () => {
  it('come by what the user must do: pinned, waiting with the oldest first, working, done, failed, then by time', () => {
    const rows = [
      row('today'),
      row('yesterday', { updatedAt: now - 20 * hourMs }),
      row('this week', { updatedAt: now - 4 * dayMs }),
      row('this month', { updatedAt: now - 20 * dayMs }),
      row('old', { updatedAt: now - 400 * dayMs }),
      row('failed', { state: 'failed' }),
      row('interrupted', { state: 'interrupted', updatedAt: now - 2 * hourMs }),
      row('done', { state: 'unread' }),
      row('working', { state: 'busy' }),
      row('asks since 1', { state: 'waiting', need: { kind: 'approval', text: '', since: now - 60_000 } }),
      row('asks since 5', { state: 'waiting', need: { kind: 'signIn', text: '', since: now - 300_000 } }),
      row('pinned', { isPinned: true, updatedAt: now - 90 * dayMs }),
    ];
    assert.deepEqual(grouped(rows).groups, [
      ['Pinned', 'pinned'],
      ['Needs your input', 'asks since 5', 'asks since 1'],
      ['Working', 'working'],
      ['Done', 'done'],
      ['Failed or interrupted', 'failed', 'interrupted'],
      ['Today', 'today'],
      ['Yesterday', 'yesterday'],
      ['Last 7 days', 'this week'],
      ['Last 30 days', 'this month'],
      ['Older', 'old'],
    ]);
  });

  it('keep what runs where it is while it works', () => {
    const busy = (id: string, startedAt: number, updatedAt: number): ConversationRow =>
      row(id, { state: 'busy', turnStartedAt: startedAt, updatedAt });
    const order = (first: number, second: number): unknown =>
      grouped([busy('late', now - 1_000, first), busy('early', now - 9_000, second)]).groups;
    assert.deepEqual(order(now, now - 5), [['Working', 'late', 'early']]);
    assert.deepEqual(order(now - 5, now), [['Working', 'late', 'early']]);
  });

  it('let a failure that was seen fade', () => {
    const old = { state: 'failed', updatedAt: now - 8 * dayMs } as const;
    assert.deepEqual(grouped([row('seen', old), row('unseen', { ...old, isUnseen: true })]).groups, [
      ['Failed or interrupted', 'unseen'],
      ['Last 30 days', 'seen'],
    ]);
  });

  it('of all kinds begin with what needs input, wherever it is', () => {
    const asks = row('asks', { state: 'waiting', elsewhere, isPinned: true, isArchived: true });
    for (const grouping of ['state', 'repository', 'agent', 'day'] as const)
      for (const scope of ['workspace', 'repository', 'everywhere'] as const)
        assert.deepEqual(
          grouped([row('here', { repository: shop }), asks], { grouping, scope }).groups[0],
          ['Needs your input', 'asks'],
          `${grouping} ${scope}`,
        );
  });

  it('by repository have the worktrees in them, and those of this window come first', () => {
    const rows = [
      row('newest', { repository: other, elsewhere, updatedAt: now }),
      row('main', { repository: shop }),
      row('worktree', { repository: shop, elsewhere: { folder: '/work/shop-2', isGone: false }, branch: 'fix' }),
      row('no repository', { elsewhere: { folder: '/tmp/notes', isGone: true } }),
      row('workspace'),
      row('nowhere', { elsewhere: { isGone: false } }),
    ];
    assert.deepEqual(grouped(rows, { grouping: 'repository' }).groups, [
      ['shop', 'main', 'worktree'],
      ['This workspace', 'workspace'],
      ['other', 'newest'],
      ['notes', 'no repository'],
      ['Without a folder', 'nowhere'],
    ]);
  });

  it('by day have a month for what is older than a week', () => {
    const rows = [0, 1, 3, 40, 41].map((days) => row(`${days}`, { updatedAt: now - days * dayMs }));
    assert.deepEqual(grouped(rows, { grouping: 'day' }).groups, [
      ['Today', '0'],
      ['Yesterday', '1'],
      ['Tuesday', '3'],
      ['October 2026', '40', '41'],
    ]);
  });

  it('by time keep their keys when a day has passed, and the same day of the next week has another', () => {
    const keys = (rows: ConversationRow[], grouping: ListSettings['grouping'], at: number): string[] =>
      groupConversations({ ...ListSettings.parse({ grouping }), rows, repositories: [], now: at }).groups.map(
        ({ key }) => key,
      );
    for (const grouping of ['day', 'state'] as const) {
      const [today] = keys([row('a', { updatedAt: now })], grouping, now);
      assert.deepEqual(keys([row('a', { updatedAt: now })], grouping, now + dayMs), [today]);
      assert.notDeepEqual(keys([row('a', { updatedAt: now + dayMs })], grouping, now + dayMs), [today]);
    }
    const weekday = (at: number): string[] => keys([row('a', { updatedAt: at - 3 * dayMs })], 'day', at);
    assert.notDeepEqual(weekday(now), weekday(now + 7 * dayMs));
  });

  it('by repository have the parent folder in their names where these are the same', () => {
    const rows = [
      row('one', { repository: { id: '/work/one/shop/.git', name: 'shop' } }),
      row('two', { repository: { id: 'C:\\two\\shop\\.git', name: 'shop' } }),
      row('folder', { elsewhere: { folder: '/tmp/shop', isGone: false } }),
      row('other', { repository: other }),
    ];
    const titles = grouped(rows, { grouping: 'repository' }).groups.map(([title]) => title);
    assert.deepEqual(titles.sort(), ['one/shop', 'other', 'tmp/shop', 'two/shop']);
  });

  it('leave out what is archived or elsewhere, and say how much that is', () => {
    const rows = [
      row('here', { repository: shop }),
      row('away', { isArchived: true }),
      row('works', { isArchived: true, state: 'busy' }),
      row('sibling', { repository: shop, elsewhere: { folder: '/work/shop-2', isGone: false } }),
      row('other', { repository: other, elsewhere }),
      row('other away', { repository: other, elsewhere, isArchived: true }),
      row('only stored', { remote: true }),
    ];
    assert.deepEqual(grouped(rows, { scope: 'workspace' }), {
      groups: [
        ['Working', 'works'],
        ['Today', 'here'],
      ],
      archivedCount: 1,
      outOfScopeCount: 2,
    });
    assert.equal(grouped(rows, { scope: 'repository' }).outOfScopeCount, 1);
    assert.equal(grouped(rows, { scope: 'repository', showsArchived: true }).outOfScopeCount, 2);
    assert.deepEqual(grouped(rows, { showsArchived: true }).groups.at(-1), ['Archived', 'away', 'other away']);
  });
});

describe('the settings of the list', () => {
  it('that nobody has made, or another version has, are the usual ones', () => {
    const usual = { grouping: 'state', scope: 'everywhere', showsArchived: false, toggledGroups: [] };
    assert.deepEqual(ListSettings.parse({}), usual);
    assert.deepEqual(ListSettings.parse({ grouping: 'moon', scope: 3, toggledGroups: [1] }), usual);
  });

  it('forget groups of a kind that is shown, but which are gone', () => {
    const toggled = ['day 1', 'day 2', 'in /work', 'pinned'];
    assert.deepEqual(toggledAfter(toggled, 'day 3', ['day 2', 'day 3']), ['day 2', 'in /work', 'pinned', 'day 3']);
    assert.deepEqual(toggledAfter(toggled, 'day 2', ['day 2', 'day 3']), ['in /work', 'pinned']);
    assert.deepEqual(toggledAfter(toggled, 'pinned', ['pinned', 'in /work']), ['day 1', 'day 2', 'in /work']);
  });
});
