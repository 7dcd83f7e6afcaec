import assert from 'node:assert/strict';
import { Emitter } from '../../../../src/base/common/event';
import { OpenChatsReview } from '../../../../src/chat/vscode/review/openChatsReview';
import { FakeChat } from '../../../fake/fakeChats';

const path = '/ws/a.ts';

describe('OpenChatsReview: a file changed by two conversations', () => {
  const change = { path, change: 'modified', added: 1, removed: 1, state: 'applied' } as const;
  const [older, newer] = [new FakeChat('older'), new FakeChat('newer')];
  for (const chat of [older, newer]) chat.change({ changes: [change] });
  older.before.set(path, 'before older');
  newer.before.set(path, 'before newer');
  const undone: string[] = [];
  const asked: unknown[] = [];
  let answer = true;
  const failing = new Set<string>();
  const review = new OpenChatsReview(
    {
      openChats: [older, newer],
      onDidChangeFiles: new Emitter<void>((error) => {
        throw error;
      }).event,
    },
    {
      undoFile: ({ id }) => {
        undone.push(id);
        return Promise.resolve(answer);
      },
      undoAll: ({ id }) => {
        if (failing.has(id)) return Promise.reject(new Error('a.ts: cannot be undone.'));
        undone.push(id);
        return Promise.resolve(answer);
      },
    },
    {
      keepFile: (chat, file) => chat.keepChanges(file.path),
      keepAll: () => Promise.resolve(),
    },
    { ask: ({ id }, subject) => Promise.resolve(void asked.push([id, subject])) },
  );

  it('is listed once, with the text before the changes of the newer conversation', async () => {
    assert.deepEqual(review.paths, [path]);
    assert.equal(await review.baseline(path), 'before newer');
  });

  it('is asked about in the newer conversation', async () => {
    const hunk = { before: { start: 0, end: 1 }, after: { start: 0, end: 1 } };
    const seen = { baseline: 'before newer', text: 'now' };
    await review.askAboutHunk(path, hunk, seen);
    assert.deepEqual(asked, [['newer', { change: { path, hunk, seen } }]]);
    await assert.rejects(review.askAboutHunk('/ws/other.ts', hunk, seen), /no agent changes in this file/);
  });

  it('has the former path that the newer conversation knows', () => {
    const created = { ...change, change: 'created' } as const;
    older.change({ changes: [{ ...created, renamedFrom: '/ws/older.ts' }] });
    newer.change({ changes: [{ ...created, renamedFrom: '/ws/newer.ts' }] });
    assert.deepEqual([...review.formerPaths], [[path, '/ws/newer.ts']]);
    newer.change({ changes: [change] });
    assert.deepEqual([...review.formerPaths], []);
    older.change({ changes: [change] });
  });

  it('is undone in the other conversations if one fails, and the failure is named', async () => {
    undone.length = 0;
    failing.add('older');
    await assert.rejects(review.undoAll(), /^Error: “.*”: a\.ts: cannot be undone\.$/);
    assert.deepEqual(undone, ['newer']);
    failing.clear();
    undone.length = 0;
  });

  it('stays unchanged if the user cancels', async () => {
    answer = false;
    undone.length = 0;
    await review.undoFile(path);
    assert.deepEqual(undone, ['newer']);
    undone.length = 0;
    await review.undoAll();
    assert.equal(undone.length, 1);
    answer = true;
    undone.length = 0;
  });

  it('is undone and kept for both, the newer one first', async () => {
    await review.undoFile(path);
    assert.deepEqual(undone, ['newer', 'older']);
    await review.keepFile(path);
    assert.deepEqual(review.paths, []);
    await assert.rejects(review.undoFile(path), { code: 'notFound' });
  });
});
