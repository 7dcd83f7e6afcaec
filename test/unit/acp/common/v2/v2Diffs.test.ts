import assert from 'node:assert/strict';
import { contentOfDiff } from '../../../../../src/acp/common/v2/v2Diffs';
import { sessionUpdates } from '../../../../../src/acp/common/v2/v2Schema';

type Change = Parameters<typeof contentOfDiff>[0]['changes'][number];

const change = (operation: string, path: string, more: Partial<Change> = {}): Change => ({
  operation,
  path,
  oldPath: undefined,
  fileType: undefined,
  ...more,
});
const patchOf = (...lines: string[]) => ({ format: 'git_patch', text: `${lines.join('\n')}\n` });

describe('the diffs of ACP v2', () => {
  it('with a patch show the text of created, changed and deleted files, each hunk by itself', () => {
    const patch = patchOf(
      'diff --git a/ws/new.txt b/ws/new.txt',
      '--- /dev/null',
      '+++ b/ws/new.txt',
      '@@ -0,0 +1 @@',
      '+made',
      '--- a/ws/old.txt',
      '+++ b/ws/old.txt',
      '@@ -1 +1 @@',
      '-one',
      '+two',
      '@@ -9 +9 @@',
      '-nine',
      '+ten',
      '--- a/ws/gone.txt',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-was',
    );
    const changes = [change('add', '/ws/new.txt'), change('modify', '/ws/old.txt'), change('delete', '/ws/gone.txt')];
    assert.deepEqual(contentOfDiff({ changes, patch }), [
      { type: 'diff', path: '/ws/new.txt', oldText: null, newText: 'made\n' },
      { type: 'diff', path: '/ws/old.txt', oldText: 'one\n', newText: 'two\n' },
      { type: 'diff', path: '/ws/old.txt', oldText: 'nine\n', newText: 'ten\n' },
      { type: 'diff', path: '/ws/gone.txt', oldText: 'was\n', newText: '' },
    ]);
  });

  it('show a moved or copied file with both paths, and the text that also changed', () => {
    const patch = patchOf('--- a/ws/a.txt', '+++ b/ws/b.txt', '@@ -1 +1 @@', '-one', '+two');
    assert.deepEqual(contentOfDiff({ changes: [change('move', '/ws/b.txt', { oldPath: '/ws/a.txt' })], patch }), [
      { type: 'change', path: '/ws/b.txt', oldPath: '/ws/a.txt', text: 'Moved /ws/a.txt to /ws/b.txt' },
      { type: 'diff', path: '/ws/b.txt', oldText: 'one\n', newText: 'two\n' },
    ]);
    const [copied] = contentOfDiff({ changes: [change('copy', '/ws/c.txt', { oldPath: '/ws/a.txt' })] });
    assert.equal(copied?.type === 'change' && copied.text, 'Copied /ws/a.txt to /ws/c.txt');
  });

  it('without a patch, of binary files, of folders and of unknown operations are sentences', () => {
    const changes = [
      change('modify', '/ws/a.txt'),
      change('add', '/ws/logo.png', { fileType: 'binary' }),
      change('delete', '/ws/lib', { fileType: 'directory' }),
      change('_sign', '/ws/b.txt'),
    ];
    assert.deepEqual(
      contentOfDiff({ changes, patch: { format: '_other', text: '' } }).map(
        (item) => item.type === 'change' && item.text,
      ),
      ['Changed /ws/a.txt', 'Created /ws/logo.png (binary)', 'Deleted /ws/lib (directory)', '_sign: /ws/b.txt'],
    );
  });

  it('are what `changes` say: a patch adds no files', () => {
    const patch = patchOf('--- a/ws/other.txt', '+++ b/ws/other.txt', '@@ -1 +1 @@', '-one', '+two');
    assert.deepEqual(
      contentOfDiff({ changes: [change('modify', '/ws/a.txt')], patch }).map(({ type }) => type),
      ['change'],
    );
  });

  it('are part of a tool call, without the changes that are invalid', () => {
    const content = [{ type: 'diff', changes: [{ operation: 'delete', path: '/ws/a.txt' }, { operation: 'add' }] }];
    const call = sessionUpdates.tool_call_update.parse({ toolCallId: 'c', content });
    assert.deepEqual(call.content, [
      { type: 'change', path: '/ws/a.txt', oldPath: undefined, text: 'Deleted /ws/a.txt' },
    ]);
  });
});
