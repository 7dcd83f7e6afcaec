import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { nullLogger } from '../../../../../src/base/common/log';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { ThreadError, type ThreadErrorCode, type ThreadHead } from '../../../../../src/threads/common/threadPorts';
import { AmpCli } from '../../../../../src/threads/node/cli/ampCli';
import { CliSource } from '../../../../../src/threads/node/cli/cliSource';
import { PrivateTemporaryFolder } from '../../../../../src/base/node/privateTemporaryFolder';
import { commandRunner, type CliCommand, type CommandRunOptions } from '../../../../../src/threads/node/cli/runCommand';
import { FakeClock } from '../../../../fake/fakeClock';
import { ReaderHere } from '../../support/readerHere';
import { FakeAmp } from '../../support/fakeAmp';
import { until } from '../../../../support/eventually';
import { fixtureText, normalId, slowId, thread, ThreadFolder } from '../../support/threadFolder';

const isList = (call: string): boolean => call.includes('list') && !call.includes('--include-archived');

describe('the amp CLI as a source', () => {
  let folder: ThreadFolder;
  let amp: FakeAmp;
  let clock: FakeClock;
  let exports: PrivateTemporaryFolder;
  let command: CliCommand | undefined;
  let source: CliSource;
  const temp = (): string => path.join(folder.home, 'tmp');

  beforeEach(async () => {
    folder = await ThreadFolder.make();
    amp = await FakeAmp.make(folder.home);
    command = amp.command(folder.threads);
    clock = new FakeClock();
    exports = new PrivateTemporaryFolder(temp(), 'threads');
    const cli = new AmpCli(() => Promise.resolve(command), commandRunner(systemClock), exports);
    const reader = new ReaderHere();
    source = new CliSource({ cli, reader, clock, log: nullLogger, folder: exports });
    await folder.put(slowId, thread(slowId, 2));
  });
  afterEach(async () => {
    source.dispose();
    await folder.remove();
  });

  const list = async (): Promise<readonly ThreadHead[]> => {
    const looking = source.startPolling();
    try {
      return await source.list();
    } finally {
      looking.dispose();
    }
  };
  const exported = async (): Promise<number> => (await amp.calls()).filter((call) => call.includes('export')).length;
  const listed = async (): Promise<number> => (await amp.calls()).filter(isList).length;
  const has =
    (code: ThreadErrorCode, words: RegExp) =>
    (error: unknown): boolean =>
      error instanceof ThreadError && error.code === code && words.test(error.message);

  it('is absent where there is no amp', async () => {
    command = undefined;
    assert.deepEqual(await list(), []);
    assert.equal(source.state.kind, 'absent');
    await assert.rejects(source.read(slowId), has('notFound', /not installed/));
  });

  it('explains how to sign in', async () => {
    await amp.fail({ threads: await fixtureText('17-cli/not-logged-in.txt') });
    await list();
    assert.ok(source.state.kind === 'failed' && source.state.message.includes('amp login'));
    await assert.rejects(source.read(slowId), has('notSignedIn', /amp login/));
  });

  it('reports that a CLI is too old to tell its threads', async () => {
    await amp.fail({ '--json': await fixtureText('17-cli/unknown-json.txt') });
    await list();
    assert.ok(source.state.kind === 'failed' && /too old.*--json.*amp update/.test(source.state.message));
  });

  it('does without a limit where the CLI does not know one, and remembers', async () => {
    await amp.fail({ '--limit': await fixtureText('17-cli/unknown-limit.txt') });
    assert.equal((await list()).length, 1);
    assert.equal(source.state.kind, 'ready');
    clock.advance(10_000);
    await list();
    assert.deepEqual(
      (await amp.calls()).filter(isList).map((call) => call.includes('--limit')),
      [true, false, false],
    );
  });

  it('reports what went wrong with an export, and keeps the list', async () => {
    await list();
    await amp.fail({ export: await fixtureText('17-cli/export-failure.txt') });
    await assert.rejects(source.read(slowId), has('cli', /threads export.*server error 500/));
    assert.equal((await list()).length, 1);
    assert.equal(source.state.kind, 'ready');
  });

  it('reports that the program cannot be started', async () => {
    command = { file: path.join(folder.home, 'none'), args: [] };
    await list();
    assert.ok(source.state.kind === 'failed' && source.state.message.includes('Could not start'));
  });

  it('is asked while somebody looks, no faster than every 10 s, and not after', async () => {
    const looking = source.startPolling();
    await until('the first question', async () => (await listed()) === 1 && clock.pending === 1);
    clock.advance(9_999);
    await source.list();
    assert.equal(await listed(), 1);
    clock.advance(1);
    await until('the second question', async () => (await listed()) === 2 && clock.pending === 1);
    looking.dispose();
    assert.equal(clock.pending, 0);
    clock.advance(60_000);
    assert.equal((await source.list()).length, 1);
    assert.equal(await listed(), 2);
  });

  it('is asked as often when the clock was set back', async () => {
    const looking = source.startPolling();
    await until('the first question', async () => (await listed()) === 1 && clock.pending === 1);
    clock.setBack(3_600_000);
    clock.advance(10_000);
    await until('the second question', async () => (await listed()) === 2 && clock.pending === 1);
    looking.dispose();
  });

  it('is asked less and less often while it fails', async () => {
    await amp.fail({ threads: 'Error: offline' });
    const looking = source.startPolling();
    await until('the first question', async () => (await listed()) === 1 && clock.pending === 1);
    clock.advance(10_000);
    assert.equal(clock.pending, 1);
    assert.equal(await listed(), 1);
    clock.advance(10_000);
    await until('the second question', async () => (await listed()) === 2 && clock.pending === 1);
    looking.dispose();
  });

  it('exports a thread again only when it has grown', async () => {
    await list();
    await source.read(slowId);
    await source.read(slowId);
    await source.rawJson(slowId, 'm0');
    assert.equal(await exported(), 1);
    await folder.put(slowId, thread(slowId, 4));
    clock.advance(10_000);
    await list();
    assert.equal((await source.read(slowId)).head.messageCount, 4);
    assert.equal(await exported(), 2);
  });

  it('exports one that was at work again when it has changed, even without a message more', async () => {
    const atWork = (text: string, more: object): Promise<void> => {
      const answer = {
        role: 'assistant',
        messageId: 1,
        state: { type: 'streaming' },
        content: [{ type: 'text', text }],
      };
      return folder.put(slowId, { ...thread(slowId, 1), ...more, messages: [...prompts, answer] });
    };
    const prompts = [{ role: 'user', messageId: 0, content: [{ type: 'text', text: 'Go on' }] }];
    await atWork('So', {});
    const looking = source.startPolling();
    await source.list();
    assert.equal((await source.read(slowId)).head.state, 'running');
    let told = 0;
    const subscription = source.subscribe(slowId, () => told++);
    await atWork('So it is', { created: 1_769_000_100_000 });
    clock.advance(10_000);
    await source.list();
    clock.advance(10_000);
    assert.equal(told, 1);
    await source.read(slowId);
    assert.equal(await exported(), 2);
    subscription.dispose();
    looking.dispose();
  });

  it('exports one that is idle no more often when only its time has changed', async () => {
    await list();
    await source.read(slowId);
    await folder.put(slowId, thread(slowId, 2, { created: 1_769_000_100_000 }));
    clock.advance(10_000);
    await list();
    await source.read(slowId);
    assert.equal(await exported(), 1);
  });

  it('asks and exports again when the user wants all anew, though it has just failed', async () => {
    await list();
    await source.read(slowId);
    clock.advance(10_000);
    await amp.fail({ list: 'Error: offline' });
    await list();
    assert.equal(source.state.kind, 'failed');
    await amp.fail({});
    source.invalidate();
    await list();
    assert.equal(source.state.kind, 'ready');
    await source.read(slowId);
    await source.read(slowId);
    assert.equal(await exported(), 2);
  });

  it('lists archived threads as such', async () => {
    await folder.put(normalId, thread(normalId, 2, { archived: true }));
    assert.deepEqual((await list()).map(({ id, isArchived }) => [id, isArchived]).sort(), [
      [normalId, true],
      [slowId, false],
    ]);
  });

  it('does without archived threads where the CLI cannot tell them', async () => {
    await amp.fail({ '--include-archived': "error: unknown option '--include-archived'" });
    assert.equal((await list()).length, 1);
    assert.equal(source.state.kind, 'ready');
  });

  it('explains what to do about a failure that reports nothing', async () => {
    await amp.fail({ threads: '' });
    await list();
    assert.ok(source.state.kind === 'failed');
    assert.match(source.state.message, /exit code 1\. Run it in a terminal for details, then refresh\./);
  });

  it('takes an export that is larger than a pipe', async () => {
    await folder.put(normalId, thread(normalId, 2, { padding: 'x'.repeat(3_000_000) }));
    assert.equal((await source.read(normalId)).entries.length, 3);
  });

  it('keeps exports where nobody else reads them, and leaves nothing', async () => {
    await source.read(slowId);
    const made = await exports.createOrGetPath();
    assert.equal((await stat(made)).mode & 0o777, 0o700);
    assert.deepEqual(await readdir(made), [`${slowId}.json`]);
    assert.equal((await stat(path.join(made, `${slowId}.json`))).mode & 0o777, 0o600);
    source.dispose();
    assert.deepEqual(await readdir(temp()), []);
  });

  it('hands over no id that could be an option or a path', async () => {
    for (const id of ['--help', '../x', 'T-a/b', ''])
      await assert.rejects(source.read(id), has('notFound', /no thread/));
    assert.equal(await exported(), 0);
  });

  it('leaves out rows that are no threads, and gives up on what is no list', async () => {
    const answers: string[] = [await fixtureText('17-cli/list.json'), 'Title  Updated\n', '{}'];
    const run = async ({ outputFile }: CommandRunOptions): Promise<{ exitCode: number; stderrTail: string }> => {
      await writeFile(outputFile, answers.shift() ?? '');
      return { exitCode: 0, stderrTail: '' };
    };
    const cli = new AmpCli(() => Promise.resolve(command), run, exports);
    assert.deepEqual(
      (await cli.list()).map(({ id }) => id),
      [normalId, slowId],
    );
    await assert.rejects(cli.list(), has('cli', /amp update/));
    await assert.rejects(cli.list(), has('cli', /amp update/));
  });

  it('explains why a CLI that is there cannot be started', async () => {
    const find = (): Promise<never> => Promise.reject(new Error("'amp.cmd' needs 'node'."));
    const cli = new AmpCli(find, commandRunner(systemClock), exports);
    await assert.rejects(cli.list(), has('cli', /Could not start the Amp CLI: 'amp\.cmd' needs 'node'/));
  });

  it('searches once it has answered, in the words of Amp, which are never options', async () => {
    assert.deepEqual(await source.search('cart'), []);
    assert.deepEqual(await amp.calls(), []);
    await list();
    assert.deepEqual(
      (await source.search('-n file:a.ts')).map(({ id, title }) => [id, title]),
      [[slowId, 'Thread 2']],
    );
    assert.equal((await amp.calls()).at(-1), 'threads search "-n file:a.ts" --json -n 50');
  });

  it('searches for somebody who has just begun to look, but not for what nobody waits for any more', async () => {
    const looking = source.startPolling();
    assert.equal((await source.search('cart')).length, 1);
    assert.deepEqual(await source.search('tax', AbortSignal.abort()), []);
    assert.equal((await amp.calls()).filter((call) => call.includes('search')).length, 1);
    looking.dispose();
  });

  it('ends a command that hangs, at its time or when it is cancelled', async () => {
    const { file } = amp.command(folder.threads);
    const outputFile = path.join(await exports.createOrGetPath(), 'out');
    const hanging = {
      command: { file, args: ['-e', 'setInterval(() => undefined, 1000)'] },
      args: [],
      outputFile,
      maxBytes: 10,
    };
    const run = commandRunner(systemClock);
    await assert.rejects(run({ ...hanging, timeoutMs: 50 }), has('cli', /did not respond/));
    await assert.rejects(
      run({ ...hanging, timeoutMs: 60_000, signal: AbortSignal.timeout(50) }),
      has('cancelled', /./),
    );
    const flood = { file, args: ['-e', 'setInterval(() => console.log("x".repeat(1000)), 5)'] };
    await assert.rejects(run({ ...hanging, command: flood, timeoutMs: 60_000 }), has('tooLarge', /MiB/));
  });
});
