import assert from 'node:assert/strict';
import { ChangeLedger } from '../../../../src/chat/common/changes/changeLedger';
import { ConversationClaims, FileTextClaims } from '../../../../src/chat/common/writes/fileTextClaims';
import { FileTexts } from '../../../../src/chat/common/changes/fileTexts';
import { FakeEditor } from '../../../fake/fakeEditor';

const path = '/ws/a.ts';

describe('a file that an agent has written on disk while its editor has unsaved text', () => {
  it('is counted as the agent has written it', async () => {
    const editor = new FakeEditor({ [path]: 'one\n' });
    let disk = 'one\n';
    const stored = new Map<string, string>();
    const texts = new FileTexts(
      { editor, readDiskText: () => Promise.resolve(disk) },
      {
        idOf: (text) => `id of ${text}`,
        putText: (text) => {
          stored.set(`id of ${text}`, text);
          return Promise.resolve(`id of ${text}`);
        },
        getText: (id) => Promise.resolve(stored.get(id)),
      },
    );
    const ledger = new ChangeLedger(
      texts,
      () => undefined,
      new ConversationClaims(new FileTextClaims()),
      () => Promise.resolve(),
    );
    editor.type(path, 'mine\n');
    const base = await texts.storeText(await texts.readFromDisk(path));
    disk = 'one\ntwo\n';
    const written = await texts.readFromDisk(path);
    await ledger.recordWrite({ path, base, written, isAgentsWork: () => true });
    await ledger.endTurn(1, (changes) => [...changes]);
    await ledger.refresh();
    assert.deepEqual(ledger.changes, [{ path, change: 'modified', added: 1, removed: 0, state: 'applied' }]);
    disk = 'three\n';
    await ledger.refresh();
    assert.equal(ledger.changes[0]?.state, 'changedSince');
  });
});
