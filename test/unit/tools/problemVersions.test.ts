import assert from 'node:assert/strict';
import type { Diagnostic } from '../../../src/editor/common/editorPort';
import { ProblemVersions } from '../../../src/tools/common/problems/problemVersions';
import { lineRange, type ToolBench } from './support/fakeLanguage';
import { bench, main, other } from './support/parserWorkspace';

const problem = (line: number, message: string, severity: Diagnostic['severity'] = 'error'): Diagnostic => ({
  range: lineRange(line, 2),
  severity,
  message,
  lineText: '',
  startOffset: 0,
  endOffset: 0,
});

async function versionOf(made: ToolBench, input: object = {}): Promise<string> {
  return /Version (\w+)/.exec(await made.call('problems', input))?.[1] ?? assert.fail('no version');
}

/** Lets time pass until the call has ended. */
async function inTime(made: ToolBench, call: Promise<string>): Promise<string> {
  const state = { hasEnded: false };
  const end = (): void => void (state.hasEnded = true);
  call.then(end, end);
  for (let turn = 0; !state.hasEnded && turn < 10_000; turn++) {
    await Promise.resolve();
    if (turn % 50 === 49) made.clock.advance(250);
  }
  return await call;
}

describe('problems since a version', () => {
  it('are those that are new and those that are gone, whatever lines have moved', async () => {
    const made = bench();
    made.editor.setDiagnostics(main, [
      problem(1, 'stays'),
      problem(2, 'twice'),
      problem(3, 'twice'),
      problem(4, 'old'),
    ]);
    const since = await versionOf(made);
    made.editor.setDiagnostics(main, [problem(11, 'stays'), problem(12, 'twice'), problem(9, 'new', 'warning')]);
    made.editor.setDiagnostics(other, [problem(0, 'elsewhere')]);
    const told = await inTime(made, made.call('problems', { since }));
    assert.match(told, /^2 new and 2 gone in the workspace: 4 problems now\. Version (?!undefined)\w+\nNew:\n/);
    assert.deepEqual(told.split('\n').slice(1), [
      'New:',
      'src/main.ts',
      '  10: warning: new',
      'src/other.ts',
      '  1: error: elsewhere',
      'Gone:',
      '  src/main.ts: error: twice',
      '  src/main.ts: error: old',
    ]);
    const next = /Version (\w+)/.exec(told)?.[1];
    assert.equal(next, await versionOf(made), 'the answer has the version of what there is now');
    assert.match(await inTime(made, made.call('problems', { since: next })), /^0 new and 0 gone/);
  });

  it('are told up to a number, and counted beyond', async () => {
    const made = bench();
    const many = (count: number) => Array.from({ length: count }, (_, line) => problem(line, `wrong ${line}`));
    let since = await versionOf(made);
    for (const [count, last] of [
      [50, '  50: error: wrong 49'],
      [101, '  … 1 more'],
    ] as const) {
      made.editor.setDiagnostics(main, many(count));
      const told = await inTime(made, made.call('problems', { since }));
      assert.equal(told.split('\n').at(-1), last);
      since = /Version (\w+)/.exec(told)?.[1] ?? '';
    }
  });

  it('are waited for, until they are the same twice', async () => {
    const made = bench();
    const since = await versionOf(made, { path: 'src' });
    const started = made.clock.monotonicNow();
    const told = made.call('problems', { path: 'src', since });
    while (made.clock.pending === 0) await Promise.resolve();
    made.clock.advance(250);
    while (made.clock.pending === 0) await Promise.resolve();
    made.editor.setDiagnostics(main, [problem(1, 'first')]);
    made.clock.advance(250);
    while (made.clock.pending === 0) await Promise.resolve();
    made.editor.setDiagnostics(main, [problem(1, 'first'), problem(2, 'second')]);
    assert.match(await inTime(made, told), /^2 new and 0 gone in src: 2 problems now/);
    assert.ok(made.clock.monotonicNow() - started < 2_000);
  });

  it('are not waited for longer than some seconds, or once the call is cancelled', async () => {
    const made = bench();
    const since = await versionOf(made);
    const started = made.clock.monotonicNow();
    assert.match(await inTime(made, made.call('problems', { since })), /^0 new and 0 gone[^\n]*$/);
    assert.equal(made.clock.monotonicNow() - started, 5_000);
    const cancelling = new AbortController();
    const cancelled = made.call('problems', { since }, cancelling.signal);
    while (made.clock.pending === 0) await Promise.resolve();
    cancelling.abort();
    await assert.rejects(cancelled);
    assert.equal(made.clock.pending, 0);
  });

  it('are looked for less often where a look takes long', async () => {
    const made = bench();
    const since = await versionOf(made);
    const started = made.clock.monotonicNow();
    const looks: number[] = [];
    made.editor.diagnostics = () => {
      looks.push(made.clock.monotonicNow() - started);
      made.clock.advance(500);
      return Promise.resolve([]);
    };
    assert.match(await inTime(made, made.call('problems', { since })), /^0 new and 0 gone/);
    assert.deepEqual(looks, [0, 2_000, 4_000, 6_000]);
  });

  it('need a version of the same files and severity', async () => {
    const made = bench();
    const since = await versionOf(made, { path: 'src' });
    await assert.rejects(made.call('problems', { since }), /belongs to other files or another severity/);
    await assert.rejects(made.call('problems', { path: 'src', since, severity: 'all' }), /another severity/);
    await assert.rejects(made.call('problems', { since: 'never' }), /Ask without since/);
  });

  it('never name a file that was excluded meanwhile', async () => {
    const made = bench();
    made.editor.setDiagnostics(main, [problem(1, 'secret of main')]);
    const since = await versionOf(made);
    made.editor.setDiagnostics(main, []);
    made.editor.exclude.push('main.ts');
    const told = await inTime(made, made.call('problems', { since }));
    assert.doesNotMatch(told, /main/);
    assert.match(told, /^0 new and 0 gone/);
  });

  it('are not told of files after the last one read, in both looks', async () => {
    const made = bench();
    const file = (index: number): string => `/ws/src/${String(index).padStart(4, '0')}.ts`;
    for (let index = 1; index <= 1_000; index++) made.editor.setDiagnostics(file(index), [problem(1, 'wrong')]);
    const all = await versionOf(made);
    made.editor.setDiagnostics(file(0), [problem(1, 'wrong')]);
    const cut = await inTime(made, made.call('problems', { since: all }));
    assert.match(cut, /^1 new and 0 gone in the workspace: 1000 problems now\./);
    assert.match(cut, /\nOnly the first 1000 files with problems were read/);
    const since = /Version (\w+)/.exec(cut)?.[1];
    made.editor.setDiagnostics(file(0), []);
    const told = await inTime(made, made.call('problems', { since }));
    assert.match(told, /^0 new and 1 gone in the workspace: 1000 problems now\./);
    assert.match(told, /\nOnly the first 1000 files with problems were read/);
  });

  it('are told of all files with the severity, however many others there are', async () => {
    const made = bench();
    for (let index = 0; index <= 1_000; index++)
      made.editor.setDiagnostics(`/ws/src/${index}.ts`, [problem(1, 'unused', 'hint')]);
    made.editor.setDiagnostics('/ws/src/z.ts', [problem(1, 'wrong'), problem(2, 'unused', 'hint')]);
    const told = await made.call('problems');
    assert.match(told, /^1 problem in the workspace, 1 error\. [^\n]*\nsrc\/z\.ts\n {2}2: error: wrong$/);
    assert.match(
      await made.call('problems', { severity: 'all' }),
      /\nOnly the first 1000 files with problems were read/,
    );
  });

  it('are remembered for some answers', () => {
    const versions = new ProblemVersions();
    const [first = '', ...others] = Array.from({ length: 31 }, (_, index) =>
      versions.remember('q', { problems: [{ path: '/a', text: String(index) }] }),
    );
    assert.equal(versions.changesSince(first, 'q', { problems: [] }), undefined);
    assert.equal(versions.changesSince(others[0] ?? '', 'q', { problems: [] })?.gone.length, 1);
  });
});
