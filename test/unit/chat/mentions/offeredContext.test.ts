import assert from 'node:assert/strict';
import { OfferedContext } from '../../../../src/chat/common/mentions/offeredContext';
import { SelectionMentions } from '../../../../src/chat/common/mentions/selectionMentions';
import { EditorError } from '../../../../src/editor/common/editorPort';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';

const throwIt = (error: unknown): never => {
  throw error;
};

describe('OfferedContext', () => {
  let clock: FakeClock;
  let editor: FakeEditor;
  let offered: OfferedContext;
  let changes: number;
  beforeEach(() => {
    clock = new FakeClock();
    editor = new FakeEditor({ '/ws/a.ts': 'one\ntwo' });
    const selections = new SelectionMentions(editor);
    offered = new OfferedContext({
      editor,
      selectionRow: () => selections.currentRow(),
      fileRow: (path) =>
        path === '/ws/secret.ts'
          ? Promise.reject(new EditorError('excluded', 'not for agents'))
          : Promise.resolve({ kind: 'file', id: `file:${path}`, title: path.slice(4), path }),
      clock,
      onError: throwIt,
    });
    changes = 0;
    offered.onDidChange(() => changes++);
    offered.start();
  });
  afterEach(() => offered.dispose());

  it('offers nothing without an editor, the active file, and its selected lines', async () => {
    assert.equal(await offered.currentRow(), undefined);
    editor.select('/ws/a.ts');
    assert.equal((await offered.currentRow())?.title, 'a.ts');
    const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 3 } };
    editor.select('/ws/a.ts', { ...range, text: 'one\ntwo' });
    assert.equal((await offered.currentRow())?.title, 'a.ts:1-2');
  });

  it('does not offer a file that agents may not read', async () => {
    editor.select('/ws/secret.ts');
    assert.equal(await offered.currentRow(), undefined);
  });

  it('tells once about many changes of a selection', () => {
    for (let index = 0; index < 20; index++) editor.select('/ws/a.ts');
    clock.advance(1_000);
    assert.equal(changes, 1);
  });
});
