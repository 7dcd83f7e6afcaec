import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { ContextCollector } from '../../../src/amplifier/common/context/contextCollector';
import { contextKinds, ContextSwitches } from '../../../src/amplifier/common/context/contextSwitches';
import { DocumentLanguages } from '../../../src/amplifier/vscode/documentLanguages';
import { createContextCollector } from '../../../src/amplifier/vscode/editorContext';
import { AdapterUnderTest } from '../support/editorAdapter';
import { eventually } from '../../support/eventually';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const { Error: error, Warning: warning, Information: information, Hint: hint } = vscode.DiagnosticSeverity;

describe('what Amplifier is told of the editor', () => {
  let subject: AdapterUnderTest;
  let switches: ContextSwitches;
  let context: ContextCollector;
  let collection: vscode.DiagnosticCollection;
  let outside: string;

  before(async () => {
    outside = await mkdtemp(path.join(tmpdir(), 'backline-outside-'));
  });
  beforeEach(() => {
    subject = new AdapterUnderTest();
    switches = new ContextSwitches([], (cause) => {
      throw cause;
    });
    context = createContextCollector(subject.adapter, switches, new DocumentLanguages(), () => false);
    collection = vscode.languages.createDiagnosticCollection('backline-test');
  });
  afterEach(async () => {
    subject.dispose();
    switches.dispose();
    collection.dispose();
    await closeAll();
    await rm(inWorkspace('told'), { recursive: true, force: true });
  });
  after(() => rm(outside, { recursive: true, force: true }));

  function report(file: string, ...all: (readonly [message: string, severity: vscode.DiagnosticSeverity])[]): void {
    const range = new vscode.Range(0, 1, 0, 3);
    collection.set(
      vscode.Uri.file(file),
      all.map(([message, severity]) => new vscode.Diagnostic(range, message, severity)),
    );
  }

  /** Whether peers may know what is selected in a file is asked of the disk first. */
  const known = (file: string): Promise<void> =>
    eventually(`${file} to be known`, () => assert.ok(subject.adapter.visibleFiles.includes(file)));

  it('is the open files, the active one first, with unsaved text, language and cursor', async () => {
    const hidden = await writeInWorkspace('told/hidden.md', '# hidden\n');
    const active = await writeInWorkspace('told/active.ts', 'const a = 1;\n');
    await show(hidden);
    const editor = await show(active);
    await type(editor, new vscode.Position(1, 0), 'unsaved');
    editor.selection = new vscode.Selection(0, 6, 0, 6);
    await known(active);
    assert.deepEqual((await context.collect()).open_files, [
      {
        path: active,
        language: 'typescript',
        content: 'const a = 1;\nunsaved',
        cursor_position: { line: 0, character: 6 },
      },
      { path: hidden, language: 'markdown', content: '# hidden\n' },
    ]);
  });

  it('is the root of the workspace and nothing more in an empty window', async () => {
    switches.setEnabled('diagnostics', false);
    assert.deepEqual(await context.collect(), { workspace_root: inWorkspace() });
  });

  it('is the selection, as it is before it is saved; a cursor is none', async () => {
    const editor = await show(await writeInWorkspace('told/select.txt', 'one\ntwo\n'));
    await known(editor.document.uri.fsPath);
    assert.equal((await context.collect()).selection, undefined);
    await type(editor, new vscode.Position(0, 0), 'new ');
    editor.selection = new vscode.Selection(0, 0, 1, 2);
    assert.deepEqual((await context.collect()).selection, {
      path: editor.document.uri.fsPath,
      text: 'new one\ntw',
      range: { start: { line: 0, character: 0 }, end: { line: 1, character: 2 } },
    });
  });

  it('is what VS Code diagnoses, the errors first, in the words of the API', async () => {
    const file = await writeInWorkspace('told/wrong.txt', 'wrong\n');
    report(file, ['d', hint], ['c', information], ['b', warning], ['a', error]);
    const told = (await context.collect()).diagnostics?.filter((diagnostic) => diagnostic.path === file) ?? [];
    assert.deepEqual(
      told.map(({ message, severity }) => `${message} ${severity}`),
      ['a error', 'b warning', 'c info', 'd hint'],
    );
    assert.deepEqual(told[0]?.range, { start: { line: 0, character: 1 }, end: { line: 0, character: 3 } });
  });

  it('has no more than 20 files, 64 Ki characters of each, and 200 diagnostics', async () => {
    const large = await writeInWorkspace('told/large.txt', 'x'.repeat(99).concat('\n').repeat(1000));
    for (let number = 1; number <= 21; number++) await show(await writeInWorkspace(`told/${number}.txt`, `${number}`));
    await show(large);
    const many = Array.from({ length: 300 }, (_, index) => [`w${index}`, warning] as const);
    report(large, ...many, ['e', error]);
    const { open_files: files = [], diagnostics = [] } = await context.collect();
    assert.equal(files.length, 20);
    assert.equal(files[0]?.path, large);
    const [content = ''] = files.map((file) => file.content);
    assert.ok(content.startsWith('x'.repeat(99)));
    assert.ok(content.length < 66_000, String(content.length));
    assert.match(content, /\[\d+ more characters are not shown\]\n$/);
    assert.equal(diagnostics.length, 200);
    // TypeScript may find fault with files of other tests, too: errors come first, whoever found them.
    assert.ok(
      diagnostics.findIndex(({ message }) => message === 'e') <
        diagnostics.findIndex(({ severity }) => severity !== 'error'),
    );
    assert.ok(diagnostics.some(({ message }) => message === 'e'));
  });

  it('holds nothing of files on the exclude list or outside the workspace', async () => {
    const stray = path.join(outside, 'stray.txt');
    await writeFile(stray, 'SECRET stray\n');
    await show(stray);
    report(stray, ['SECRET of stray', error]);
    const secret = await writeInWorkspace('told/.env', 'KEY=SECRET\n');
    const editor = await show(secret);
    editor.selection = new vscode.Selection(0, 0, 0, 10);
    report(secret, ['SECRET of .env', error]);
    const told = JSON.stringify(await context.collect());
    assert.ok(!told.includes('SECRET'), told);
    assert.ok(!told.includes('.env') && !told.includes('stray'), told);
    assert.deepEqual(await context.readFiles([secret, stray]), [], 'not even when the user attaches them');
  });

  it('leaves out what the user switched off, and reports what it would be', async () => {
    const file = await writeInWorkspace('told/off.txt', 'off\n');
    const editor = await show(file);
    editor.selection = new vscode.Selection(0, 0, 0, 3);
    await known(file);
    report(file, ['off', error]);
    for (const kind of contextKinds) switches.setEnabled(kind, false);
    assert.deepEqual(await context.collect(), { workspace_root: inWorkspace() });
    const chips = Object.fromEntries((await context.describeKinds()).map((chip) => [chip.kind, chip]));
    assert.deepEqual(
      Object.values(chips).map(({ isOn }) => isOn),
      [false, false, false, false],
    );
    assert.equal(chips['openFiles']?.label, '1 open file');
    assert.equal(chips['selection']?.label, 'Selection: 1 line');
    switches.setEnabled('selection', true);
    assert.deepEqual(Object.keys(await context.collect()), ['workspace_root', 'selection']);
  });
});
