import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { run } from '../../../scripts/lib/processes.mjs';
import { forgetSummary, readSummary, type Summary } from '../../../scripts/lib/tests/summary.mjs';
import { only } from '../../support/only';

describe('the runner of unit test files', () => {
  let folder = '';
  let name = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.resolve('out', 'pool-'));
    name = path.basename(folder);
  });
  afterEach(async () => {
    await forgetSummary(name);
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs files with one test each, which runs that code, in one process at a time. */
  const runPool = (...codes: readonly string[]) => runWithin(10 * 60_000, ...codes);

  async function runWithin(
    maxFileMs: number,
    ...codes: readonly string[]
  ): Promise<{ code: number; output: string; summary: Summary }> {
    const files = codes.map((_, index) => path.join(folder, `${index}.test.js`));
    for (const [index, file] of files.entries())
      await writeFile(file, `describe('a file', () => { it('has a test', () => { ${codes[index] ?? ''} }); });`);
    const script = `const { runPool } = await import(${JSON.stringify(path.resolve('scripts/lib/tests/runPool.mjs'))});
      await runPool(${JSON.stringify(name)}, ${JSON.stringify(files)}, { timeoutMs: 60_000, maxFileMs: ${maxFileMs}, processes: 1 });`;
    const ended = await run(process.execPath, ['--input-type=module', '-e', script]);
    const summary = await readSummary(name);
    assert.ok(summary, ended.output);
    return { ...ended, summary };
  }

  it('counts the tests of all files, and fails when one fails, which it does not run again', async () => {
    const { code, output, summary } = await runPool('', "console.log('ran'); throw new Error('broken');", '');
    assert.equal(code, 1, output);
    assert.equal(output.match(/^ran$/gm)?.length, 1, output);
    assert.deepEqual([summary.passes, summary.failures, summary.flaky], [2, 1, []]);
    assert.deepEqual(summary.failed, ['a file has a test: Error: broken']);
  });

  it('fails the file at which a process ends, and runs those behind it in another one', async () => {
    const { code, output, summary } = await runPool('', 'process.exit(0);', '');
    assert.equal(code, 1, output);
    assert.deepEqual([summary.passes, summary.failures], [2, 1]);
    assert.deepEqual(
      summary.files.map(({ file, failures }) => [path.basename(file), failures]),
      [
        ['0.test.ts', 0],
        ['1.test.ts', 1],
        ['2.test.ts', 0],
      ],
    );
  });

  it('fails a file that blocks its process, and runs those behind it', async () => {
    // As long as the other file may take, with the start of its process.
    const maxFileMs = 8_000;
    const blocks = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
    const { code, output, summary } = await runWithin(maxFileMs, blocks, '');
    assert.equal(code, 1, output);
    assert.match(output, /The process of .*0\.test\.ts ended \(SIGKILL\)/);
    assert.deepEqual([summary.passes, summary.failures], [1, 1]);
  });

  it('lets no file hear of what is thrown in another one', async () => {
    const rejects =
      "void Promise.reject(new Error('nobody')); return new Promise((resolve) => setTimeout(resolve, 5));";
    const { code, output, summary } = await runPool(...Array.from({ length: 40 }, () => ''), rejects);
    assert.equal(code, 0, output);
    assert.equal(summary.passes, 41);
  });

  only('where there are pipes in folders', process.platform !== 'win32').it(
    'ends although a test left a read without an end behind',
    async () => {
      const pipe = JSON.stringify(path.join(folder, 'pipe'));
      const { code, output } = await runPool(`
        require('node:child_process').execFileSync('mkfifo', [${pipe}]);
        require('node:fs').readFile(${pipe}, () => undefined);`);
      assert.equal(code, 0, output);
    },
  );
});
