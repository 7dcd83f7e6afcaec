import assert from 'node:assert/strict';
import type { KnownTask, TaskEnd } from '../../../src/tools/common/taskPort';
import { ToolBench } from './support/fakeLanguage';

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
        return Promise.resolve({ whenEnded: end.promise });
      },
      ...change,
    }));
    return { made, started, end };
  }

  it('lists tasks with what they run', async () => {
    assert.equal(await withTasks().made.call('tasks'), 'VS Code knows no tasks here.');
    const { made } = withTasks({}, { name: 'watch', group: '', command: undefined, isBackground: true });
    assert.equal(await made.call('tasks'), '2 tasks\n  npm: test — npm run test  [test]\n  npm: watch  [does not end]');
    assert.deepEqual(made.caller.commands, []);
  });

  it('runs one after its command was allowed, and tells how it ended', async () => {
    const { end, made, started } = withTasks({});
    end.resolve({ exitCode: 2 });
    assert.equal(
      await made.call('tasks', { run: 'npm: test' }),
      'npm: test ended with exit code 2. Its output is in the terminal of the user.',
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
    assert.equal(await answer, 'npm: test has not ended after 5 s and goes on.');
    assert.equal(await made.call('tasks', { run: 'watch' }), 'Started npm: watch. It runs until the user stops it.');
  });

  it('is not stopped by the end of the call, which aborts its signal', async () => {
    const signals: AbortSignal[] = [];
    const start = (signal: AbortSignal) => {
      signals.push(signal);
      return Promise.resolve({ whenEnded: new Promise<TaskEnd>(() => undefined) });
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
});
