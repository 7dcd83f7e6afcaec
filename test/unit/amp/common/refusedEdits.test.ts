import assert from 'node:assert/strict';
import {
  editAnswerValidMs,
  isWithinQuestionLimits,
  findRefusedEdit,
  maxOpenEditsTotalLength,
  maxEditQuestions,
  reduceRefusedEdits,
  type EditAnswer,
  type RefusedEdit,
  type RefusedEditEvent,
  type RefusedEdits,
} from '../../../../src/amp/common/refusedEdits';

const path = '/ws/.vscode/tasks.json';

function edit(id: number, after = `${id}`): RefusedEdit {
  return { id, path, reason: 'VS Code runs tasks from this file', after };
}

const refused = (id: number, now = 0): RefusedEditEvent => ({ kind: 'refused', edit: edit(id), now });
const answered = (id: number, answer: EditAnswer | undefined, now = 0): RefusedEditEvent => ({
  kind: 'answered',
  id,
  answer,
  now,
});

function after(...events: RefusedEditEvent[]): RefusedEdits {
  return events.reduce(reduceRefusedEdits, []);
}

describe('refused edits', () => {
  const kindOf = (edits: RefusedEdits, id: number, now = 0): string | undefined =>
    findRefusedEdit(edits, edit(id), now)?.kind;

  it('are asked, then allowed, then made', () => {
    assert.equal(kindOf(after(refused(1)), 1), 'asked');
    assert.equal(kindOf(after(refused(1), answered(1, 'allow')), 1), 'allowed');
    assert.equal(kindOf(after(refused(1), answered(1, 'allow'), { kind: 'made', id: 1 }), 1), undefined);
  });

  it('are known by path and text only', () => {
    const edits = after(refused(1), answered(1, 'allow'));
    assert.equal(findRefusedEdit(edits, { path, after: '2' }, 0), undefined);
    assert.equal(findRefusedEdit(edits, { path: '/ws/.npmrc', after: '1' }, 0), undefined);
  });

  it('keep the answer for ten minutes', () => {
    assert.equal(editAnswerValidMs, 600_000);
    for (const [answer, kind] of [
      ['allow', 'allowed'],
      ['deny', 'denied'],
    ] as const) {
      const edits = after(refused(1), answered(1, answer, 5));
      assert.equal(kindOf(edits, 1, 5 + editAnswerValidMs - 1), kind);
      assert.equal(kindOf(edits, 1, 5 + editAnswerValidMs), undefined);
      assert.equal(reduceRefusedEdits(edits, refused(2, 5 + editAnswerValidMs)).length, 1);
    }
  });

  it('are forgotten when the question is closed without an answer', () => {
    assert.equal(kindOf(after(refused(1), answered(1, undefined)), 1), undefined);
  });

  it('are answered once', () => {
    assert.equal(kindOf(after(refused(1), answered(1, 'deny'), answered(1, 'allow')), 1), 'denied');
    assert.deepEqual(after(answered(1, 'allow')), []);
  });

  it('that were written past the editor are not allowed by a late answer', () => {
    const edits = after(refused(1), { kind: 'foundOnDisk', id: 1 }, answered(1, 'allow'));
    assert.deepEqual(
      edits.map(({ kind }) => kind),
      ['written'],
    );
    assert.equal(kindOf(edits, 1), undefined);
  });

  it('that are allowed were not written past the editor', () => {
    assert.equal(kindOf(after(refused(1), answered(1, 'allow'), { kind: 'foundOnDisk', id: 1 }), 1), 'allowed');
  });

  it('are asked about within bounds', () => {
    const ids = Array.from({ length: maxEditQuestions }, (_, at) => at);
    const full = after(...ids.map((id) => refused(id)));
    assert.equal(isWithinQuestionLimits(full, edit(100)), false);
    assert.equal(isWithinQuestionLimits(reduceRefusedEdits(full, answered(3, 'deny')), edit(100)), true);
    assert.equal(isWithinQuestionLimits([], edit(1, 'x'.repeat(maxOpenEditsTotalLength))), true);
    assert.equal(isWithinQuestionLimits(after(refused(1)), edit(2, 'x'.repeat(maxOpenEditsTotalLength))), false);
  });

  it('are remembered within bounds', () => {
    const events = Array.from({ length: 100 }, (_, id) => [refused(id), answered(id, 'deny')]).flat();
    const edits = after(...events);
    assert.equal(edits.length, 33);
    assert.equal(kindOf(edits, 99), 'denied');
    assert.equal(kindOf(edits, 0), undefined);
  });
});
