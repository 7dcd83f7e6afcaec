import assert from 'node:assert/strict';
import {
  addAnswer,
  addComment,
  addThread,
  deleteComment,
  editComment,
  makeDraft,
  markSent,
  markWithdrawn,
  moveFiles,
  moveHomes,
  setResolved,
  type CommentChange,
} from '../../../../src/comments/common/commentChanges';
import { CommentError } from '../../../../src/comments/common/commentError';
import {
  draftThreads,
  noComments,
  stateOfThread,
  type Comment,
  type CommentThread,
} from '../../../../src/comments/common/commentThread';

const comment = (id: string, more: Partial<Comment> = {}): Comment => ({ id, text: `text of ${id}`, at: 1, ...more });
const thread = (id: string): CommentThread => ({
  id,
  path: `/w/${id}.ts`,
  home: { hash: 'h', start: 0, end: 1 },
  comments: [comment(`${id}1`)],
});
const after = (...changes: readonly CommentChange[]): CommentThread[] =>
  changes.reduce((stored, change) => change(stored), noComments).threads;
const sentAs = (number: number): CommentChange =>
  markSent({
    attachment: 'attachment',
    conversation: 'conversation',
    numbers: new Map([['a', number]]),
    texts: new Map([['a1', 'text of a1']]),
  });
const sent = sentAs(3);
const answer = { ...comment('answer', { agent: 'Demo' }), conversation: 'conversation', answers: 3 };
const statesOf = (threads: readonly CommentThread[]) => threads.map(stateOfThread);

describe('the comments of a workspace', () => {
  it('are drafts, then sent, then answered, then resolved', () => {
    assert.deepEqual(statesOf(after(addThread(thread('a')))), ['draft']);
    assert.deepEqual(statesOf(after(addThread(thread('a')), sent)), ['sent']);
    assert.deepEqual(statesOf(after(addThread(thread('a')), sent, addAnswer(answer))), ['answered']);
    const resolved = [addThread(thread('a')), sent, setResolved('a', true)];
    assert.deepEqual(statesOf(after(...resolved)), ['resolved']);
    assert.deepEqual(statesOf(after(...resolved, setResolved('a', false))), ['sent']);
  });

  it('are drafts again when the user edits one, adds one, or wants to send them again', () => {
    const all = [addThread(thread('a')), sent, addAnswer(answer)];
    assert.deepEqual(statesOf(after(...all, editComment('a', 'a1', 'other'))), ['draft']);
    assert.deepEqual(statesOf(after(...all, editComment('a', 'a1', 'text of a1'))), ['answered']);
    assert.deepEqual(statesOf(after(...all, setResolved('a', true), addComment('a', comment('a2')))), ['draft']);
    assert.deepEqual(statesOf(after(...all, makeDraft('a'))), ['draft']);
  });

  it('are not sent while they are resolved', () => {
    assert.deepEqual(draftThreads(after(addThread(thread('a')), setResolved('a', true))), []);
  });

  it('take an answer only by a number of the same conversation, and only once', () => {
    const all = [addThread(thread('a')), sent];
    const counts = (...more: readonly CommentChange[]) => after(...all, ...more).map(({ comments }) => comments.length);
    assert.deepEqual(counts(addAnswer({ ...answer, answers: 4 })), [1]);
    assert.deepEqual(counts(addAnswer({ ...answer, conversation: 'another' })), [1]);
    assert.deepEqual(counts(addAnswer(answer), addAnswer(answer)), [2]);
  });

  it('take the same words again for another number, also late for the number before', () => {
    const again = [addThread(thread('a')), sent, addAnswer(answer), makeDraft('a')];
    const later = { ...answer, id: 'later', text: 'late' };
    assert.deepEqual(
      after(...again, addAnswer(later), sentAs(4), addAnswer({ ...answer, answers: 4 })).map(
        ({ comments }) => comments.length,
      ),
      [4],
    );
  });

  it('are sent only as they were in the prompt', () => {
    const since = [addThread(thread('a')), addComment('a', comment('a2')), sent];
    assert.deepEqual(statesOf(after(...since)), ['draft']);
    assert.deepEqual(statesOf(after(addThread(thread('a')), editComment('a', 'a1', 'other'), sent)), ['draft']);
  });

  it('are drafts again when their prompt is withdrawn', () => {
    const withdrawn = (attachment: string) => markWithdrawn(attachment, 'conversation');
    assert.deepEqual(statesOf(after(addThread(thread('a')), sent, withdrawn('attachment'))), ['draft']);
    assert.deepEqual(statesOf(after(addThread(thread('a')), sent, withdrawn('another'))), ['sent']);
  });

  it('go with the last comment of the user', () => {
    const all = [addThread(thread('a')), addThread(thread('b')), sent, addAnswer(answer)];
    assert.deepEqual(
      after(...all, deleteComment('a', 'a1')).map(({ id }) => id),
      ['b'],
    );
  });

  it('say that a thread was deleted in another window', () => {
    assert.throws(
      () => after(setResolved('gone', true)),
      (error) => error instanceof CommentError && error.code === 'notFound',
    );
  });

  it('follow files that are moved', () => {
    const moved = moveFiles((path) => (path === '/w/a.ts' ? '/w/new/a.ts' : undefined));
    assert.deepEqual(
      after(addThread(thread('a')), addThread(thread('b')), moved).map(({ path }) => path),
      ['/w/new/a.ts', '/w/b.ts'],
    );
  });

  it('have a newer home when their lines are whole in a newer text', () => {
    const home = { hash: 'newer', start: 4, end: 6 };
    const homes = moveHomes(new Map([['a', home]]));
    assert.deepEqual(
      after(addThread(thread('a')), addThread(thread('b')), homes).map((one) => one.home),
      [home, thread('b').home],
    );
  });
});
