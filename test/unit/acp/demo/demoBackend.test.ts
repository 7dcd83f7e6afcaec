import assert from 'node:assert/strict';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { AcpBackend } from '../../../../src/acp/node/session/acpBackend';
import { startAgentProcess, type AgentProcess } from '../../../../src/acp/node/process/agentProcess';
import type { PromptInput } from '../../../../src/session/common/sessionBackend';
import { backendOf, Follower } from '../../../fake/backendHarness';
import { useDemoAgent } from '../../../fake/acp/demoHarness';
import { FakeEditor } from '../../../fake/fakeEditor';

describe('the ACP backend with the demo agent as a child process', () => {
  const demos = useDemoAgent();
  let backend: AcpBackend;
  let editor: FakeEditor;
  let processes: AgentProcess[];
  let path: string;

  beforeEach(() => {
    processes = [];
    path = join(demos.folder, 'paint.ts');
    editor = new FakeEditor({ [path]: 'const colour = 1;\n' }, [demos.folder]);
    const env = { PATH: '' };
    const startAgent = async (): Promise<AgentProcess> => {
      const command = { command: process.execPath, args: [demos.agentFile], env, cwd: demos.folder };
      const agent = await startAgentProcess(command, { clock: systemClock, log: nullLogger });
      processes.push(agent);
      return agent;
    };
    ({ backend } = backendOf(() => undefined, { editor, startAgent, terminalEnv: env }));
  });

  afterEach(async () => {
    await backend.stop();
    // Fails by the time-out of the hook when a process is left.
    for (const agent of processes) if (!agent.exit) await new Promise((resolve) => agent.onDidExit(resolve));
  });

  async function ask(text: string, attachments: PromptInput['attachments'] = []) {
    const session = await backend.createSession({ cwd: demos.folder });
    const follower = new Follower(session);
    await session.sendPrompt({ text, attachments });
    return { session, follower };
  }

  it('edits the file when its diff is approved', async () => {
    const { session, follower } = await ask('rename colour to color', [{ type: 'file', path }]);
    const { approval_id, options } = await follower.next('approval:required');
    assert.equal(editor.bufferText(path), 'const colour = 1;\n');
    await session.answerApproval(approval_id, options[0] ?? '');
    const done = await follower.next('prompt:complete');
    assert.match(done.response, /Done: Rename colour to color in paint\.ts/);
    assert.equal(editor.diskText(path), 'const color = 1;\n');
  });

  it('leaves the file when it is not', async () => {
    const { session, follower } = await ask('rename colour to color in paint.ts');
    const { approval_id, option_kinds, options } = await follower.next('approval:required');
    await session.answerApproval(approval_id, options[option_kinds?.indexOf('reject_once') ?? 0] ?? '');
    assert.match((await follower.next('prompt:complete')).response, /You denied the (change|command)/);
    assert.equal(editor.bufferText(path), 'const colour = 1;\n');
  });

  it('runs a command in a terminal when the user agrees', async () => {
    const { session, follower } = await ask(`run "${process.execPath}" -e 'console.log("out")'`);
    const { approval_id, options, context } = await follower.next('approval:required');
    assert.deepEqual(context?.['command'], [process.execPath, '-e', 'console.log("out")']);
    await session.answerApproval(approval_id, options[0] ?? '');
    assert.match((await follower.next('prompt:complete')).response, /exit code 0/);
    assert.match(JSON.stringify(follower.all('tool:post').at(-1)?.content), /"output":"out/);
  });

  it('stops it while it speaks', async () => {
    const { session, follower } = await ask('/slow 500');
    await follower.next('content_block:delta');
    await session.cancel();
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'cancelled');
  });

  it('ends the turn with its last words when it crashes, and continues with a new process', async () => {
    const { session, follower } = await ask('/fail crash');
    assert.match(JSON.stringify(await follower.next('error')), /crashed because you asked/);
    await session.sendPrompt({ text: 'hello' });
    await follower.next('prompt:complete');
    assert.equal(processes.length, 2);
  });
});
