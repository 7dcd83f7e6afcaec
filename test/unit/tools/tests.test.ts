import assert from 'node:assert/strict';
import { bench } from './support/parserWorkspace';

const failed = `<summary passed=3 failed=1 />
<testFailure name="adds \\"two\\"" path="src/main.test.ts > sum">
<expectedOutput>
3
</expectedOutput>
<actualOutput>
4
</actualOutput>
<stackFrame path="/ws/src/main.ts" line="12" col="3" />
<stackFrame path="/ws/src/.env" line="1" col="1" />
<stackFrame path="/usr/lib/node.js" line="9" col="1" />
<stackFrame>native code</stackFrame>
<message>
not equal

at all
</message>
<location path="/ws/src/other.ts" line="1" col="1" />
<location path="/ws/src/other.ts" line="1" col="9" />
</testFailure>
`;

const onePassed = '1 passed, 0 failed. VS Code does not count skipped tests.';

describe('the tool tests', () => {
  it('is there where VS Code runs tests for extensions', () => {
    const made = bench();
    const names = (): string[] => made.tools.tools.map(({ definition }) => definition.name);
    assert.ok(names().includes('tests'));
    made.tests.isAvailable = false;
    assert.ok(!names().includes('tests') && names().includes('tasks'));
  });

  it('lists the tests of files, and who has found any', async () => {
    const made = bench();
    assert.match(await made.call('tests', { action: 'list' }), /^VS Code has found no tests here\./);
    made.tests.knownProviders = ['mocha', 'pytest'];
    assert.match(await made.call('tests', { action: 'list' }), /has tests of: mocha, pytest\./);
    made.tests.testsByFile['/ws/src/main.ts'] = Array.from({ length: 201 }, (_, index) => ['sum', `adds ${index}`]);
    const told = (await made.call('tests', { action: 'list', files: ['src/main.ts', 'src/other.ts'] })).split('\n');
    assert.deepEqual(told.slice(0, 2), ['src/main.ts: 201 tests', '  sum > adds 0']);
    assert.equal(told.filter((row) => row.startsWith('  ')).length, 200);
    assert.deepEqual(told.slice(-2), ['src/other.ts: none found yet', '… 1 more']);
    made.tests.testsByFile['/ws/src/main.ts'] = Array.from({ length: 200 }, (_, index) => [`adds ${index}`]);
    assert.match(await made.call('tests', { action: 'list', files: ['src/main.ts'] }), /\n {2}adds 199$/);
    await assert.rejects(made.call('tests', { action: 'list', files: ['src/.env'] }), /exclude/);
    assert.deepEqual(made.caller.commands, [], 'nobody is asked');
  });

  it('runs tests after they were allowed, once, with a warning', async () => {
    const made = bench();
    const selected = { action: 'run', files: ['src/main.ts'], names: ['adds'] };
    assert.equal(await made.call('tests', selected), onePassed);
    assert.deepEqual(made.tests.runs, [{ files: ['/ws/src/main.ts'], names: ['adds'] }]);
    for (const selected of [{}, { files: ['src/main.ts'] }, { names: ['adds'] }])
      assert.equal(await made.call('tests', { action: 'run', ...selected }), onePassed);
    assert.deepEqual(
      made.caller.commands.map(({ argv, cwd }) => [...argv, cwd]),
      [
        ['VS Code tests: “adds” in src/main.ts', '/ws'],
        ['VS Code tests: all', '/ws'],
        ['VS Code tests: in src/main.ts', '/ws'],
        ['VS Code tests: “adds”', '/ws'],
      ],
    );
    assert.ok(made.caller.commands.every(({ warning }) => warning?.includes('code that the agent has changed')));
    made.caller.answer = () => Promise.resolve({ isGranted: false, reason: 'The user said no.' });
    await assert.rejects(made.call('tests', { action: 'run' }), /No test was run\. The user said no\./);
    await assert.rejects(made.call('tests', { action: 'run', files: ['src/.env'] }), /exclude/);
    assert.equal(made.tests.runs.length, 4);
  });

  it('ends a run that takes too long', async () => {
    const made = bench();
    const signals: AbortSignal[] = [];
    made.tests.results = (signal) => {
      signals.push(signal);
      return new Promise(() => undefined);
    };
    made.tests.lastFailures = () => Promise.resolve(failed);
    const told = assert.rejects(
      made.call('tests', { action: 'run', timeout: 5 }),
      /^ToolError: The run did not end within 5 s, so it was stopped\.\nFailures of the last run[^\n]* are missing:\n3 passed, 1 failed/,
    );
    while (made.clock.pending === 0) await Promise.resolve();
    assert.equal(signals[0]?.aborted, false);
    made.clock.advance(5_000);
    await told;
    assert.equal(signals[0].aborted, true);
    const noFailures =
      /so it was stopped\.\nNo failures were reported before it was stopped\. This does not mean that tests passed: [^\n]*/;
    for (const [reported, expected] of [
      ['', new RegExp(`${noFailures.source}$`)],
      ['<output>\nran\n</output>\n', new RegExp(`${noFailures.source}\nOutput:\n  ran$`)],
      [undefined, /so it was stopped\.$/],
    ] as const) {
      made.tests.lastFailures = () =>
        reported === undefined ? Promise.reject(new Error('broken')) : Promise.resolve(reported);
      const again = made.call('tests', { action: 'run', timeout: 5 }).then(() => 'it was not stopped', String);
      while (made.clock.pending === 0) await Promise.resolve();
      made.clock.advance(5_000);
      assert.match(await again, expected);
      if (reported !== undefined)
        assert.match(await made.call('tests', { action: 'failures' }), /^No failures are known\.[^\n]* did not end/);
    }
    made.tests.results = () => Promise.resolve('<summary passed=1 failed=0 />\n');
    made.tests.lastFailures = () => Promise.resolve('');
    await made.call('tests', { action: 'run' });
    assert.equal(await made.call('tests', { action: 'failures' }), 'The last run has no failures.');
    made.tests.results = () => Promise.reject(new Error('broken'));
    await assert.rejects(made.call('tests', { action: 'run' }), /^Error: broken$/);
    assert.equal(made.clock.pending, 0);
  });

  it('does not wait without end for the list, or for the last results', async () => {
    const made = bench();
    const never = (): Promise<never> => new Promise(() => undefined);
    Object.assign(made.tests, { testsIn: never, results: never });
    for (const asked of [{ action: 'failures' }, { action: 'list', files: ['src/main.ts'] }]) {
      const told = assert.rejects(made.call('tests', asked), /did not answer within 30 s/);
      for (let turn = 0; turn < 50; turn++) await Promise.resolve();
      assert.equal(made.clock.pending, 1);
      made.clock.advance(30_000);
      await told;
    }
  });

  it('tells why tests fail, and names no file that agents may not see', async () => {
    const made = bench();
    made.tests.results = () => Promise.resolve(failed);
    const expected = [
      '3 passed, 1 failed. VS Code does not count skipped tests.',
      'Failed: src/main.test.ts > sum > adds "two"',
      '  expected:',
      '  3',
      '  actual:',
      '  4',
      '  at src/main.ts:12',
      '  at native code',
      '  not equal',
      '  at all',
      '  at src/other.ts:1',
    ].join('\n');
    assert.equal(await made.call('tests', { action: 'run' }), expected);
    assert.equal(await made.call('tests', { action: 'failures' }), expected);
    assert.deepEqual([made.tests.runs.length, made.caller.commands.length], [1, 1], 'failures run nothing');
  });

  it('keeps what it does not know, but no line with a path that agents may not see', async () => {
    const made = bench();
    made.tests.results = () =>
      Promise.resolve(
        'said path="/ws/src/.env"\n}\n}\n<stackFrame path="/ws/src/main.ts">main</stackFrame>\n<testFailure name="\\q" path="">\n<coverage path="/ws/src/.env" percent=3>\n<coverage path="/ws/src/main.ts" percent=4>\n<output>\nran\n</output>\n<testFailure name=\u0022a\u0022 path=\u0022\u0022>',
      );
    assert.equal(
      await made.call('tests', { action: 'failures' }),
      '  }\n  }\n  at src/main.ts\nFailed: "\\q"\n<coverage path="/ws/src/main.ts" percent=4>\nOutput:\n  ran\nFailed: a',
    );
  });

  it('keeps what tests compare, also where it looks like a place outside of the workspace', async () => {
    const made = bench();
    const route = '<Route path="/users">';
    made.tests.results = () =>
      Promise.resolve(`${route}\n${route}\n<location path="/usr/lib/node.js" line="9" col="1" />\n<Route path=".env">`);
    assert.equal(await made.call('tests', { action: 'failures' }), `${route}\n${route}`);
  });

  it('tells in its own words that there are no tests, no run and no failures', async () => {
    const made = bench();
    for (const [results, expected] of [
      [
        'No tests found in the files. Ensure the correct absolute paths are passed.',
        /^VS Code has found no such tests\./,
      ],
      ['No test run was started. Instruct the user to ensure', /^VS Code started no run\./],
    ] as const) {
      made.tests.results = () => Promise.resolve(results);
      assert.match(await made.call('tests', { action: 'run' }), expected);
    }
    for (const [results, expected] of [
      ['No test failures were found yet, call the runTests tool', 'No tests were run in this window yet.'],
      ['', 'The last run has no failures.'],
      ['<output>\nran\n</output>\n', 'The last run has no failures.\nOutput:\n  ran'],
      ['<testFailure name="a" path="">\n</testFailure>\n<output>\nran\n</output>\n', 'Failed: a\nOutput:\n  ran'],
    ] as const) {
      made.tests.results = () => Promise.resolve(results);
      assert.equal(await made.call('tests', { action: 'failures' }), expected);
    }
  });

  it('cuts long results', async () => {
    const made = bench();
    made.tests.results = () =>
      Promise.resolve(Array.from({ length: 900 }, (_, index) => `row ${index} ${'x'.repeat(90)}`).join('\n'));
    const told = await made.call('tests', { action: 'failures' });
    assert.ok(told.length < 16_100);
    assert.match(told, /… and more\. Run fewer tests to see the others\.$/);
  });
});
