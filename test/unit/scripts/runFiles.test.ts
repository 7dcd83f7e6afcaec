import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { run } from '../../../scripts/lib/processes.mjs';
import { only } from '../../support/only';
import { forgetSummary, readSummary, type Summary } from '../../../scripts/lib/tests/summary.mjs';

/** The text of a test file that adds a line to `runs` and then runs `code`, which knows the number of the run. */
const testFile = (runs: string, code: string): string => `
  const { appendFileSync, readFileSync } = require('node:fs');
  appendFileSync(${JSON.stringify(runs)}, 'run\\n');
  const number = readFileSync(${JSON.stringify(runs)}, 'utf8').split('\\n').length - 1;
  describe('a file', () => {
    it('has a steady test', () => undefined);
    it('has another test', () => { ${code} });
  });`;

interface Ran {
  readonly code: number;
  readonly output: string;
  readonly summary: Summary;
}

describe('the runner of page and UI test files', () => {
  let folder = '';
  let name = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.resolve('out', 'second-run-'));
    name = path.basename(folder);
  });
  afterEach(async () => {
    const files = ['a', 'b'].map((file) => `${name}-..-${name}-${file}.test.js`);
    await Promise.all([name, ...files].map(forgetSummary));
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs the files, each by the code of its second test. */
  const runFiles = (...codes: readonly string[]): Promise<Ran> => runWith({}, codes);

  async function runWith(options: object, codes: readonly string[]): Promise<Ran> {
    const ended = await start(options, codes);
    const summary = await readSummary(name);
    assert.ok(summary, ended.output);
    return { ...ended, summary };
  }

  async function start(options: object, codes: readonly string[]): Promise<Omit<Ran, 'summary'>> {
    const files = codes.map((_, index) => path.join(folder, `${'ab'.charAt(index)}.test.js`));
    for (const [index, file] of files.entries()) await writeFile(file, testFile(`${file}.runs`, codes[index] ?? ''));
    const script = `const { runFiles } = await import(${JSON.stringify(path.resolve('scripts/lib/tests/runFiles.mjs'))});
      const options = ${JSON.stringify({ timeoutMs: 20_000, maxSilentMs: 10_000, ...options })};
      await runFiles(${JSON.stringify(name)}, ${JSON.stringify(files)}, options);`;
    return await run(process.execPath, ['--input-type=module', '-e', script]);
  }

  it('runs a file that failed once more, and passes what passes then', async () => {
    const { code, output, summary } = await runFiles("if (number === 1) throw new Error('too slow');", '');
    assert.equal(code, 0, output);
    assert.deepEqual([summary.passes, summary.failures], [4, 0]);
    assert.deepEqual(summary.flaky, [`${name}/a.test.ts: a file has another test: Error: too slow`]);
    assert.match(output, /^flaky: .*a\.test\.ts: a file has another test: Error: too slow$/m);
    assert.equal(await readFile(path.join(folder, 'b.test.js.runs'), 'utf8'), 'run\n');
  });

  it('runs a file that ended its process once more', async () => {
    const { code, output, summary } = await runFiles('if (number === 1) process.exit(0);');
    assert.equal(code, 0, output);
    assert.deepEqual([summary.passes, summary.flaky?.length], [2, 1]);
  });

  it('fails when a file fails twice, and does not try a third time', async () => {
    const { code, output, summary } = await runFiles("throw new Error('broken');");
    assert.equal(code, 1, output);
    assert.deepEqual([summary.passes, summary.failures, summary.flaky], [1, 1, []]);
    assert.equal(await readFile(path.join(folder, 'a.test.js.runs'), 'utf8'), 'run\nrun\n');
  });

  it('kills a file that hangs, and runs it once more', async () => {
    const hang = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);';
    const { code, output, summary } = await runFiles(`if (number === 1) ${hang}`);
    assert.equal(code, 0, output);
    assert.match(output, /It printed nothing for 10 s, so it was killed/);
    assert.deepEqual([summary.passes, summary.flaky], [2, [`${name}/a.test.ts: it did not finish`]]);
  });

  it('runs files of one list in one process, and by itself the one that failed', async () => {
    const { code, output, summary } = await runWith({ inOneProcess: [['b', 'a']] }, [
      "if (number === 1 && globalThis.shared === 'by b') throw new Error('after b');",
      "globalThis.shared = 'by b';",
    ]);
    assert.equal(code, 0, output);
    assert.deepEqual(
      summary.files.map(({ file, passes }) => [path.basename(file), passes]),
      [
        ['b.test.ts', 2],
        ['a.test.ts', 2],
      ],
    );
    assert.deepEqual(summary.flaky, [`${name}/a.test.ts: a file has another test: Error: after b`]);
    assert.equal(await readFile(path.join(folder, 'b.test.js.runs'), 'utf8'), 'run\n');
  });

  it('runs as many files in a process as it is told to', async () => {
    const { output, summary } = await runWith({ filesAProcess: 2, atOnce: 1 }, [
      'globalThis.shared = true;',
      "if (!globalThis.shared) throw new Error('another process');",
    ]);
    assert.deepEqual([summary.passes, summary.flaky], [4, []], output);
  });

  it('runs each file of one list by itself when their process ended', async () => {
    const { code, output, summary } = await runWith({ inOneProcess: [['a', 'b']] }, [
      'if (number === 1) process.exit(0);',
      '',
    ]);
    assert.equal(code, 0, output);
    assert.deepEqual([summary.passes, summary.failures, summary.flaky?.length], [4, 0, 2]);
  });

  it('runs nothing when a name of an option is that of no file', async () => {
    const { code, output } = await start({ isWhole: true, inOneProcess: [['a', 'gone']], long: ['a', 'renamed'] }, [
      '',
    ]);
    assert.equal(code, 1);
    assert.match(output, /No test file has the name renamed, gone$/m);
    await assert.rejects(readFile(path.join(folder, 'a.test.js.runs')), { code: 'ENOENT' });
  });

  it('runs the files that a filter has left, whatever the options name', async () => {
    const { code, output } = await start({ inOneProcess: [['a', 'gone']] }, ['']);
    assert.equal(code, 0, output);
  });

  only('where there are pipes in folders', process.platform !== 'win32').it(
    'ends a file that leaves a read without an end behind',
    async () => {
      const pipe = JSON.stringify(path.join(folder, 'pipe'));
      const { output, summary } = await runFiles(`
        require('node:child_process').execFileSync('mkfifo', [${pipe}]);
        require('node:fs').readFile(${pipe}, () => undefined);`);
      assert.doesNotMatch(output, /killed/);
      assert.deepEqual([summary.passes, summary.flaky], [2, []]);
    },
  );
});
