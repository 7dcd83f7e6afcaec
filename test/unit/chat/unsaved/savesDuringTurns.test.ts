import assert from 'node:assert/strict';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { FakeCheckpoints } from '../../../fake/fakeCheckpoints';
import { FakeEditor } from '../../../fake/fakeEditor';
import { eventually } from '../../../support/eventually';
import { event } from '../support/transcriptRecorder';
import { draft, settled, Window } from '../support/window';

const a = '/ws/a.txt';
const text = 'one\ntwo\nthree\nfour\nfive\n';

describe('a file that the user saves during a turn', () => {
  let editor: FakeEditor;
  let window: Window;
  let chat: Chat;
  beforeEach(async () => {
    editor = new FakeEditor({ [a]: text });
    window = await Window.open({ editor, checkpoints: new FakeCheckpoints(editor) });
    chat = await window.chats.create('one');
    await chat.send(draft('Go'));
  });
  afterEach(() => window.remove());

  const states = () => chat.view.changes.map(({ change, path, state }) => `${path} ${change} ${state}`);

  /** A shell command writes the file, and its editor reads it again. */
  function shellWrites(write: (disk: string) => string): void {
    editor.setFile(a, write(editor.diskText(a)));
  }

  async function userSaves(edit: (buffer: string) => string): Promise<void> {
    editor.type(a, edit(editor.bufferText(a)));
    await window.save(a);
  }

  /** Looks for changes while the turn runs. */
  async function scan(): Promise<void> {
    const call = { tool_name: 'shell', operation: 'shell', call_id: 'c', kind: 'execute' };
    window.agent.last.tell(event('tool:pre', { ...call, input: {} }));
    window.agent.last.tell(event('tool:post', { ...call, result: { success: true } }));
    await eventually('a scan', () => assert.notDeepEqual(states(), []));
  }

  async function hasChange(shown: string, baseline: string): Promise<void> {
    await eventually('the change', async () => {
      assert.deepEqual(states(), [`${a} modified applied`]);
      assert.equal(await chat.fileChanges.baseline(a), baseline);
    });
    assert.equal(editor.bufferText(a), shown);
  }

  it('keeps the change that a shell command had made before, and that no scan had seen', async () => {
    shellWrites((disk) => disk.replace('two', 'TWO'));
    await userSaves((buffer) => buffer.replace('five', 'mine'));
    window.agent.last.end();
    await hasChange('one\nTWO\nthree\nfour\nmine\n', text.replace('five', 'mine'));
    await chat.revert(a);
    assert.equal(editor.diskText(a), text.replace('five', 'mine'));
  });

  it('keeps the changes that shell commands make between several saves', async () => {
    for (const [agents, users] of [
      ['one', 'three'],
      ['two', 'four'],
    ] as const) {
      shellWrites((disk) => disk.replace(agents, agents.toUpperCase()));
      await userSaves((buffer) => buffer.replace(users, `my ${users}`));
    }
    await userSaves((buffer) => `${buffer}my six\n`);
    window.agent.last.end();
    const baseline = 'one\ntwo\nmy three\nmy four\nfive\nmy six\n';
    await hasChange('ONE\nTWO\nmy three\nmy four\nfive\nmy six\n', baseline);
  });

  it('keeps the change that a shell command makes after a scan', async () => {
    shellWrites((disk) => disk.replace('one', 'ONE'));
    await scan();
    shellWrites((disk) => disk.replace('two', 'TWO'));
    await userSaves((buffer) => buffer.replace('five', 'mine'));
    await scan();
    window.agent.last.end();
    await settled();
    await hasChange('ONE\nTWO\nthree\nfour\nmine\n', text.replace('five', 'mine'));
  });

  it('is the user’s if they save it without an edit after the agent’s change was undone', async () => {
    shellWrites((disk) => disk.replace('one', 'ONE'));
    await scan();
    await chat.revert(a);
    await userSaves((buffer) => buffer.replace('five', 'mine'));
    window.agent.last.end();
    await settled();
    assert.deepEqual(states(), []);
    assert.equal(editor.diskText(a), text.replace('five', 'mine'));
  });

  it('has the agent’s change alone while the user’s text is not saved', async () => {
    shellWrites((disk) => disk.replace('one', 'ONE'));
    editor.type(a, editor.bufferText(a).replace('five', 'mine'));
    await scan();
    await hasChange('ONE\ntwo\nthree\nfour\nmine\n', text.replace('five', 'mine'));
    await window.save(a);
    window.agent.last.end();
    await settled();
    await hasChange('ONE\ntwo\nthree\nfour\nmine\n', text.replace('five', 'mine'));
  });

  it('is not saved by the undo of an agent’s change while it has unsaved text', async () => {
    shellWrites((disk) => disk.replace('one', 'ONE'));
    await scan();
    const saved = editor.diskText(a);
    editor.type(a, editor.bufferText(a).replace('five', 'mine'));
    await chat.revert(a);
    assert.equal(editor.bufferText(a), text.replace('five', 'mine'));
    assert.equal(editor.diskText(a), saved);
    window.agent.last.end();
    await settled();
    assert.deepEqual(states(), []);
    await window.save(a);
    assert.equal(editor.diskText(a), text.replace('five', 'mine'));
  });
});
