import assert from 'node:assert/strict';
import type { BackendView, ConversationRow } from '../../../../src/chat/common/chatView';
import { listItems, type ListedGroup } from '../../../../src/chat/common/list/listItems';
import { storedGroups } from '../../../../src/chat/common/list/storedGroups';

function rowsOf(count: number, part: Partial<ConversationRow> = {}): ConversationRow[] {
  return Array.from({ length: count }, (_, at) => ({
    id: `r${at}`,
    title: `Row ${at}`,
    backendId: 'a',
    backendTitle: 'Agent',
    updatedAt: at,
    state: 'idle',
    ...part,
  }));
}

function groupOf(key: string, count: number, part: Partial<ListedGroup> = {}): ListedGroup {
  return { key, title: key, rows: rowsOf(count), count, isExpanded: true, ...part };
}

const keysOf = (items: ReturnType<typeof listItems>): string[] => items.map(({ key }) => key);

describe('the items of the list', () => {
  it('are the groups, each with its rows if it is expanded, and what is to be said', () => {
    const items = listItems(
      [groupOf('one', 2), groupOf('two', 2, { isExpanded: false }), groupOf('three', 0, { note: 'None found' })],
      new Map(),
    );
    assert.deepEqual(keysOf(items), ['group one', 'r0', 'r1', 'group two', 'group three', 'note three']);
    assert.deepEqual(
      items.map(({ level, position, size }) => [level, position, size]),
      [
        [1, 1, 3],
        [2, 1, 2],
        [2, 2, 2],
        [1, 2, 3],
        [1, 3, 3],
        [2, 1, 1],
      ],
    );
  });

  it('of a large group are its first rows, until the user wants more', () => {
    const group = groupOf('many', 400);
    const first = listItems([group], new Map());
    assert.equal(first.length, 1 + 50 + 1);
    const last = first.at(-1);
    assert.ok(last?.kind === 'more' && last.count === 200);
    const more = listItems([group], new Map([['many', 200]]));
    assert.equal(more.length, 1 + 250 + 1);
    const left = more.at(-1);
    assert.ok(left?.kind === 'more' && left.count === 150 && left.position === 251);
    assert.equal(listItems([group], new Map([['many', 400]])).length, 401);
  });

  it('stay few, however many groups there are', () => {
    for (const count of [1, 8, 9, 20, 21, 50]) {
      const groups = Array.from({ length: count }, (_, at) => groupOf(`g${at}`, 100));
      assert.ok(listItems(groups, new Map()).length <= 420, `${count} groups`);
    }
  });
});

describe('conversations that agents store', () => {
  const backendOf = (id: string, part: Partial<BackendView> = {}): BackendView => ({
    id,
    title: id.toUpperCase(),
    description: '',
    source: 'installed',
    state: 'stopped',
    ...part,
  });
  const stored = rowsOf(2, { remote: true });

  it('are in a group for each agent that can list them, asked or not', () => {
    const groups = storedGroups({
      backends: [
        backendOf('a'),
        backendOf('b'),
        backendOf('c', { cannotList: true }),
        backendOf('d', { source: 'demo' }),
        backendOf('e', { problem: 'Not installed' }),
      ],
      rows: new Map(),
      listed: stored,
      noteOf: (id) => (id === 'b' ? 'Not listed' : undefined),
      isExpanded: (key) => key === 'stored b',
    });
    assert.deepEqual(
      groups.map(({ title, count, isExpanded, note, rows }) => [
        title,
        count,
        isExpanded,
        note,
        rows.map(({ id }) => id),
      ]),
      [
        ['Stored by Agent', 2, false, undefined, ['r1', 'r0']],
        ['Stored by B', undefined, true, 'Not listed', []],
      ],
    );
  });

  it('are not shown when the list has them already, and once if two agents list the same', () => {
    const [first, second] = stored;
    assert.ok(first && second);
    const twin = { ...second, id: `remote:b:x`, backendId: 'b' };
    const same = { ...second, id: `remote:a:x` };
    const groups = storedGroups({
      backends: [],
      rows: new Map([[first.id, { ...first, remote: false }]]),
      listed: [first, same, twin],
      noteOf: () => undefined,
      isExpanded: () => true,
    });
    assert.deepEqual(
      groups.map(({ rows }) => rows.map(({ id }) => id)),
      [['remote:a:x']],
    );
  });
});
