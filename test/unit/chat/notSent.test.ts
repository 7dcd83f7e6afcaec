import assert from 'node:assert/strict';
import { BackendError } from '../../../src/session/common/sessionBackend';
import type { Chat } from '../../../src/chat/common/chatPorts';
import { FileMentions } from '../../../src/chat/common/mentions/fileMentions';
import { Attachment } from '../../../src/transcript/common/entries';
import { attachmentText } from '../../../src/transcript/common/export/exportTexts';
import { FakeEditor } from '../../fake/fakeEditor';
import { outline, spoken, Window } from './support/window';

const there = { kind: 'file' as const, id: 'file:/ws/there.ts', title: 'there.ts', path: '/ws/there.ts' };
const gone = { kind: 'file' as const, id: 'file:/ws/gone.ts', title: 'gone.ts', path: '/ws/gone.ts' };

describe('An attachment whose file is gone when its prompt is sent', () => {
  let window: Window;
  let editor: FakeEditor;
  beforeEach(async () => {
    editor = new FakeEditor({ '/ws/there.ts': 'one', '/ws/gone.ts': 'two' });
    const attachments = new FileMentions({
      index: { files: () => Promise.resolve([]) },
      editor,
      recentFiles: () => [],
    });
    window = await Window.open({ editor, attachments });
  });
  afterEach(() => window.remove());

  async function sent(): Promise<Chat> {
    const chat = await window.chats.create('one');
    const draft = { text: 'Compare them', attachments: [gone, there] };
    chat.saveDraft(draft);
    editor.deleteFile('/ws/gone.ts');
    await chat.send(draft);
    return chat;
  }

  const promptOf = (chat: Chat) => [...chat.transcript.entries()].find((entry) => entry.kind === 'prompt');

  it('is not sent, is named, and leaves the composer with the prompt', async () => {
    const chat = await sent();
    assert.deepEqual(window.agent.last.prompts[0]?.attachments, [{ type: 'file', path: '/ws/there.ts' }]);
    assert.ok(outline(chat).some((line) => /^notice: "gone\.ts" was not sent: .*gone\.ts/.test(line)));
    assert.deepEqual(chat.draft, { text: '', attachments: [] });
  });

  it('is marked in the prompt, even after reopening and in exports', async () => {
    const chat = await sent();
    const marks = [{ ...Attachment.parse(gone), notSent: true }, Attachment.parse(there)];
    assert.deepEqual(promptOf(chat)?.attachments, marks);
    assert.equal(promptOf(chat)?.attachments?.map(attachmentText)[0], 'gone.ts (/ws/gone.ts), not sent');
    const { folder } = window;
    await window.close();
    window = await Window.open({ folder, editor });
    assert.deepEqual(promptOf(await window.chats.open(chat.id))?.attachments, marks);
  });

  it('is not sent again when the prompt is edited', async () => {
    const chat = await sent();
    const entry = promptOf(chat);
    assert.ok(entry);
    const { draft } = await chat.restores.restorePointBefore(entry.id);
    assert.deepEqual(draft, { text: 'Compare them', attachments: [there] });
  });

  it('is restored to the composer with a prompt that the agent has refused', async () => {
    const chat = await spoken(window);
    editor.deleteFile('/ws/gone.ts');
    window.agent.last.beforePrompt = () => Promise.reject(new BackendError('notReady', 'Sign in first.'));
    const draft = { text: 'Compare them', attachments: [gone] };
    await assert.rejects(chat.send(draft), /Sign in first/);
    assert.deepEqual(chat.draft, draft);
  });
});
