import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { AcpBackend } from '../../../../src/acp/node/session/acpBackend';
import { startAgentProcess, type AgentProcess } from '../../../../src/acp/node/process/agentProcess';
import type { ProtocolSetting } from '../../../../src/acp/common/catalogue/agentSettings';
import { backendOf, Follower } from '../../../fake/backendHarness';
import { useDemoAgent } from '../../../fake/acp/demoHarness';
import { FakeEditor } from '../../../fake/fakeEditor';

describe('the ACP backend with the demo agent of version 2', () => {
  const demos = useDemoAgent();
  const backends: AcpBackend[] = [];
  let path: string;

  beforeEach(async () => {
    path = join(demos.folder, 'paint.ts');
    await writeFile(path, 'const colour = 1;\n');
  });

  afterEach(() => Promise.all(backends.splice(0).map((backend) => backend.stop())));

  function start(protocol: ProtocolSetting = '2', args: readonly string[] = [], file = demos.agentFile): AcpBackend {
    const env = { PATH: '' };
    const command = {
      command: process.execPath,
      args: [file, '--protocol', '2', ...args],
      env,
      cwd: demos.folder,
    };
    const startAgent = (): Promise<AgentProcess> => startAgentProcess(command, { clock: systemClock, log: nullLogger });
    const editor = new FakeEditor({}, [demos.folder]);
    const { backend } = backendOf(() => undefined, { editor, startAgent, terminalEnv: env, protocol });
    backends.push(backend);
    return backend;
  }

  async function ask(text: string, backend = start()) {
    const session = await backend.createSession({ cwd: demos.folder });
    const follower = new Follower(session);
    await session.sendPrompt({ text });
    return { session, follower };
  }

  it('continues in version 1 where that is offered, and ends its turns', async () => {
    const { follower } = await ask('hello', start('1'));
    assert.match((await follower.next('prompt:complete')).response, /Demo agent/);
  });

  it('edits the file on disk when its diff is approved, and shows the diff', async () => {
    const { session, follower } = await ask('rename colour to color in paint.ts');
    const { approval_id, options, context } = await follower.next('approval:required');
    assert.deepEqual(context?.['paths'], [path]);
    assert.equal(await readFile(path, 'utf8'), 'const colour = 1;\n');
    await session.answerApproval(approval_id, options[0] ?? '');
    assert.match((await follower.next('prompt:complete')).response, /Done: Rename colour to color in paint\.ts/);
    assert.equal(await readFile(path, 'utf8'), 'const color = 1;\n');
    assert.deepEqual(follower.all('tool:post').at(-1)?.content, [
      { type: 'diff', path, old_text: 'const colour = 1;\n', new_text: 'const color = 1;\n' },
    ]);
  });

  it('leaves the file when it is not', async () => {
    const { session, follower } = await ask('rename colour to color in paint.ts');
    const { approval_id, option_kinds, options } = await follower.next('approval:required');
    await session.answerApproval(approval_id, options[option_kinds?.indexOf('reject_once') ?? 0] ?? '');
    assert.match((await follower.next('prompt:complete')).response, /You denied the (change|command)/);
  });

  it('shows the terminal of a command that the user allowed', async () => {
    const { session, follower } = await ask(`run "${process.execPath}" -e 'console.log("out é")'`);
    const { approval_id, call_id, options, context } = await follower.next('approval:required');
    assert.match(String(context?.['command']), /console\.log/);
    assert.equal(call_id, follower.all('tool:pre').at(-1)?.call_id);
    await session.answerApproval(approval_id, options[0] ?? '');
    assert.match((await follower.next('prompt:complete')).response, /exit code 0/);
    const [terminal] = follower.all('tool:post').at(-1)?.content ?? [];
    assert.ok(terminal?.type === 'terminal');
    assert.deepEqual([terminal.output, terminal.exit_code], ['out é\n', 0]);
  });

  it('stops while it speaks, and while a command runs', async () => {
    const { session, follower } = await ask('/slow 500');
    await follower.next('content_block:delta');
    await session.cancel();
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'cancelled');
    await session.sendPrompt({ text: `run "${process.execPath}" -e 'console.log("on"); setInterval(() => 0, 1000)'` });
    const { approval_id, options } = await follower.next('approval:required');
    await session.answerApproval(approval_id, options[0] ?? '');
    while (!JSON.stringify(follower.all('tool:update')).includes('"output":"on'))
      await follower.next('tool:update', follower.all('tool:update').length + 1);
    await session.cancel();
    assert.equal((await follower.next('prompt:complete', 2)).stop_reason, 'cancelled');
    assert.equal(follower.all('tool:error').at(-1)?.unfinished, true);
  });

  it('fails a turn, shows a plan, and is set to another mode', async () => {
    const { session, follower } = await ask('/fail error');
    assert.match((await follower.next('error')).error, /failed because you asked it to/);
    await session.setConfig('mode', 'auto-edit');
    await session.sendPrompt({ text: 'rename colour to color in paint.ts' });
    await follower.next('prompt:complete');
    await session.sendPrompt({ text: '/plan' });
    await follower.next('prompt:complete', 2);
    assert.deepEqual(
      follower
        .all('plan:update')
        .at(-1)
        ?.entries.map(({ status }) => status),
      ['completed', 'completed', 'completed'],
    );
    assert.equal(follower.all('approval:required').length, 0);
  });

  it('tells the history of a session to another process, and continues in it', async () => {
    const state = ['--state', join(demos.folder, 'state')];
    const { session } = await ask('rename colour to color in paint.ts', start('2', state));
    const first = new Follower(session);
    const { approval_id, options } = await first.next('approval:required');
    await session.answerApproval(approval_id, options[0] ?? '');
    const told = await first.next('prompt:complete');
    await backends[0]?.stop();
    const loaded = await start('2', state).loadSession(session.id, { cwd: demos.folder });
    const follower = new Follower(loaded);
    assert.equal((await follower.next('prompt:complete')).response, told.response);
    assert.equal(follower.all('prompt:submit')[0]?.replayed, true);
    await loaded.sendPrompt({ text: 'hello' });
    assert.match((await follower.next('prompt:complete', 2)).response, /Demo agent/);
  });

  it('signs in before a session starts', async () => {
    const backend = start('2', ['--auth'], demos.extendedAgentFile);
    const opening = backend.createSession({ cwd: demos.folder });
    await new Promise<void>((resolve) => backend.onDidChangeState(({ kind }) => kind === 'authRequired' && resolve()));
    await backend.authenticate('demo-sign-in');
    assert.ok((await opening).id);
  });
});
