import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { EditorPort } from '../../../src/editor/common/editorPort';
import { AdapterUnderTest } from '../support/editorAdapter';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const { Error: error, Warning: warning, Information: information, Hint: hint } = vscode.DiagnosticSeverity;

describe('diagnostics through the editor', () => {
  let subject: AdapterUnderTest;
  let editor: EditorPort;
  let collection: vscode.DiagnosticCollection;
  let outside: string;

  before(async () => {
    outside = await mkdtemp(path.join(tmpdir(), 'backline-outside-'));
  });
  beforeEach(() => {
    subject = new AdapterUnderTest();
    editor = subject.adapter;
    collection = vscode.languages.createDiagnosticCollection('backline-test');
  });
  afterEach(async () => {
    subject.dispose();
    collection.dispose();
    await closeAll();
    await rm(inWorkspace('problems'), { recursive: true, force: true });
  });
  after(() => rm(outside, { recursive: true, force: true }));

  function report(file: string, line: number, from: number, to: number, severity = error): vscode.Diagnostic {
    const diagnostic = new vscode.Diagnostic(new vscode.Range(line, from, line, to), `at ${line}`, severity);
    collection.set(vscode.Uri.file(file), [...(collection.get(vscode.Uri.file(file)) ?? []), diagnostic]);
    return diagnostic;
  }

  const files = async (below?: string): Promise<string[]> =>
    (await editor.diagnostics(below)).map((file) => path.relative(inWorkspace('problems'), file.path));

  it('come with their place in a file that is not open, and all that is known of them', async () => {
    const file = await writeInWorkspace('problems/a.txt', 'grüße\r\n😀 world\r\n');
    const diagnostic = new vscode.Diagnostic(new vscode.Range(1, 3, 1, 8), 'No world', warning);
    diagnostic.source = 'test';
    diagnostic.code = { value: 42, target: vscode.Uri.parse('https://example.org') };
    collection.set(vscode.Uri.file(file), [diagnostic]);
    assert.deepEqual(await editor.diagnostics(file), [
      {
        path: file,
        diagnostics: [
          {
            range: { start: { line: 1, character: 3 }, end: { line: 1, character: 8 } },
            severity: 'warning',
            message: 'No world',
            source: 'test',
            code: '42',
            lineText: '😀 world',
            startOffset: 10,
            endOffset: 15,
          },
        ],
      },
    ]);
  });

  it('name their severity', async () => {
    const file = await writeInWorkspace('problems/severity.txt', 'a\n');
    for (const severity of [error, warning, information, hint]) report(file, 0, 0, 1, severity);
    const [found] = await editor.diagnostics(file);
    assert.deepEqual(found?.diagnostics.map(({ severity }) => severity).sort(), [
      'error',
      'hint',
      'information',
      'warning',
    ]);
  });

  it('stand in the unsaved text', async () => {
    const file = await writeInWorkspace('problems/unsaved.txt', 'two\n');
    await type(await show(file), new vscode.Position(0, 0), 'one\n');
    report(file, 1, 0, 3);
    const [found] = await editor.diagnostics(file);
    assert.deepEqual([found?.diagnostics[0]?.lineText, found?.diagnostics[0]?.startOffset], ['two', 4]);
  });

  it('beyond the text stand at its end', async () => {
    const file = await writeInWorkspace('problems/beyond.txt', 'ab');
    report(file, 7, 0, 3);
    const [found] = await editor.diagnostics(file);
    assert.deepEqual([found?.diagnostics[0]?.lineText, found?.diagnostics[0]?.endOffset], ['ab', 2]);
  });

  it('of a folder are those below it, not those of a folder whose name begins alike', async () => {
    for (const name of ['src/b.txt', 'src/deep/a.txt', 'src2/c.txt']) {
      report(await writeInWorkspace(`problems/${name}`, 'x\n'), 0, 0, 1);
    }
    assert.deepEqual(await files('problems/src'), ['src/b.txt', 'src/deep/a.txt']);
    assert.deepEqual(await files('problems/src/b.txt'), ['src/b.txt']);
  });

  it('of the whole workspace leave out what is not for peers', async () => {
    for (const name of ['a.txt', '.env']) report(await writeInWorkspace(`problems/${name}`, 'x\n'), 0, 0, 1);
    await writeFile(path.join(outside, 'out.txt'), 'x');
    report(path.join(outside, 'out.txt'), 0, 0, 1);
    const own = (await files()).filter((file) => !file.startsWith('..'));
    assert.deepEqual(own, ['a.txt']);
    const all = await editor.diagnostics();
    assert.ok(all.every((file) => file.path.startsWith(inWorkspace() + path.sep)));
  });

  it('are bounded in the number of files, of which those with the wanted severities count', async () => {
    for (const name of ['a', 'b', 'c']) report(await writeInWorkspace(`problems/${name}.txt`, 'x\n'), 0, 0, 1);
    assert.equal((await editor.diagnostics('problems', { maxFiles: 2 })).length, 2);
    const hints = await editor.diagnostics('problems', { maxFiles: 2, severities: ['hint'] });
    assert.deepEqual(hints, []);
    assert.deepEqual(await editor.diagnostics('problems/a.txt', { severities: ['hint'] }), []);
  });

  it('are not given to who gave up, and nothing more is read then', async () => {
    for (const name of ['a', 'b', 'c']) report(await writeInWorkspace(`problems/${name}.txt`, 'x\n'), 0, 0, 1);
    const cancelled = { name: 'EditorError', code: 'cancelled' };
    await assert.rejects(editor.diagnostics(undefined, { signal: AbortSignal.abort() }), cancelled);
    const controller = new AbortController();
    const asked = editor.diagnostics('problems', { signal: controller.signal });
    controller.abort();
    await assert.rejects(asked, cancelled);
  });

  it('of a large file come without their line', async () => {
    const file = await writeInWorkspace('problems/large.txt', Buffer.alloc(3 * 1024 * 1024, 'x'));
    report(file, 0, 5, 6);
    const [found] = await editor.diagnostics(file);
    assert.deepEqual([found?.diagnostics[0]?.lineText, found?.diagnostics[0]?.startOffset], ['', 0]);
  });

  it('of what is missing, outside or excluded are an error', async () => {
    const code = (code: string): object => ({ name: 'EditorError', code });
    await assert.rejects(editor.diagnostics('problems/missing'), code('notFound'));
    await assert.rejects(editor.diagnostics(outside), code('outsideWorkspace'));
    await assert.rejects(editor.diagnostics(await writeInWorkspace('problems/.env', '')), code('excluded'));
    assert.deepEqual(await editor.diagnostics(await writeInWorkspace('problems/clean.txt', '')), []);
  });
});
