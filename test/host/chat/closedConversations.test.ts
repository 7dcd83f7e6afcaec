import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { Dialogs } from '../../../src/chat/vscode/dialogs';
import { DiffViews } from '../../../src/chat/vscode/review/diffViews';
import { UndoActions } from '../../../src/chat/vscode/review/undoActions';
import { VirtualDocuments } from '../../../src/chat/vscode/review/virtualDocuments';
import type { NoticeAction } from '../../../src/platform/common/noticeBoard';
import { FakeChat } from '../../fake/fakeChats';
import { eventually } from '../../support/eventually';
import { ChatUnderTest } from '../support/chat';
import { closeAll, inWorkspace, writeInWorkspace } from '../support/workspace';

const yes: Dialogs = {
  confirm: () => Promise.resolve(true),
  choose: () => Promise.resolve(undefined),
  chooseFolder: () => Promise.resolve(undefined),
  chooseFile: () => Promise.resolve(undefined),
};

describe('a conversation that was closed while it was idle, and is another object when it is opened again', () => {
  let subject: ChatUnderTest;
  let closed: FakeChat;
  let reopened: FakeChat;
  let file: string;

  beforeEach(async () => {
    subject = await ChatUnderTest.start();
    closed = subject.chats.add('one');
    reopened = new FakeChat('one');
    file = await writeInWorkspace('closed/turn.txt', 'after\n');
    for (const chat of [closed, reopened]) {
      chat.say({ kind: 'prompt', id: 'p1', turn: 1, text: 'Do it', attachments: [] });
      chat.turns.set(`1 ${file}`, { path: file, before: 'before\n', after: 'after\n' });
    }
    closed.onRevert = () => Promise.reject(new Error('The closed conversation was used.'));
  });
  afterEach(async () => {
    await subject.dispose();
    await closeAll();
    await rm(inWorkspace('closed'), { recursive: true, force: true });
  });

  const reopen = (): void => void subject.chats.opened.set('one', reopened);

  it('undoes a file in the diff of its turn, and stays open meanwhile', async () => {
    const { turnReviews } = subject.window;
    await turnReviews.openTurn(closed, 1);
    reopen();
    const reverted: object[] = [];
    reopened.onRevert = (path, _force, { turn }) => {
      reverted.push({ path, turn, holders: reopened.holders });
      return Promise.resolve();
    };
    await eventually('the diff of the turn', () => turnReviews.undoShownFile(vscode.Uri.file(file)));
    assert.deepEqual(reverted, [{ path: file, turn: 1, holders: 1 }]);
    assert.equal(reopened.holders, 0);
  });

  it('undoes nothing in the diff of its turn without a file', async () => {
    const { turnReviews } = subject.window;
    await turnReviews.openTurn(closed, 1);
    reopen();
    await eventually('the diff of the turn', () =>
      assert.rejects(
        turnReviews.undoShownFile(vscode.Uri.file(inWorkspace('closed/other.txt'))),
        /no changes in this file/,
      ),
    );
    assert.equal(reopened.holders, 0);
  });

  it('undoes a restore that a notification has offered before, and stays open meanwhile', async () => {
    const offered: NoticeAction[] = [];
    const { restore } = subject.window;
    const undo = new UndoActions({
      diffViews: new DiffViews(new VirtualDocuments('backline-closed-test'), subject.editor.adapter),
      editorPort: subject.editor.adapter,
      dialogs: yes,
      messages: { info: (_message, ...actions) => void offered.push(...actions) },
      isShown: () => false,
      undoRestore: (sessionId, restoreId) => restore.undoIn(sessionId, restoreId, () => undefined),
    });
    closed.onRevert = () => Promise.resolve();
    closed.restoreId = 'restore';
    await undo.undoFile(closed, { path: file });
    const [action] = offered;
    assert.equal(action?.label, 'Undo Restore');
    reopen();
    const asked: object[] = [];
    Object.assign(reopened.restores, {
      get: (id: string) => void asked.push({ id, holders: reopened.holders }),
    });
    await assert.rejects(Promise.resolve(action.run()), /already undone/);
    assert.deepEqual(asked, [{ id: 'restore', holders: 1 }]);
    assert.equal(reopened.holders, 0);
  });
});
