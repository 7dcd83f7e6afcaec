import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import * as z from 'zod';
import { ChatError } from '../../../src/chat/common/chatPorts';
import { MentionRow } from '../../../src/chat/common/chatView';
import type { FakeChat } from '../../fake/fakeChats';
import { ChatUnderTest, type PageUnderTest } from '../support/chat';
import { eventually } from '../../support/eventually';
import { closeAll, inWorkspace, show, writeInWorkspace } from '../support/workspace';

describe('what users do with an answer', () => {
  let subject: ChatUnderTest;
  let chat: FakeChat;
  let page: PageUnderTest;

  beforeEach(async () => {
    subject = await ChatUnderTest.start();
    chat = subject.chats.add('one');
    // There is no second column while the first one is empty.
    await show(await writeInWorkspace('chat/first.txt', 'first'));
    page = await subject.tab('one', vscode.ViewColumn.Two);
  });
  afterEach(async () => {
    await subject.dispose();
    await closeAll();
    await rm(inWorkspace('chat'), { recursive: true, force: true });
  });

  async function activeDiff(): Promise<{ before: string; after: string; uri: vscode.Uri }> {
    return await eventually('a diff editor', async () => {
      const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
      assert.ok(input instanceof vscode.TabInputTextDiff);
      const [original, modified] = await Promise.all([
        vscode.workspace.openTextDocument(input.original),
        vscode.workspace.openTextDocument(input.modified),
      ]);
      return { before: original.getText(), after: modified.getText(), uri: input.modified };
    });
  }

  const rowsOf = (result: Record<string, unknown>): MentionRow[] => z.array(MentionRow).parse(result['rows']);

  it('put code where the cursor is, also while the chat has the focus', async () => {
    const editor = await show(await writeInWorkspace('chat/a.ts', 'one\ntwo\n'));
    editor.selection = new vscode.Selection(1, 0, 1, 3);
    page.panel.reveal();
    await page.ask('insertAtCursor', { text: 'TWO' });
    assert.equal(editor.document.getText(), 'one\nTWO\n');
  });

  it('see code as a change of the file it names, and apply it', async () => {
    const file = await writeInWorkspace('chat/apply.ts', 'function a() {\n  return 1;\n}\n');
    await page.ask('applyCode', { text: 'function a() {\n  return 2;\n}', path: 'chat/apply.ts' });
    const { before, after } = await activeDiff();
    assert.match(before, /return 1/);
    assert.match(after, /return 2/);
    assert.match(await readFile(file, 'utf8'), /return 1/, 'nothing is changed yet');
    await subject.window.code.apply();
    assert.match(await readFile(file, 'utf8'), /return 2/);
    await vscode.commands.executeCommand('undo');
    assert.match((await vscode.workspace.openTextDocument(file)).getText(), /return 1/);
  });

  it('see no problems that the suggested code does not make', async () => {
    const file = await writeInWorkspace('chat/problem.ts', "const wrongTotal: number = 'one';\n");
    const { document } = await show(file);
    const problemsOf = (uri: vscode.Uri) => vscode.languages.getDiagnostics(uri).map(({ message }) => message);
    const before = await eventually('the problem of the file', () => {
      const problems = problemsOf(document.uri);
      assert.equal(problems.length, 1);
      return problems;
    });
    await page.ask('applyCode', { text: 'const wrongTotal: number = ;', path: file });
    const { uri } = await activeDiff();
    // Once this one is validated, those opened before it are.
    const last = await show(await writeInWorkspace('chat/last.ts', "const lastTotal: number = 'three';\n"));
    await eventually('the problem of the last file', () => assert.equal(problemsOf(last.document.uri).length, 1));
    assert.deepEqual(problemsOf(uri), []);
    assert.deepEqual(problemsOf(document.uri), before);
  });

  it('discard it, and are told when there is nothing to apply', async () => {
    const file = await writeInWorkspace('chat/discard.ts', 'const a = 1;\n');
    await page.ask('applyCode', { text: 'const b = 2;', path: file });
    await activeDiff();
    await subject.window.code.discard();
    assert.equal(await readFile(file, 'utf8'), 'const a = 1;\n');
    await subject.window.code.apply();
  });

  it('cannot apply code to a file that is not for agents, or that has changed meanwhile', async () => {
    await assert.rejects(page.ask('applyCode', { text: 'K=1', path: '/etc/hosts' }), /outside the workspace/);
    const file = await writeInWorkspace('chat/stale.ts', 'const a = 1;\n');
    await page.ask('applyCode', { text: 'const b = 2;', path: file });
    const { uri } = await activeDiff();
    await writeInWorkspace('chat/stale.ts', 'const other = 1;\n');
    await assert.rejects(subject.window.code.apply(uri), /chang/i);
    assert.equal(await readFile(file, 'utf8'), 'const other = 1;\n');
  });

  it('open code as a new file in its language', async () => {
    await page.ask('openAsNewFile', { text: 'print(1)', language: 'py' });
    await eventually('the new file', () => {
      const { document } = vscode.window.activeTextEditor ?? {};
      assert.equal(document?.getText(), 'print(1)');
      assert.equal(document.languageId, 'python');
    });
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('open a place that an answer names, and nothing else', async () => {
    await writeInWorkspace('chat/lines.txt', 'one\ntwo\nthree\n');
    for (const [target, line, row] of [
      ['chat/lines.txt', 2, 1],
      ['chat/lines.txt:3', undefined, 2],
    ] as const) {
      await page.ask('open', { target, ...(line === undefined ? {} : { line }) });
      await eventually('the place', () => assert.equal(vscode.window.activeTextEditor?.selection.start.line, row));
    }
    await assert.rejects(page.ask('open', { target: 'command:workbench.action.quit' }), /can’t open command: links/);
    await assert.rejects(page.ask('open', { target: '/etc/passwd' }), /outside the workspace/);
  });

  it('compare the texts of a change in the diff editor', async () => {
    chat.diff = { path: inWorkspace('chat/diff.ts'), before: 'const colour = 1;\n', after: 'const color = 1;\n' };
    await page.ask('openDiff', { sessionId: 'one', entryId: 't', part: 0 });
    const { before, after } = await activeDiff();
    assert.deepEqual([before, after], [chat.diff.before, chat.diff.after]);
    chat.diff = undefined;
    await assert.rejects(page.ask('openDiff', { sessionId: 'one', entryId: 't', part: 0 }), /no longer available/);
  });

  it('compare a file with what it was before the conversation', async () => {
    const file = await writeInWorkspace('chat/change.ts', 'now\n');
    chat.before.set(file, 'before\n');
    await page.ask('openChange', { sessionId: 'one', path: file });
    const { before, after, uri } = await activeDiff();
    assert.deepEqual([before, after], ['before\n', 'now\n']);
    assert.equal(uri.scheme, 'file', 'the right side can be edited');
    await assert.rejects(page.ask('openChange', { sessionId: 'one', path: '/other' }), /did not record/);
    chat.states.set('all /other', { before: undefined, after: { kind: 'file', object: '1', bytes: 4 } });
    await page.ask('openChange', { sessionId: 'one', path: '/other' });
  });

  it('compare a file as a turn has found it with how the turn has left it', async () => {
    const file = await writeInWorkspace('chat/turn.ts', 'now\n');
    chat.turns.set(`2 ${file}`, { path: file, before: 'one\n', after: 'two\n' });
    await page.ask('openChange', { sessionId: 'one', path: file, turn: 2 });
    const { before, after } = await activeDiff();
    assert.deepEqual([before, after], ['one\n', 'two\n']);
    await assert.rejects(page.ask('openChange', { sessionId: 'one', path: file, turn: 3 }), /did not record/);
  });

  it('undo one file at once, all of them after a question, without later edits of the same lines', async () => {
    const reverted: string[] = [];
    const change = (path: string) => ({ path, change: 'modified', added: 1, removed: 1, state: 'applied' }) as const;
    chat.change({ changes: [change('/a'), change('/b'), change('/c')] });
    chat.onRevert = (path, force) => {
      if (path === '/c' && !force) return Promise.reject(new ChatError('changedSince', 'It was changed.'));
      reverted.push(path);
      return Promise.resolve();
    };
    await page.ask('revert', { sessionId: 'one', path: '/a' });
    assert.deepEqual(subject.questions, []);
    await page.ask('revert', { sessionId: 'one' });
    assert.deepEqual(reverted, ['/a', '/b']);
    assert.deepEqual(chat.partlyUndone, ['/c'], 'what can be separated from later edits');
    assert.deepEqual(
      subject.questions.map(({ action }) => action),
      ['Undo All'],
    );
    chat.change({ changes: [] });
    await assert.rejects(page.ask('revert', { sessionId: 'one' }), /no changes to undo/);
  });

  it('undo a file with later edits as far as these allow, or wholly if they insist', async () => {
    const file = await writeInWorkspace('chat/conflict.ts', 'of the user\n');
    const forced: boolean[] = [];
    chat.before.set(file, 'before\n');
    chat.onRevert = (_path, force) => {
      if (!force) return Promise.reject(new ChatError('changedSince', 'It was changed.'));
      forced.push(force);
      return Promise.resolve();
    };
    await page.ask('revert', { sessionId: 'one', path: file });
    assert.deepEqual(subject.choices[0]?.actions, ['Compare', 'Undo Everything']);
    assert.deepEqual(chat.partlyUndone, [], 'comparing changes nothing');
    const { before, after } = await activeDiff();
    assert.deepEqual([before, after], ['before\n', 'of the user\n']);
    chat.separable = { separable: 2, total: 3 };
    await page.ask('revert', { sessionId: 'one', path: file });
    assert.deepEqual(subject.choices[1]?.actions, ['Undo 2 of 3 Changes', 'Undo Everything']);
    assert.deepEqual([chat.partlyUndone, forced], [[file], []]);
    subject.chosenIndex = 2;
    await page.ask('revert', { sessionId: 'one', path: file });
    assert.deepEqual([chat.partlyUndone, forced], [[file], []], 'the dialog was closed');
    subject.chosenIndex = 1;
    await page.ask('revert', { sessionId: 'one', path: file });
    assert.deepEqual(forced, [true]);
  });

  it('undo a file without text that was changed later only after a question, with a way back', async () => {
    const forced: boolean[] = [];
    chat.change({
      changes: [{ path: '/a.png', kind: 'binary', change: 'modified', added: 0, removed: 0, state: 'applied' }],
    });
    chat.restoreId = 'restore';
    chat.onRevert = (_path, force) => {
      if (!force) return Promise.reject(new ChatError('changedSince', 'It was changed.'));
      forced.push(force);
      return Promise.resolve();
    };
    subject.isConfirmed = false;
    await page.ask('revert', { sessionId: 'one', path: '/a.png' });
    assert.match(subject.questions[0]?.detail ?? '', /Undo Restore brings them back\./);
    assert.deepEqual([forced, subject.choices], [[], []]);
    subject.isConfirmed = true;
    await page.ask('revert', { sessionId: 'one', path: '/a.png' });
    assert.deepEqual(forced, [true]);
  });

  it('see all changes of a turn in one editor, as they were then', async () => {
    const file = await writeInWorkspace('chat/current.ts', 'now\n');
    const older = await writeInWorkspace('chat/older.ts', 'later\n');
    chat.say({ kind: 'prompt', id: 'p', turn: 4, text: 'Fix\nthe $(bug) of this very long prompt that has to be cut' });
    chat.turns.set(`4 ${file}`, { path: file, before: 'one\n', after: undefined });
    chat.turns.set(`4 ${older}`, { path: older, before: null, after: 'two\n' });
    await page.ask('reviewChanges', { sessionId: 'one', turn: 4 });
    await eventually('the editor', () =>
      assert.equal(
        vscode.window.tabGroups.activeTabGroup.activeTab?.label,
        'Changes in Turn “Fix the $(bug) of this very long prompt …” (2 files)',
      ),
    );
    const texts = vscode.workspace.textDocuments.map((document) => `${document.uri.scheme} ${document.getText()}`);
    for (const expected of ['backline-chat-test one\n', 'file now\n', 'backline-chat-test two\n']) {
      assert.ok(texts.includes(expected), `${expected} in ${texts.join()}`);
    }
    await assert.rejects(page.ask('reviewChanges', { sessionId: 'one', turn: 5 }), /no changes/);
    await assert.rejects(page.ask('reviewChanges', { sessionId: 'one' }), /can’t be shown/);
  });

  it('export a conversation into a file they choose', async () => {
    subject.saveAs = vscode.Uri.file(inWorkspace('chat', 'export.md'));
    await page.ask('exportSession', { sessionId: 'one', format: 'markdown' });
    assert.equal(await readFile(subject.saveAs.fsPath, 'utf8'), 'one as markdown');
  });

  it('see very large output in an editor', async () => {
    chat.say({ kind: 'answer', id: 'big', turn: 1, text: 'x'.repeat(2 * 1024 * 1024) });
    chat.say({ kind: 'answer', id: 'small', turn: 1, text: 'small' });
    const { entry } = await page.ask('showAll', { sessionId: 'one', entryId: 'small' });
    assert.deepEqual(entry, { kind: 'answer', id: 'small', turn: 1, text: 'small' });
    await page.ask('showAll', { sessionId: 'one', entryId: 'big' });
    await eventually('the output', () =>
      assert.equal(vscode.window.activeTextEditor?.document.getText().length, 2 * 1024 * 1024),
    );
  });

  it('mention real files, the selection, problems and tabs', async () => {
    const file = await writeInWorkspace('chat/deep/mentioned.ts', 'one\ntwo\nthree\n');
    await writeInWorkspace('chat/.env', 'KEY=1');
    await eventually('the new file', async () => {
      const [row] = rowsOf(await page.ask('mentions', { query: 'mntioned', kind: 'file' }));
      assert.equal(row?.path, file);
      assert.equal(row.tokens, 4);
    });
    const found = rowsOf(await page.ask('mentions', { query: '.env', kind: 'file' }));
    assert.ok(found.every(({ title }) => title !== '.env'));
    // A kind that takes longer than a list of rows may wait is left out.
    await eventually('the folder', async () => {
      const folder = rowsOf(await page.ask('mentions', { query: 'chat/deep', kind: 'folder' }));
      assert.equal(folder[0]?.title, 'deep/');
    });
    const editor = await show(file);
    editor.selection = new vscode.Selection(0, 0, 2, 0);
    await eventually('the selection', () => assert.equal(subject.mentions.selectionRow()?.title, 'mentioned.ts:1-2'));
    await eventually('all kinds', async () => {
      const rows = rowsOf(await page.ask('mentions', { query: '' }));
      assert.ok(rows.some(({ kind }) => kind === 'selection'));
      assert.ok(rows.some(({ kind }) => kind === 'editors'));
      assert.equal(rows.find(({ kind }) => kind === 'file')?.path, file, 'the file opened last comes first');
    });
  });

  it('drop files and folders of the workspace, and are told when one is not for agents', async () => {
    const file = await writeInWorkspace('chat/dropped.ts', 'x');
    const uris = [vscode.Uri.file(file).toString(), inWorkspace('chat'), '/etc/hosts'];
    const rows = rowsOf(await page.ask('dropped', { uris }));
    assert.deepEqual(
      rows.map(({ kind, title }) => [kind, title]),
      [
        ['file', 'dropped.ts'],
        ['folder', 'chat/'],
      ],
    );
    await assert.rejects(page.ask('dropped', { uris: ['/etc/hosts'] }), /outside the workspace/);
  });
});
