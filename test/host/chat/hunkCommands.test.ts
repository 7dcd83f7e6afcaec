import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { hunksBetween, type Hunk } from '../../../src/changes/common/review/hunks';
import type { ReviewSource } from '../../../src/changes/common/review/reviewSource';
import { BaselineDocuments } from '../../../src/changes/vscode/review/baselineDocuments';
import { HunkCommands } from '../../../src/changes/vscode/review/hunkCommands';
import { HunkLenses } from '../../../src/changes/vscode/review/hunkLenses';
import { systemClock } from '../../../src/base/node/systemClock';
import { ReviewedMarks } from '../../../src/changes/common/review/reviewedMarks';
import { shortHash } from '../../../src/changes/node/storage/reviewedKeyFiles';
import { commandIds } from '../../../src/manifest';
import { MemoryReviewedKeys } from '../../fake/memoryReviewedKeys';
import { until } from '../../support/eventually';
import { inWorkspace, writeInWorkspace } from '../support/workspace';

const original = 'one\ntwo\nthree\nfour\nfive\n';
const changed = original.replace('two', 'TWO').replace('five', 'FIVE');

describe('the commands of a change', () => {
  let file: string;
  let files = 0;
  let kept: Hunk[];
  let askedAbout: Hunk[];
  let source: ReviewSource;
  let baselines: BaselineDocuments;
  let commands: HunkCommands;
  let marks: ReviewedMarks;
  const handlers = new Map<string, (...args: readonly unknown[]) => unknown>();
  const startCommands = (reviewed: ReviewSource): HunkCommands => {
    const setHandler = (id: string, handler: (...args: readonly unknown[]) => unknown) => {
      handlers.set(id, handler);
      return { dispose: () => handlers.delete(id) };
    };
    const editor = { open: () => Promise.resolve() };
    const started = new HunkCommands({ source: reviewed, baselines, commands: { setHandler }, editor, marks });
    started.start();
    return started;
  };
  const run = async (id: string, ...args: readonly unknown[]): Promise<unknown> => await handlers.get(id)?.(...args);

  beforeEach(async () => {
    // VS Code may still have the text of a file that another test has written.
    file = await writeInWorkspace(`review/hunks${++files}.txt`, changed);
    kept = [];
    askedAbout = [];
    const nothing = (): Promise<void> => Promise.resolve();
    source = {
      onDidChange: () => ({ dispose: () => undefined }),
      paths: [file],
      formerPaths: new Map(),
      baseline: () => Promise.resolve(original),
      texts: () => Promise.resolve({ baseline: original, text: changed }),
      keepHunk: (_path, hunk) => Promise.resolve(void kept.push(hunk)),
      undoHunk: nothing,
      askAboutHunk: (_path, hunk) => Promise.resolve(void askedAbout.push(hunk)),
      keepFile: nothing,
      undoFile: nothing,
      keepAll: nothing,
      undoAll: nothing,
      refresh: nothing,
    };
    baselines = new BaselineDocuments(source);
    marks = new ReviewedMarks({
      ...{ keys: new MemoryReviewedKeys(), hash: shortHash, clock: systemClock },
      onError: (error) => assert.fail(String(error)),
    });
    marks.start(source);
    commands = startCommands(source);
  });
  afterEach(async () => {
    commands.dispose();
    marks.dispose();
    baselines.dispose();
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
  });

  const [first, second] = hunksBetween(original, changed);

  it('of a lens keep what it was above, and nothing after the file has changed', async () => {
    const document = await vscode.workspace.openTextDocument(file);
    const provider = new HunkLenses(source, () => true, marks);
    const lenses = await provider.provideCodeLenses(document);
    provider.dispose();
    const args = lenses.map(({ command }) => (command?.arguments ?? []) as readonly unknown[]);
    await run(commandIds.reviewKeepHunk, ...(args[5] ?? []));
    assert.deepEqual(kept, [second]);
    await run(commandIds.reviewAskAboutHunk, ...(args[9] ?? []));
    assert.deepEqual(askedAbout, [second]);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(document.uri, new vscode.Position(0, 0), 'zero\nzero\n');
    await vscode.workspace.applyEdit(edit);
    await assert.rejects(run(commandIds.reviewKeepHunk, ...(args[5] ?? [])), /has changed in the meantime/);
    assert.equal(kept.length, 1);
    await document.save();
  });

  it('are above the change at the cursor, and go with it', async () => {
    const lenses = new HunkLenses(source, () => false, marks);
    let refreshes = 0;
    lenses.onDidChangeCodeLenses(() => refreshes++);
    try {
      const shown = await vscode.window.showTextDocument(vscode.Uri.file(file));
      const titlesAt = async (line: number): Promise<string[]> => {
        shown.selection = new vscode.Selection(line, 0, line, 0);
        const found = await lenses.provideCodeLenses(shown.document);
        return found.map(({ command, range }) => `${range.start.line} ${command?.title ?? ''}`);
      };
      assert.deepEqual(await titlesAt(0), []);
      assert.deepEqual(await titlesAt(1), [
        '1 Keep',
        '1 Undo',
        '1 Mark as Reviewed',
        '1 Next (1 of 2)',
        '1 Side Question',
      ]);
      const before = refreshes;
      shown.selection = new vscode.Selection(4, 0, 4, 2);
      await until('the lenses are asked for again', () => refreshes > before);
      assert.deepEqual(await titlesAt(4), [
        '4 Keep',
        '4 Undo',
        '4 Mark as Reviewed',
        '4 Next (2 of 2)',
        '4 Side Question',
      ]);
    } finally {
      lenses.dispose();
    }
  });

  it('of the inline diff keep its lines, and nothing if they are elsewhere now', async () => {
    const lines = { originalStartLineNumber: 2, originalEndLineNumber: 2 };
    const change = { ...lines, modifiedStartLineNumber: 2, modifiedEndLineNumber: 2 };
    await run(commandIds.reviewKeepHunk, vscode.Uri.file(file), [change], 0);
    assert.deepEqual(kept, [first]);
    const stale = { ...lines, modifiedStartLineNumber: 3, modifiedEndLineNumber: 3 };
    await assert.rejects(run(commandIds.reviewKeepHunk, vscode.Uri.file(file), [stale], 0), /has changed/);
  });

  it('find the change at the cursor, on both sides of a diff', async () => {
    const show = async (uri: vscode.Uri, line: number): Promise<void> => {
      await vscode.window.showTextDocument(uri, { selection: new vscode.Range(line, 0, line, 0) });
    };
    await show(vscode.Uri.file(file), 4);
    await run(commandIds.reviewKeepHunk);
    await show(baselines.uriOf(file), 1);
    await run(commandIds.reviewKeepHunk);
    assert.deepEqual(kept, [second, first]);
    await run(commandIds.reviewAskAboutHunk);
    assert.deepEqual(askedAbout, [first]);
    await show(vscode.Uri.file(file), 2);
    await assert.rejects(run(commandIds.reviewKeepHunk), /no agent change at the cursor/);
  });

  it('find lines that are gone at the line after them, and at the line before, which is marked', async () => {
    const shorter = await writeInWorkspace(`review/shorter${files}.txt`, 'one\nfour');
    const gone = { ...source, paths: [shorter], baseline: () => Promise.resolve('one\ntwo\nfour\nfive') };
    commands.dispose();
    commands = startCommands(gone);
    const keptAt = async (line: number): Promise<Hunk['before'] | undefined> => {
      kept = [];
      await vscode.window.showTextDocument(vscode.Uri.file(shorter), { selection: new vscode.Range(line, 0, line, 0) });
      await run(commandIds.reviewKeepHunk);
      return kept[0]?.before;
    };
    assert.deepEqual(await keptAt(0), { start: 1, end: 2 });
    assert.deepEqual(await keptAt(1), { start: 1, end: 2 });
  });

  it('mark a change as reviewed and go to the next one that is not, over all files and back to the first', async () => {
    const other = await writeInWorkspace(`review/other${files}.txt`, changed);
    const deleted = inWorkspace('review', `deleted${files}.txt`);
    const textOf = (path: string): string | null => (path === deleted ? null : changed);
    commands.dispose();
    marks.dispose();
    marks = new ReviewedMarks({
      ...{ keys: new MemoryReviewedKeys(), hash: shortHash, clock: systemClock },
      onError: (error) => assert.fail(String(error)),
    });
    const three: ReviewSource = {
      ...source,
      paths: [file, deleted, other],
      texts: (path) => Promise.resolve({ baseline: original, text: textOf(path) }),
    };
    marks.start(three);
    commands = startCommands(three);
    const place = (): string => {
      const active = vscode.window.activeTextEditor;
      return `${active?.document.uri.path.split('/').at(-1)} ${active?.selection.active.line}`;
    };
    const names = [file, deleted, other].map((one) => vscode.Uri.file(one).path.split('/').at(-1));
    await vscode.window.showTextDocument(vscode.Uri.file(other), { selection: new vscode.Range(1, 0, 1, 0) });
    await run(commandIds.reviewMarkHunkAndGoOn);
    assert.equal(place(), `${names[2]} 4`);
    await run(commandIds.reviewMarkHunkAndGoOn);
    assert.equal(place(), `${names[0]} 1`);
    await run(commandIds.reviewMarkHunk, { toggle: true });
    await run(commandIds.reviewMarkHunk, { toggle: true });
    assert.deepEqual(await marks.count([file]), { reviewed: 0, total: 2 });
    await run(commandIds.reviewMarkFile, { toggle: true });
    await run(commandIds.reviewNextUnreviewed);
    await until('the deleted file', () => place().startsWith(`${names[1]} `));
    await run(commandIds.reviewMarkHunkAndGoOn);
    assert.deepEqual(await marks.count(three.paths), { reviewed: 5, total: 5 });
    await run(commandIds.reviewUnmarkFile, vscode.Uri.file(other));
    await run(commandIds.reviewNextUnreviewed);
    assert.equal(place(), `${names[2]} 1`);
    const lenses = new HunkLenses(three, () => true, marks);
    const titles = async (path: string): Promise<(string | undefined)[]> =>
      (await lenses.provideCodeLenses(await vscode.workspace.openTextDocument(path))).map(
        ({ command }) => command?.title,
      );
    assert.ok((await titles(file)).includes('Mark as Not Reviewed'));
    assert.ok(!(await titles(other)).includes('Mark as Not Reviewed'));
    lenses.dispose();
  });

  it('explain what to do about a file that was deleted', async () => {
    const gone = vscode.Uri.file(inWorkspace('review', 'gone.txt'));
    await assert.rejects(run(commandIds.reviewUndoHunk, gone, 0), /in the Source Control view/);
  });
});
