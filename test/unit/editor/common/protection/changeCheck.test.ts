import assert from 'node:assert/strict';
import { EditorError, type EditorErrorCode } from '../../../../../src/editor/common/editorPort';
import { isProtectedChangeError, ProtectedChangeError } from '../../../../../src/editor/common/protection/changeCheck';
import { ProtectedFiles } from '../../../../../src/editor/common/protection/protectedFiles';
import { FakeEditor } from '../../../../fake/fakeEditor';

const tasks = '/ws/.vscode/tasks.json';
const manifest = '/ws/package.json';
const code = '/ws/src/a.ts';
const start = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

function codeIs(expected: EditorErrorCode): (error: unknown) => boolean {
  return (error) => error instanceof EditorError && error.code === expected;
}

describe('the check of changes', () => {
  let editor: FakeEditor;

  beforeEach(() => {
    editor = new FakeEditor({
      [tasks]: '{}',
      [manifest]: '{"name":"a","scripts":{"test":"mocha"}}',
      [code]: 'one',
    });
  });

  it('refuses every way of writing a protected file', async () => {
    const insert = { range: start, newText: ' ' };
    await assert.rejects(editor.writeText(tasks, '{"version":"2.0.0"}'), codeIs('protected'));
    await assert.rejects(
      editor.editText(tasks, () => [insert]),
      codeIs('protected'),
    );
    await assert.rejects(
      editor.editText(tasks, () => [insert]),
      codeIs('protected'),
    );
    await assert.rejects(editor.writeText('.vscode/new.json', '{}'), codeIs('protected'));
    await assert.rejects(editor.writeText(tasks, '[]', { protectedFiles: 'refuse' }), codeIs('protected'));
    assert.equal(editor.bufferText(tasks), '{}');
    assert.deepEqual(editor.saved, []);
    await assert.rejects(editor.readText('/ws/.vscode/new.json'), codeIs('notFound'));
  });

  it('reports which file, why, and what would have changed', async () => {
    const error = await editor.writeText('.vscode/tasks.json', '[]').catch((thrown: unknown) => thrown);
    assert.ok(error instanceof ProtectedChangeError);
    assert.ok(isProtectedChangeError(error));
    assert.equal(error.path, tasks);
    assert.equal(error.reason, 'VS Code runs tasks from this file');
    assert.deepEqual(error.change, { before: '{}', after: '[]' });
    assert.match(
      error.message,
      /^\.vscode\/tasks\.json is protected: VS Code runs tasks from this file\. Ask the user/,
    );
  });

  it('knows no text before in a new file', async () => {
    const error = await editor.writeText('/ws/.envrc.d/../.husky/pre-push', 'x').catch((thrown: unknown) => thrown);
    assert.ok(isProtectedChangeError(error));
    assert.deepEqual(error.change, { before: undefined, after: 'x' });
  });

  it("changes it with the user's word", async () => {
    await editor.writeText(tasks, '[1]', { protectedFiles: 'allow' });
    await editor.editText(tasks, () => [{ range: start, newText: ' ' }], { protectedFiles: 'allow' });
    await editor.editText(tasks, () => [{ range: start, newText: ' ' }], { protectedFiles: 'allow' });
    assert.equal(editor.diskText(tasks), '  [1]');
  });

  it('lets all other files be changed', async () => {
    await editor.writeText(code, 'two');
    await editor.editText(code, () => [{ range: start, newText: '1' }]);
    assert.equal(editor.diskText(code), '1two');
  });

  it('needs no approval if nothing changes', async () => {
    await editor.writeText(tasks, '{}');
    await editor.editText(tasks, () => []);
  });

  it('decides about package.json by the text that it has in its turn', async () => {
    await editor.writeText(manifest, '{"name":"b","scripts":{"test":"mocha"}}');
    editor.beforeRequest = () => {
      editor.beforeRequest = () => Promise.resolve();
      editor.setFile(manifest, '{"name":"b","scripts":{"test":"user"}}');
      return Promise.resolve();
    };
    await assert.rejects(editor.writeText(manifest, '{"name":"c","scripts":{"test":"mocha"}}'), codeIs('protected'));
    await editor.editText(manifest, ({ text }) => {
      const from = text.indexOf('"b"') + 1;
      return [{ range: { start: { line: 0, character: from }, end: { line: 0, character: from + 1 } }, newText: 'c' }];
    });
    assert.equal(editor.diskText(manifest), '{"name":"c","scripts":{"test":"user"}}');
  });

  it('reports in advance whether a change needs approval', async () => {
    assert.equal((await editor.protectionOf('.vscode/tasks.json'))?.reason, 'VS Code runs tasks from this file');
    assert.equal(await editor.protectionOf(code), undefined);
    assert.notEqual(await editor.protectionOf(manifest), undefined);
    assert.equal(await editor.protectionOf(manifest, { before: '{}', after: '{"name":"a"}' }), undefined);
    await assert.rejects(editor.protectionOf('/etc/passwd'), codeIs('outsideWorkspace'));
  });

  it('uses the current list', async () => {
    editor.protectedFiles = new ProtectedFiles(['*.ts']);
    await assert.rejects(editor.writeText(code, 'two'), codeIs('protected'));
    await editor.writeText(tasks, '[]');
  });

  it('keeps errors that have another reason', async () => {
    editor.trusted = false;
    await assert.rejects(editor.writeText(tasks, '[]'), codeIs('untrusted'));
    await assert.rejects(editor.writeText('/etc/x', '[]', { protectedFiles: 'allow' }), codeIs('outsideWorkspace'));
  });
});
