import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { EditorError, type TextEdit, type TextFile } from '../../src/editor/common/editorPort';
import { AdapterUnderTest } from './support/editorAdapter';
import { eventually } from '../support/eventually';
import { closeAll, inWorkspace, show, writeInWorkspace } from './support/workspace';

const start = { line: 0, character: 0 };
const atStart = (newText: string): TextEdit => ({ range: { start, end: start }, newText });

describe('a file that is open and was written behind the back of VS Code', () => {
  let subject: AdapterUnderTest;

  beforeEach(() => {
    subject = new AdapterUnderTest();
  });
  afterEach(async () => {
    subject.dispose();
    await closeAll();
    await rm(inWorkspace('reload'), { recursive: true, force: true });
  });

  /**
   * Refused, and nothing changed, until VS Code has seen the writing. On a busy machine VS Code may have the text, but the time
   * from before: then it does not save, which is said, and the edit is in the buffer.
   */
  async function edited(file: string): Promise<TextFile | undefined> {
    return await eventually('the edit', async () => {
      const edit = subject.adapter.editText(file, () => [atStart('zero\n')]);
      return await edit.catch((error: unknown) => {
        if (error instanceof EditorError && error.code === 'saveFailed') return undefined;
        throw error;
      });
    });
  }

  async function editedAfterWriting(name: string, delayMs: number): Promise<void> {
    let files = 0;
    await eventually('an edit that is saved', async () => {
      const file = await writeInWorkspace(`reload/${name}-${++files}.txt`, 'one\nlast\n');
      const { document } = await show(file);
      // Each delay is another moment while VS Code reads the file.
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      await writeFile(file, 'one\ntwo\nlast\n');
      const answer = await edited(file);
      assert.equal(document.getText(), 'zero\none\ntwo\nlast\n');
      assert.deepEqual([answer?.text, answer?.isDirty], ['zero\none\ntwo\nlast\n', false]);
      assert.equal(await readFile(file, 'utf8'), answer?.text);
    });
  }

  it('is edited as it is on disk, and nothing of that is lost', async () => {
    await editedAfterWriting('edited', 0);
  });

  it('is saved with the edit, whenever it was written while VS Code read it', async () => {
    for (let delayMs = 0; delayMs < 250; delayMs += 25) await editedAfterWriting(`after-${delayMs}`, delayMs);
  });

  it('is not edited in the version from before, also right after it was shown again', async () => {
    const file = await writeInWorkspace('reload/stale.txt', 'one\n');
    await show(file);
    const { version } = await subject.adapter.readText(file);
    await closeAll();
    await writeFile(file, 'two\n');
    await show(file);
    const write = subject.adapter.writeText(file, 'x', { expectedVersion: version });
    await assert.rejects(write, { name: 'EditorError', code: 'staleVersion' });
    assert.equal(await readFile(file, 'utf8'), 'two\n');
  });
});
