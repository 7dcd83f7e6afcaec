import assert from 'node:assert/strict';
import type { ThreadHead } from '../../../../../src/threads/common/threadPorts';
import { parseStoredFilters, type ThreadFilters } from '../../../../../src/threads/common/tree/threadFilters';
import { buildThreadTree, type ThreadTree, type TreeOptions } from '../../../../../src/threads/common/tree/threadTree';
import { findRowsToRefresh } from '../../../../../src/threads/common/tree/treeChanges';
import { nextMidnight } from '../../../../../src/threads/common/tree/grouping';
import { head } from '../../support/threadHead';

const nowMs = new Date(2026, 10, 21, 12).getTime();
const hours = (count: number): number => nowMs - count * 3_600_000;

function treeOf(heads: readonly ThreadHead[], filters: Partial<ThreadFilters> = {}, part: Partial<TreeOptions> = {}) {
  return buildThreadTree(heads, {
    filters: { ...parseStoredFilters(undefined), ...filters },
    folders: ['/home/kim/shop'],
    nowMs,
    isUnread: () => false,
    problems: [],
    ...part,
  });
}

/** As indented lines, for the eye. */
function lines({ roots, nodes }: ThreadTree): string[] {
  const lineOf = (id: string, depth: number): string[] => {
    const node = nodes.get(id);
    assert.ok(node, id);
    const text = node.kind === 'group' ? node.label : node.kind === 'thread' ? node.head.id : node.problem.summary;
    return [`${'  '.repeat(depth)}${text}`, ...node.children.flatMap((child) => lineOf(child, depth + 1))];
  };
  return roots.flatMap((id) => lineOf(id, 0));
}

describe('the tree of threads', () => {
  it('ends with a line for a source that does not say all that it has', () => {
    const problem = {
      source: 'cli',
      title: 'Amp account',
      summary: 'offline',
      message: 'It cannot be reached.',
    } as const;
    const tree = treeOf([head('a', { lastPromptAt: hours(1) })], {}, { problems: [problem] });
    assert.deepEqual(lines(tree), ['Today', '  a', 'offline']);
    assert.deepEqual(lines(treeOf([], {}, { problems: [problem] })), []);
    const other = treeOf([head('a', { lastPromptAt: hours(1) })], {}, { problems: [{ ...problem, summary: 'x' }] });
    assert.deepEqual(findRowsToRefresh(tree, tree), []);
    assert.deepEqual(findRowsToRefresh(tree, other), ['problem cli']);
  });

  it('groups by day, newest first, and what is older than a week by month', () => {
    const tree = treeOf([
      head('a', { lastPromptAt: hours(1) }),
      head('b', { lastPromptAt: hours(24) }),
      head('c', { lastPromptAt: hours(72) }),
      head('d', { lastPromptAt: hours(24 * 30) }),
      head('e', { lastPromptAt: hours(2) }),
      head('f', { lastPromptAt: nowMs + 9e9 }),
    ]);
    assert.deepEqual(lines(tree), [
      ...['Today', '  f', '  a', '  e', 'Yesterday', '  b', 'Wednesday, November 18', '  c', 'October 2026', '  d'],
    ]);
  });

  it('has another today from midnight on', () => {
    const midnight = nextMidnight(nowMs);
    const first = (at: number) => {
      const { roots, nodes } = treeOf([head('a', { lastPromptAt: nowMs })], {}, { nowMs: at });
      const node = nodes.get(roots[0] ?? '');
      return node?.kind === 'group' ? node.label : undefined;
    };
    assert.deepEqual([first(midnight - 1), first(midnight)], ['Today', 'Yesterday']);
    assert.ok(nextMidnight(midnight) > midnight);
  });

  it('survives times of 1970 and no time at all', () => {
    assert.deepEqual(lines(treeOf([head('a', { lastPromptAt: 0 })])).length, 2);
    assert.deepEqual(lines(treeOf([head('a', { lastPromptAt: Number.MAX_SAFE_INTEGER })])).length, 2);
  });

  it('groups by folder, the one that was used last first', () => {
    const tree = treeOf(
      [
        head('a', { lastPromptAt: hours(3) }),
        head('b', { folders: ['/home/kim/site/'], lastPromptAt: hours(1) }),
        head('c', { folders: [], lastPromptAt: hours(2) }),
      ],
      { groupBy: 'folder', scope: 'all' },
    );
    assert.deepEqual(lines(tree), ['site', '  b', 'No folder', '  c', 'shop', '  a']);
  });

  it('has this workspace first: its folders, those below and above, its worktrees and its repository', () => {
    const repository = 'https://example.com/kim/shop';
    const tree = treeOf(
      [
        head('own', { repository }),
        head('below', { folders: ['/home/kim/shop/packages/cart'] }),
        head('above', { folders: ['/home/kim'] }),
        head('worktree', { folders: ['/tmp/wt/fix'] }),
        head('gone worktree', { folders: ['/tmp/removed'], repository }),
        head('prefix', { folders: ['/home/kim/shop-2'] }),
        head('unknown', { folders: [] }),
      ].map((one, at) => ({ ...one, lastPromptAt: hours(at / 10) })),
      {},
      { folders: ['/home/kim/shop', '/tmp/wt/fix'] },
    );
    const shown = lines(tree);
    assert.deepEqual(shown.slice(0, 6), ['Today', '  own', '  below', '  above', '  worktree', '  gone worktree']);
    assert.deepEqual(shown.slice(6), ['Other folders', '  Today', '    prefix', '    unknown']);
  });

  it('puts forks, handoffs and sub-threads below what they came of, and the family where it was used last', () => {
    const tree = treeOf([
      head('old', { lastPromptAt: hours(24 * 40) }),
      head('fork', { lastPromptAt: hours(1), relations: [{ type: 'fork', role: 'parent', threadId: 'old' }] }),
      head('deeper', { lastPromptAt: hours(9), relations: [{ type: 'handoff', role: 'parent', threadId: 'fork' }] }),
    ]);
    assert.deepEqual(lines(tree), ['Today', '  old', '    fork', '      deeper']);
  });

  it('shows every thread once, whatever ring they are in', () => {
    const ring = ['a', 'b', 'c'].map((id, at) =>
      head(id, { relations: [{ type: 'fork', role: 'parent', threadId: ['b', 'c', 'a'][at] ?? '' }] }),
    );
    const shown = lines(treeOf(ring)).map((line) => line.trim());
    assert.deepEqual(shown.slice(1).sort(), ['a', 'b', 'c']);
  });

  it('takes a chain of thousands', () => {
    const chain = Array.from({ length: 3_000 }, (_, at) =>
      head(`${at}`, { relations: at === 0 ? [] : [{ type: 'handoff', role: 'parent', threadId: `${at - 1}` }] }),
    );
    assert.equal(treeOf(chain).nodes.size, 3_001);
  });

  it('filters by mode, changes, archive and source, and hides what cannot be read from those who ask for something', () => {
    const heads = [
      head('plain'),
      head('smart', { mode: 'smart', hasChanges: true }),
      head('archived', { isArchived: true }),
      head('listed', { source: 'cli' }),
      head('broken', { problem: 'It is empty.' }),
    ];
    const shown = (filters: Partial<ThreadFilters>): string[] =>
      [...treeOf(heads, { scope: 'all', ...filters }).nodes.values()].flatMap((node) =>
        node.kind === 'thread' ? [node.head.id] : [],
      );
    assert.deepEqual(shown({}), ['plain', 'smart', 'listed', 'broken']);
    assert.deepEqual(shown({ mode: 'smart' }), ['smart']);
    assert.deepEqual(shown({ onlyChanges: true }), ['smart']);
    assert.ok(shown({ showArchived: true }).includes('archived'));
    assert.deepEqual(shown({ source: 'cli' }), ['listed']);
  });

  it('has what cannot be read at the end, closed', () => {
    const heads = [head('bad', { problem: 'It is empty.' }), head('plain'), head('far', { folders: ['/far'] })];
    const tree = treeOf(heads.map((one) => ({ ...one, lastPromptAt: hours(1) })));
    const groups = tree.roots.map((id) => tree.nodes.get(id));
    const looks = groups.flatMap((node) => (node?.kind === 'group' ? [[node.label, node.isExpanded]] : []));
    assert.deepEqual(looks, [
      ['Today', true],
      ['Other folders', false],
      ['Can’t be read', false],
    ]);
    assert.equal(tree.nodes.get('bad')?.parent, tree.roots.at(-1));
  });

  it('opens the other folders when there is nothing above them', () => {
    const tree = treeOf([head('far', { folders: ['/far'] }), head('bad', { problem: 'It is empty.' })]);
    const looks = tree.roots
      .map((id) => tree.nodes.get(id))
      .flatMap((node) => (node?.kind === 'group' ? [node.isExpanded] : []));
    assert.deepEqual(looks, [true, false]);
  });

  it('makes a child whose parent is filtered out stand by itself', () => {
    const relations = [{ type: 'fork', role: 'parent', threadId: 'a' }] as const;
    const tree = treeOf([head('a', { isArchived: true }), head('b', { relations, lastPromptAt: hours(1) })]);
    assert.deepEqual(lines(tree), ['Today', '  b']);
  });

  it('reads kept filters of any shape', () => {
    assert.equal(parseStoredFilters('nonsense').scope, 'workspace');
    assert.deepEqual(parseStoredFilters({ scope: 'x', groupBy: 'folder', mode: 7 }).groupBy, 'folder');
  });
});

describe('what of the tree is drawn again', () => {
  const before = [head('a', { lastPromptAt: hours(1) }), head('b', { lastPromptAt: hours(2) })];
  const changes = (after: readonly ThreadHead[]) => findRowsToRefresh(treeOf(before), treeOf(after));
  const today = treeOf(before).roots[0];

  it('is nothing when nothing has changed', () => {
    assert.deepEqual(changes(before.map((one) => ({ ...one }))), []);
  });

  it('is the one row whose title has changed', () => {
    assert.deepEqual(
      changes([head('a', { lastPromptAt: hours(1), title: 'New' }), head('b', { lastPromptAt: hours(2) })]),
      ['a'],
    );
  });

  it('is the group that has got another row', () => {
    assert.deepEqual(changes([...before, head('c', { lastPromptAt: hours(3) })]), [today]);
  });

  it('is all when the groups are others', () => {
    assert.equal(changes([...before, head('c', { lastPromptAt: hours(30) })]), 'all');
  });
});
