import assert from 'node:assert/strict';
import { textsBeforeAndAfter } from '../../../../../src/threads/common/page/diffTexts';
import { threadDigest } from '../../../../../src/threads/common/exports/threadDigest';
import { threadOutline } from '../../../../../src/threads/common/page/threadOutline';
import type { ThreadWithEntries } from '../../../../../src/threads/common/threadPorts';
import type { Entry } from '../../../../../src/transcript/common/entries';
import { head } from '../../support/threadHead';

const entries: readonly Entry[] = [
  { kind: 'prompt', id: 'p1', turn: 1, text: 'Fix the tax' },
  {
    kind: 'tool',
    id: 't1',
    turn: 1,
    name: 'edit_file',
    title: 'Edit cart.ts',
    toolKind: 'edit',
    state: 'done',
    parts: [{ type: 'diff', path: '/shop/cart.ts', change: 'modified', added: 1, removed: 1, hunks: [] }],
  },
  { kind: 'answer', id: 'a0', parent: 't1', turn: 1, text: 'of the subagent' },
  { kind: 'answer', id: 'a1', turn: 1, text: 'Done.' },
  { kind: 'prompt', id: 'p2', turn: 2, text: '' },
];
const thread: ThreadWithEntries = {
  head: head('T-1', { title: 'Tax' }),
  entries,
  facts: [{ label: 'Branch', value: 'main' }],
  notes: [],
};

describe('a thread for another agent', () => {
  it('contains the subject, the changed files and the messages', () => {
    const { title, text } = threadDigest(thread, '/home/kim/shop');
    assert.equal(title, 'Tax');
    for (const part of [
      'T-1',
      'Branch: main',
      'Changed files: /shop/cart.ts',
      'User: Fix the tax',
      'Assistant: Done.',
    ]) {
      assert.ok(text.includes(part), part);
    }
    assert.ok(!text.includes('of the subagent'));
  });

  it('reports where the work continues, and that files may be elsewhere there', () => {
    assert.match(threadDigest(thread, '/home/kim/shop').text, /You work in the same folder, \/home\/kim\/shop\.\n/);
    const elsewhere = threadDigest(thread, '/work/other').text;
    assert.match(elsewhere, /You work in \/work\/other\. That conversation worked in \/home\/kim\/shop/);
    assert.ok(!threadDigest(thread, undefined).text.includes('You work in'));
  });

  it('keeps the first prompt and the end of a long one', () => {
    const long = Array.from({ length: 500 }, (_, at): Entry => ({
      kind: 'answer',
      id: `a${at}`,
      turn: 1,
      text: `${at} ${'word '.repeat(300)}`,
    }));
    const { text } = threadDigest({ ...thread, entries: [...entries.slice(0, 1), ...long] }, undefined);
    assert.ok(text.length < 30_000);
    assert.ok(text.includes('User: Fix the tax') && text.includes('(Some of it is left out here.)'));
    assert.ok(text.includes('499 word') && !text.includes('Assistant: 0 word'));
  });
});

describe('a thread in parts', () => {
  it('has its prompts as an outline, each with its place', () => {
    assert.deepEqual(threadOutline(entries), [
      { entryId: 'p1', turn: 1, text: 'Fix the tax' },
      { entryId: 'p2', turn: 2, text: 'Attachments only' },
    ]);
  });

  it('has both sides of a change as far as its hunks go', () => {
    const hunks = [
      {
        oldStart: 1,
        newStart: 1,
        lines: [
          { kind: 'context', text: 'a' },
          { kind: 'remove', text: 'b' },
          { kind: 'add', text: 'c' },
        ],
      },
      { oldStart: 9, newStart: 9, lines: [{ kind: 'add', text: 'z' }] },
    ] as const;
    const part = { type: 'diff', path: '/a', change: 'modified', added: 2, removed: 1 } as const;
    const change = { ...part, hunks: hunks.map((hunk) => ({ ...hunk, lines: [...hunk.lines] })) };
    assert.deepEqual(textsBeforeAndAfter(change), { before: 'a\nb\n⋯\n', after: 'a\nc\n⋯\nz' });
    assert.equal(textsBeforeAndAfter({ ...change, change: 'created' }).before, '');
  });
});
