import assert from 'node:assert/strict';
import type { KnownTask, StartedTask, TaskEnd } from '../../../src/tools/common/taskPort';
import { FakeToolCaller } from '../../fake/fakeToolCaller';
import { ToolBench } from './support/fakeLanguage';

const startedWith = (whenEnded: Promise<TaskEnd>, output?: () => string): StartedTask => {
  const state = { hasEnded: false };
  void whenEnded.then(() => (state.hasEnded = true));
  return {
    whenEnded,
    get hasEnded() {
      return state.hasEnded;
    },
    output: () => Promise.resolve(output?.()),
  };
};

describe('the tool tasks', () => {
  function withTasks(...changes: Partial<KnownTask>[]) {
    const made = new ToolBench({});
    const started: string[] = [];
    const end = Promise.withResolvers<TaskEnd>();
    made.knownTasks = changes.map((change) => ({
      name: 'test',
      source: 'npm',
      group: 'test',
      command: { argv: ['npm', 'run', 'test'], cwd: '/ws', env: { CI: '1' } },
      folder: '/ws',
      isBackground: false,
      start: () => {
        started.push(change.name ?? 'test');
        return Promise.resolve(startedWith(end.promise));
      },
      ...change,
    }));
    return { made, started, end };
  }

  it('lists tasks with what they run', async () => {
    assert.equal(await withTasks().made.call('tasks'), 'VS Code has no tasks here.');
    const { made } = withTasks({}, { name: 'watch', group: '', command: undefined, isBackground: true });
    assert.equal(await made.call('tasks'), '2 tasks\n  npm: test — npm run test  [test]\n  npm: watch  [does not end]');
    const many = withTasks(...Array.from({ length: 101 }, (_, index) => ({ name: `t${index}`, group: '' }))).made;
    const rows = (await many.call('tasks')).split('\n');
    assert.deepEqual([rows[0], rows[1], rows.length], ['101 tasks', '  npm: t0 — npm run test', 102]);
    assert.equal(rows.at(-1), '  … 1 more');
    assert.deepEqual(made.caller.commands, []);
  });

  it('runs one after its command was allowed, and tells how it ended', async () => {
    const { end, made, started } = withTasks({});
    end.resolve({ exitCode: 2 });
    assert.equal(
      await made.call('tasks', { run: 'npm: test' }),
      "npm: test ended with exit code 2.\nIts output is only in the user's terminal.",
    );
    assert.deepEqual(
      made.caller.commands.map(({ argv, cwd, env }) => ({ argv, cwd, env })),
      [{ argv: ['npm', 'run', 'test'], cwd: '/ws', env: { CI: '1' } }],
    );
    assert.match(made.caller.commands[0]?.warning ?? '', /tasks that it depends on/);
    made.caller.answer = () => Promise.resolve({ isGranted: false, reason: 'The user said no.' });
    await assert.rejects(made.call('tasks', { run: 'test' }), /The task was not run\. The user said no\./);
    assert.deepEqual(started, ['test']);
  });

  it('asks by its name for a task whose command is not known', async () => {
    const { end, made } = withTasks({ command: undefined });
    end.resolve({ exitCode: undefined });
    assert.match(await made.call('tasks', { run: 'test' }), /ended without an exit code/);
    assert.deepEqual(made.caller.commands[0]?.argv, ['VS Code task npm: test']);
  });

  it('waits no longer than it was told, and not for a watcher', async () => {
    const { made, started } = withTasks({}, { name: 'watch', isBackground: true });
    const answer = made.call('tasks', { run: 'test', timeout: 5 });
    while (started.length === 0) await Promise.resolve();
    while (made.clock.pending === 0) await Promise.resolve();
    made.clock.advance(5_000);
    assert.equal(
      await answer,
      "npm: test has not ended after 5 s and continues.\nIts output is only in the user's terminal.",
    );
    assert.equal(
      await made.call('tasks', { run: 'watch' }),
      'Started npm: watch. It runs until the user stops it. Use output to see what it prints.',
    );
  });

  it('is not stopped by the end of the call, which aborts its signal', async () => {
    const signals: AbortSignal[] = [];
    const start = (signal: AbortSignal) => {
      signals.push(signal);
      return Promise.resolve(startedWith(new Promise<TaskEnd>(() => undefined)));
    };
    const { made } = withTasks({ start }, { name: 'watch', isBackground: true, start });
    const call = new AbortController();
    await made.call('tasks', { run: 'watch' }, call.signal);
    call.abort();
    assert.equal(signals[0]?.aborted, false);
    const waiting = new AbortController();
    const answer = made.call('tasks', { run: 'test' }, waiting.signal);
    while (signals.length < 2) await Promise.resolve();
    waiting.abort();
    assert.equal(signals[1]?.aborted, true);
    void answer.catch(() => undefined);
  });

  it('needs a name that one task has', async () => {
    const { made } = withTasks({}, { folder: '/ws/other' });
    await assert.rejects(made.call('tasks', { run: 'test' }), /several tasks “test”[^]*\/ws\/other/);
    await assert.rejects(made.call('tasks', { run: 'fly' }), /There is no task “fly”/);
    assert.deepEqual(made.caller.commands, []);
  });

  it('tells the last lines that the terminal shows, and all others in pages', async () => {
    const { made } = withTasks(
      {
        start: () => {
          const lines = Array.from({ length: 500 }, (_, index) => `\x1b[32mline ${index + 1}\x1b[0m\r\n`);
          const shown = `\x1b]633;C\x07${lines.join('')}working…\rdone    \r\n\r\n`;
          return Promise.resolve(startedWith(Promise.resolve({ exitCode: 0 }), () => shown));
        },
      },
      { name: 'quiet', start: () => Promise.resolve(startedWith(Promise.resolve({ exitCode: 0 }), () => '\r\n')) },
    );
    const answer = (await made.call('tasks', { run: 'test' })).split('\n');
    assert.deepEqual(answer.slice(0, 3), [
      'npm: test ended with exit code 0.',
      '… 441 earlier lines: page 2 of 9',
      'line 442',
    ]);
    assert.equal(answer.at(-1), 'done');
    const pages: string[] = [];
    for (const page of [3, 2, 1])
      pages.push(...(await made.call('tasks', { output: 'npm: test', page })).split('\n').slice(page === 3 ? 1 : 2));
    assert.deepEqual(pages, [...Array.from({ length: 500 }, (_, index) => `line ${index + 1}`), 'done']);
    assert.match(
      await made.call('tasks', { output: 'test' }),
      /^npm: test has ended\.\n… 301 earlier lines: page 2 of 3\n/,
    );
    await assert.rejects(made.call('tasks', { output: 'test', page: 4 }), /no page 4: the last one is 3/);
    assert.match(await made.call('tasks', { run: 'quiet' }), /exit code 0\.\nIt has no output\.$/);
  });

  it('cuts pages of output by their length, too', async () => {
    const lines = [
      ...Array.from({ length: 9 }, () => 'short'),
      'x'.repeat(1_000),
      ...Array.from({ length: 11 }, () => 'y'.repeat(999)),
    ];
    const start = () => Promise.resolve(startedWith(Promise.resolve({ exitCode: 0 }), () => lines.join('\r\n')));
    const { made } = withTasks({ start });
    const shown = (await made.call('tasks', { run: 'test' })).split('\n');
    assert.deepEqual(shown.slice(1, 3), ['… 9 earlier lines: page 2 of 2', 'x'.repeat(1_000)]);
    assert.equal(shown.length, 14);
  });

  it('tells the output of a watcher until now', async () => {
    let shown = 'watching\r\n';
    const start = () => Promise.resolve(startedWith(new Promise<TaskEnd>(() => undefined), () => shown));
    const { made } = withTasks({ name: 'watch', isBackground: true, start });
    await made.call('tasks', { run: 'watch' });
    assert.equal(await made.call('tasks', { output: 'watch' }), 'npm: watch is running.\nwatching');
    shown += `${'x'.repeat(5_000)}\r\n`;
    assert.match(await made.call('tasks', { output: 'watch' }), /\nx{1000}…$/);
  });

  it('tells the output to the caller that ran it, and to no other', async () => {
    const { end, made } = withTasks({});
    end.resolve({ exitCode: 0 });
    await made.call('tasks', { run: 'test' });
    const tool = made.tools.tools.find(({ definition }) => definition.name === 'tasks');
    const { signal } = new AbortController();
    await assert.rejects(
      tool?.run({ output: 'test' }, signal, new FakeToolCaller()) ?? Promise.resolve(),
      /You have not run “test”/,
    );
    await assert.rejects(made.call('tasks', { output: 'other' }), /You have not run “other”/);
    await assert.rejects(made.call('tasks', { run: 'test', output: 'test' }), /not both/);
  });
});
