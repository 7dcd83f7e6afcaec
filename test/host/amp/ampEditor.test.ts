import assert from 'node:assert/strict';
import { access, readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import * as z from 'zod';
import { AmpClient, ownLockfile } from '../support/ampClient';
import { eventually } from '../../support/eventually';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const start = new vscode.Position(0, 0);
/** An edit is answered after a second also when its saving takes longer. */
const saved = (file: string, text: string): Promise<void> =>
  eventually(`${file} to be saved`, async () => assert.equal(await onDisk(file), text));
const onDisk = (file: string): Promise<string> => readFile(file, 'utf8');

/** How many times the buffer of the file changes: an edit of the editor's does, one behind its back does not. */
function countChanges(file: string): { count: number; dispose(): void } {
  const subscription = vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
    if (document.uri.fsPath === file && contentChanges.length > 0) changes.count++;
  });
  const changes = { count: 0, dispose: () => void subscription.dispose() };
  return changes;
}

describe('an Amp client and the files of the editor', () => {
  let client: AmpClient;

  before(async () => {
    client = await AmpClient.connect(await ownLockfile());
  });
  afterEach(closeAll);
  after(() => client.close());

  it('reads the unsaved text, in both dialects', async () => {
    const file = await writeInWorkspace('amp/unsaved.txt', 'saved\n');
    const editor = await show(file);
    assert.deepEqual(await client.ask('readFile', { path: file }), {
      success: true,
      content: 'saved\n',
      encoding: 'utf-8',
      isDirty: false,
    });
    await type(editor, start, 'un');
    const { content, isDirty } = await client.ask('readFile', { path: file });
    assert.deepEqual([content, isDirty], ['unsaved\n', true]);
    assert.deepEqual(await client.askAsDocumented('readFile', { path: file }), { content: 'unsaved\n' });
  });

  it('takes a relative path from the workspace', async () => {
    await writeInWorkspace('amp/relative.txt', 'here\n');
    assert.deepEqual(await client.askAsDocumented('readFile', { path: 'amp/relative.txt' }), { content: 'here\n' });
  });

  it('edits bytes as the document says, in one step of undo, and saves', async () => {
    const file = await writeInWorkspace('amp/bytes.txt', 'grüße 🎸 an alle\n');
    const editor = await show(file);
    const before = Buffer.from('grüße ').length;
    const edit = { path: file, start: before, end: before + Buffer.byteLength('🎸'), newText: '🥁🎹' };
    assert.deepEqual(await client.askAsDocumented('editFile', edit), { success: true });
    assert.equal(editor.document.getText(), 'grüße 🥁🎹 an alle\n');
    await saved(file, 'grüße 🥁🎹 an alle\n');
    await show(file);
    await vscode.commands.executeCommand('undo');
    assert.equal(editor.document.getText(), 'grüße 🎸 an alle\n');
  });

  it('refuses offsets inside a character, and changes nothing', async () => {
    const file = await writeInWorkspace('amp/inside.txt', 'ü\n');
    const edit = { path: file, start: 1, end: 2, newText: 'u' };
    await assert.rejects(client.askAsDocumented('editFile', edit), /-32602/);
    assert.equal(await onDisk(file), 'ü\n');
  });

  it('replaces a whole file by an edit of the editor’s, which keeps the cursor', async () => {
    const file = await writeInWorkspace('amp/whole.txt', 'one\ntwo\nthree\n');
    const editor = await show(file);
    editor.selection = new vscode.Selection(2, 3, 2, 3);
    const changes = countChanges(file);
    try {
      const { success } = await client.ask('editFile', { path: file, fullContent: 'one\n2\nthree\n' });
      assert.deepEqual([success, changes.count], [true, 1]);
    } finally {
      changes.dispose();
    }
    assert.deepEqual([editor.selection.active.line, editor.selection.active.character], [2, 3]);
    await saved(file, 'one\n2\nthree\n');
    await eventually('nothing unsaved', () => assert.equal(editor.document.isDirty, false));
  });

  it('creates a missing file and its folders', async () => {
    const file = inWorkspace('amp', 'new', 'deep', 'made.txt');
    const { success } = await client.ask('editFile', { path: file, fullContent: 'made\n' });
    assert.deepEqual([success, await onDisk(file)], [true, 'made\n']);
  });

  it('gives a CRLF file its own line ends back', async () => {
    const file = await writeInWorkspace('amp/crlf.txt', 'one\r\ntwo\r\n');
    await client.ask('editFile', { path: file, fullContent: 'one\ntwo\nthree\n' });
    await saved(file, 'one\r\ntwo\r\nthree\r\n');
  });

  it('edits on top of unsaved changes, and leaves saving them to the user', async () => {
    const file = await writeInWorkspace('amp/dirty.txt', 'one\n');
    const editor = await show(file);
    await type(editor, start, 'mine ');
    await client.askAsDocumented('editFile', { path: file, start: 0, end: 0, newText: 'theirs ' });
    assert.equal(editor.document.getText(), 'theirs mine one\n');
    assert.deepEqual([editor.document.isDirty, await onDisk(file)], [true, 'one\n']);
  });

  it('does not read, write or announce what is excluded', async () => {
    const file = await writeInWorkspace('amp/.env.local', 'SECRET=1\n');
    const { success, message } = await client.ask('readFile', { path: file });
    assert.equal(success, false);
    assert.match(z.string().parse(message), /exclude/);
    await assert.rejects(client.askAsDocumented('editFile', { path: file, start: 0, end: 0, newText: 'x' }), /-32602/);
    assert.equal(await onDisk(file), 'SECRET=1\n');
  });

  it('does not leave the workspace', async () => {
    assert.equal((await client.ask('readFile', { path: '/etc/hostname' }))['success'], false);
    const outside = inWorkspace('..', 'outside.txt');
    assert.equal((await client.ask('editFile', { path: outside, fullContent: 'x' }))['success'], false);
    await assert.rejects(access(outside));
  });

  it('says so quietly when a file is missing', async () => {
    const { success } = await client.ask('readFile', { path: inWorkspace('amp', 'missing.txt') });
    assert.equal(success, false);
    await assert.rejects(client.askAsDocumented('readFile', { path: 'amp/missing.txt' }), /-32602/);
  });

  it('shows a place', async () => {
    const file = await writeInWorkspace('amp/place.txt', 'one\ntwo\nthree\n');
    const { success } = await client.ask('openURI', { uri: `${vscode.Uri.file(file).toString()}#L2` });
    assert.equal(success, true);
    await eventually('the place', () => {
      const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.fsPath === file);
      assert.equal(editor?.selection.start.line, 1);
    });
  });

  describe('and problems', () => {
    const collection = vscode.languages.createDiagnosticCollection('backline-test');
    let file: string;

    before(async () => {
      file = await writeInWorkspace('amp/problems/a.txt', 'one\n  two\n');
      const problem = new vscode.Diagnostic(
        new vscode.Range(1, 2, 1, 5),
        'is wrong',
        vscode.DiagnosticSeverity.Warning,
      );
      problem.source = 'tester';
      problem.code = 'T1';
      collection.set(vscode.Uri.file(file), [problem]);
    });
    after(() => collection.dispose());

    const diagnostic = {
      range: { startLine: 1, startCharacter: 2, endLine: 1, endCharacter: 5 },
      severity: 'warning',
      description: 'is wrong (tester T1)',
      lineContent: '  two',
      startOffset: 6,
      endOffset: 9,
    };

    it('gives those of a file or a folder in full to the CLI', async () => {
      const expected = { entries: [{ uri: vscode.Uri.file(file).toString(), diagnostics: [diagnostic] }] };
      for (const asked of [file, inWorkspace('amp', 'problems')]) {
        assert.deepEqual(await client.ask('getDiagnostics', { path: asked }), expected);
      }
    });

    it('gives those of the workspace in the document’s dialect', async () => {
      const all = z
        .array(z.looseObject({ path: z.string() }))
        .parse(await client.askAsDocumented('getDiagnostics', {}));
      const [ours] = all.filter((item) => item.path === file);
      assert.equal(ours?.['message'], 'is wrong');
      assert.equal(ours['severity'], 'warning');
    });
  });

  describe('and what the user looks at', () => {
    it('follows the selection and the visible files, in both dialects in one message', async () => {
      const file = await writeInWorkspace('amp/seen.txt', 'one\ntwo\n');
      const uri = vscode.Uri.file(file).toString();
      const editor = await show(file);
      editor.selection = new vscode.Selection(0, 1, 1, 2);
      await eventually('the selection', () => {
        assert.deepEqual(client.latest('selectionDidChange'), {
          uri,
          selections: [{ range: { startLine: 0, startCharacter: 1, endLine: 1, endCharacter: 2 }, content: 'ne\ntw' }],
        });
      });
      assert.deepEqual(client.latest('visibleFilesDidChange'), { uris: [uri] });
      const { text = '' } = client.notifications.findLast(({ name }) => name === 'selectionDidChange') ?? {};
      const { path, start: from } = z
        .object({
          serverNotification: z.object({
            method: z.object({
              selectionChanged: z.object({ path: z.string(), start: z.object({ line: z.number(), col: z.number() }) }),
            }),
          }),
        })
        .parse(JSON.parse(text)).serverNotification.method.selectionChanged;
      assert.deepEqual([path, from], [file, { line: 0, col: 1 }]);
    });

    it('tells a new client at once', async () => {
      const file = await writeInWorkspace('amp/already.txt', 'one\n');
      await show(file);
      await eventually('the file to be known', () =>
        assert.deepEqual(client.latest('visibleFilesDidChange'), { uris: [vscode.Uri.file(file).toString()] }),
      );
      const second = await AmpClient.connect(await ownLockfile());
      try {
        await eventually('the first messages', () => {
          assert.deepEqual(second.latest('visibleFilesDidChange'), { uris: [vscode.Uri.file(file).toString()] });
          assert.ok(second.latest('pluginMetadata')['version']);
        });
      } finally {
        second.close();
      }
    });

    it('clears the list when the last file is closed', async () => {
      await show(await writeInWorkspace('amp/closed.txt', 'one\n'));
      await eventually('the file', () =>
        assert.match(JSON.stringify(client.latest('visibleFilesDidChange')), /closed/),
      );
      await closeAll();
      await eventually('the empty list', () => assert.deepEqual(client.latest('visibleFilesDidChange'), { uris: [] }));
    });

    it('never clears the list while tabs change quickly', async () => {
      const files = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => writeInWorkspace(`amp/tab${n}.txt`, `${n}\n`)));
      const told = (): string => JSON.stringify(client.latest('visibleFilesDidChange'));
      await show(files[0] ?? '');
      await eventually('the first tab', () => assert.match(told(), /tab1/));
      const known = client.notifications.length;
      for (let round = 0; round < 5; round++) {
        for (const file of files) await vscode.commands.executeCommand('vscode.open', vscode.Uri.file(file));
      }
      await eventually('the last tab', () => assert.match(told(), /tab6/));
      const lists = client.notifications.slice(known).filter(({ name }) => name === 'visibleFilesDidChange');
      assert.deepEqual(
        lists.filter(({ data }) => JSON.stringify(data) === '{"uris":[]}'),
        [],
      );
    });

    it('never names an excluded file', async () => {
      const seen = await writeInWorkspace('amp/after.txt', 'one\n');
      const editor = await show(await writeInWorkspace('amp/.env', 'SECRET=1\n'));
      editor.selection = new vscode.Selection(0, 0, 0, 6);
      await show(seen);
      await eventually('the next file', () =>
        assert.match(JSON.stringify(client.latest('visibleFilesDidChange')), /after/),
      );
      const told = client.notifications.map(({ text }) => text).join('\n');
      assert.doesNotMatch(told, /\.env|SECRET/);
    });
  });
});
