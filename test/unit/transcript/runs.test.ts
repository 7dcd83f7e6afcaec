import assert from 'node:assert/strict';
import fc from 'fast-check';
import { canFold, describeRun, groupRuns, isInvisible } from '../../../src/transcript/browser/list/runs';
import { ToolState, type Entry, type EntryOf, type Part } from '../../../src/transcript/common/entries';

function call(id: string, values: Partial<EntryOf<'tool'>> = {}): EntryOf<'tool'> {
  return {
    kind: 'tool',
    id,
    turn: 1,
    name: 'tool',
    title: id,
    toolKind: 'read',
    state: 'done',
    parts: [],
    ...values,
  };
}

const reads = (count: number, from = 0): Entry[] => Array.from({ length: count }, (_, at) => call(`r${from + at}`));
const hasNoSteps = (): boolean => false;
const edit = call('e', { toolKind: 'edit' });
const running = call('now', { state: 'running' });

const entry: fc.Arbitrary<Omit<EntryOf<'tool'>, 'id'> | Omit<EntryOf<'thinking'>, 'id'>> = fc.oneof(
  fc.record({
    kind: fc.constant('tool' as const),
    turn: fc.constant(1),
    name: fc.constant('tool'),
    title: fc.string(),
    toolKind: fc.constantFrom<EntryOf<'tool'>['toolKind'][]>('read', 'search', 'fetch', 'edit', 'execute', 'other'),
    state: fc.constantFrom(...ToolState.options, ...Array.from({ length: 9 }, () => 'done' as const)),
    parts: fc.constantFrom<Part[]>(
      [],
      [{ type: 'terminal', output: '', exitCode: 1 }],
      [{ type: 'text', text: 'found' }],
    ),
  }),
  fc.record({ kind: fc.constant('thinking' as const), turn: fc.constant(1), text: fc.constantFrom('', 'Hm.') }),
);

describe('runs of calls', () => {
  it('are three or more finished reads, searches and fetches', () => {
    assert.deepEqual(groupRuns(reads(2), hasNoSteps), ['r0', 'r1']);
    const mixed = [call('a'), call('b', { toolKind: 'search' }), call('c', { toolKind: 'fetch' })];
    assert.deepEqual(groupRuns(mixed, hasNoSteps), [['a', 'b', 'c']]);
  });

  it('end at an edit, a command, a failure, a call that runs, and at words', () => {
    const others: Entry[] = [
      edit,
      call('x', { toolKind: 'execute' }),
      call('f', { state: 'failed' }),
      call('g', { error: 'Half of it' }),
      running,
      { kind: 'answer', id: 'w', turn: 1, text: 'So.' },
    ];
    for (const other of others) {
      const items = groupRuns([...reads(3), other, ...reads(2, 3)], hasNoSteps);
      assert.deepEqual(items, [['r0', 'r1', 'r2'], other.id, 'r3', 'r4']);
    }
  });

  it('do not end at what is not seen, and do not begin or end with it', () => {
    const unseen = (id: string): Entry => ({ kind: 'thinking', id, turn: 1, text: '' });
    const items = groupRuns([unseen('a'), call('r0'), unseen('b'), ...reads(2, 1), unseen('c'), edit], hasNoSteps);
    assert.deepEqual(items, ['a', ['r0', 'b', 'r1', 'r2'], 'c', 'e']);
  });

  it('never contain a call with steps of its own', () => {
    assert.deepEqual(
      groupRuns(reads(4), (id) => id === 'r1'),
      ['r0', 'r1', 'r2', 'r3'],
    );
  });

  it('lose no entry, have none twice, keep the order, and fold nothing that stands by itself', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), (some) => {
        const entries = some.map((one, at): Entry => ({ ...one, id: `${at}` }));
        const items = groupRuns(entries, (id) => id.endsWith('7'));
        assert.deepEqual(
          items.flat(),
          entries.map(({ id }) => id),
        );
        for (const item of items.filter((one) => typeof one !== 'string')) {
          const inside = item.map((id) => entries[Number(id)]).filter((one) => one !== undefined);
          assert.ok(inside.every((one) => (canFold(one) && !one.id.endsWith('7')) || isInvisible(one)));
          assert.ok(inside.filter(canFold).length >= 3);
        }
      }),
    );
  });

  it('name their calls, count a file once, and add up the time', () => {
    const at = (path: string): Partial<EntryOf<'tool'>> => ({ locations: [{ path }], durationMs: 500 });
    const entries = [
      call('1', at('a.ts')),
      call('2', at('a.ts')),
      call('3', at('b.ts')),
      call('4', { toolKind: 'search', durationMs: 1_000 }),
    ];
    assert.deepEqual(describeRun(entries), { text: 'Read 2 files, searched once', durationMs: 2_500 });
    const searches = ['1', '2', '3'].map((id) => call(id, { toolKind: 'search' }));
    const fetched = call('4', { toolKind: 'fetch' });
    assert.deepEqual(describeRun([...searches, fetched]), {
      text: 'Searched 3 times, fetched 1 page',
      durationMs: 0,
    });
  });
});
