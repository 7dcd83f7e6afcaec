import assert from 'node:assert/strict';
import { ApprovalDiffs } from '../../../../src/chat/common/changes/approvalDiffs';
import { until } from '../../../support/eventually';
import { event } from '../support/transcriptRecorder';
import { answer, draft, Window } from '../support/window';

const asked = (id: string, ...diffs: [old_text: string | null, new_text: string][]) =>
  event('approval:required', {
    approval_id: id,
    prompt: 'Edit a.txt?',
    options: ['Allow', 'Deny'],
    context: {
      content: diffs.map(([old_text, new_text]) => ({ type: 'diff', path: '/ws/a.txt', old_text, new_text })),
    },
  });
const granted = (id: string) => event('approval:granted', { approval_id: id, decision: 'Allow' });

describe('ShownWrites', () => {
  const allowed = (...diffs: [string | null, string][]): ApprovalDiffs => {
    const writes = new ApprovalDiffs();
    writes.observeEvent(asked('a', ...diffs));
    writes.observeEvent(granted('a'));
    return writes;
  };
  const isAsShown = (writes: ApprovalDiffs, before: string | null, after: string) =>
    writes.takeMatchingDiffs('/ws/a.txt', before, after);

  it('match a write of the whole file or of a piece, in one place or everywhere', () => {
    assert.ok(isAsShown(allowed(['one\n', 'two\n']), 'one\n', 'two\n'));
    assert.ok(isAsShown(allowed([null, 'new']), null, 'new\n'));
    assert.ok(isAsShown(allowed(['x', 'y']), 'a x b x', 'a y b x'));
    assert.ok(isAsShown(allowed(['x', 'y']), 'a x b x', 'a x b y'));
    assert.ok(isAsShown(allowed(['x', 'y']), 'a x b x', 'a y b y'));
    assert.ok(isAsShown(allowed(['x\ny', '$&']), 'a x\r\ny', 'a $&'));
  });

  it('match a write in one step or piece by piece', () => {
    assert.ok(isAsShown(allowed(['a', '1'], ['b', '2']), 'a b', '1 2'));
    const writes = allowed(['a', '1'], ['b', '2']);
    assert.ok(isAsShown(writes, 'a b', '1 b'));
    assert.ok(isAsShown(writes, '1 b', '1 2'));
    assert.deepEqual(writes.unwrittenPaths, []);
  });

  it('do not match another text', () => {
    assert.equal(isAsShown(allowed(['one', 'two']), 'one', 'three'), false);
    assert.equal(isAsShown(allowed(['one', 'two']), 'zero', 'two'), false);
    assert.equal(isAsShown(allowed([null, 'new']), null, 'new; and more'), false);
  });

  it('count only if the approval was allowed, and once', () => {
    const writes = new ApprovalDiffs();
    writes.observeEvent(asked('a', ['one', 'two']));
    assert.ok(isAsShown(writes, 'one', 'three'), 'not allowed yet');
    writes.observeEvent(event('approval:denied', { approval_id: 'a', decision: 'Deny' }));
    writes.observeEvent(granted('a'));
    assert.ok(isAsShown(writes, 'one', 'three'), 'denied');
    const once = allowed(['one', 'two']);
    assert.ok(isAsShown(once, 'one', 'two'));
    assert.ok(isAsShown(once, 'two', 'three'));
  });

  it('accept any write if the earlier text is unknown', () => {
    assert.ok(allowed(['one', 'two']).takeMatchingDiffs('/ws/a.txt', undefined, 'three'));
  });
});

describe('A conversation whose agent writes something other than shown', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open();
  });
  afterEach(() => window.remove());

  for (const [what, written, notices] of [
    [
      'shows a notice with the file',
      'three\n',
      ['Agent one wrote contents that differ from those in the approval. /ws/a.txt'],
    ],
    ['shows no notice otherwise', 'two\n', []],
  ] as const) {
    it(what, async () => {
      const chat = await window.chats.create('one');
      await chat.send(draft('Go'));
      const { last } = window.agent;
      last.tell(asked('a', ['one\n', 'two\n']));
      await until('the question', () => chat.view.approvals.length === 1);
      await answer(chat, 'a', 'Allow');
      await until('the answer', () => chat.view.approvals.length === 0);
      const writer = { backendId: 'one', sessionId: last.id };
      await window.chats.beforeWrite(writer, '/ws/a.txt');
      window.editor.setFile('/ws/a.txt', written);
      await window.chats.afterWrite(writer, '/ws/a.txt');
      const found = [...chat.transcript.entries()].flatMap((entry) =>
        entry.kind === 'notice' ? [`${entry.text} ${entry.path ?? ''}`] : [],
      );
      assert.deepEqual(found, notices);
    });
  }
});
