import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendSession, SessionBackend } from '../../src/session/common/sessionBackend';
import { Follower } from '../fake/backendHarness';
import { FakeEditor } from '../fake/fakeEditor';
import { until } from '../support/eventually';
import { launcherIn } from './support/agentLaunch';
import { ModelServer, type ModelScript } from './support/modelServer';
import { realAgents } from './support/realAgents';

const timeoutMs = 90_000;

/** The agent delegates COUNT or SLEEP, waits for that, and says that it is done. The subagent runs one command. */
const script: ModelScript = (asked, result, tools) => {
  const [, task] = /DELEGATE (\w+)/.exec(asked) ?? [];
  const toolOf = (name: RegExp): string => tools.find((tool) => name.test(tool)) ?? '';
  if (task === undefined && /^(?:COUNT|SLEEP) it\.$/m.test(asked)) {
    if (result !== undefined) return { say: 'There are three.' };
    const command = asked.includes('SLEEP') ? 'sleep 300' : 'echo three';
    return { call: toolOf(/^(?:Bash|exec_command)$/), input: { command, cmd: command, description: 'Counts' } };
  }
  const [, agentId] = /agent_id\W+([\w-]+)/.exec(result ?? '') ?? [];
  if (agentId !== undefined) return { call: toolOf(/wait_agent$/), input: { targets: [agentId], timeout_ms: 10_000 } };
  if (task === undefined || result !== undefined) return { say: 'Done.' };
  const prompt = `${task} it.`;
  const claude = toolOf(/^(?:Agent|Task)$/);
  if (claude === '') return { call: toolOf(/spawn_agent$/), input: { message: prompt } };
  return { call: claude, input: { description: 'Count the files', prompt, subagent_type: 'general-purpose' } };
};

// In version 2, the turn of Claude ends while its subagent works.
for (const [id, protocol] of [
  ['claude', '1'],
  ['codex', '1'],
  ['codex', '2'],
] as const) {
  const agent = realAgents.find((one) => one.id === id) ?? assert.fail();
  const program = process.env[agent.variable] ?? '';
  (program === '' ? describe.skip : describe)(`a subagent of ${agent.title} over ACP version ${protocol}`, function () {
    this.timeout(3 * timeoutMs);
    let home: string;
    let model: ModelServer;
    let backend: SessionBackend;
    let session: BackendSession;
    let follower: Follower;

    before(async () => {
      home = await realpath(await mkdtemp(join(tmpdir(), 'backline-agent-')));
      const folder = join(home, 'work');
      await mkdir(folder);
      model = new ModelServer(script);
      const env = await agent.configure(home, await model.start());
      const windowMcpServers = () => Promise.resolve({});
      const launcher = launcherIn({ folder, home }, { editor: new FakeEditor({}, [folder]), windowMcpServers });
      const { args, title } = agent;
      const entry = { id, title, command: program, args, env, dialect: 'v1', protocol, mcpServers: {} } as const;
      backend = launcher.createBackend({ ...entry, missingFile: 'error', source: 'found' });
      session = await backend.createSession({ cwd: folder });
      follower = new Follower(session, timeoutMs);
      if (agent.mode !== undefined) await session.setConfig('mode', agent.mode);
      void allowAll();
    });
    after(async () => {
      await backend.stop();
      backend.dispose();
      await model.stop();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    });

    async function allowAll(): Promise<void> {
      for (let nth = 1; ; nth++) {
        const asked = await follower.next('approval:required', nth).catch(() => undefined);
        if (!asked) return;
        const once = asked.options[asked.option_kinds?.indexOf('allow_once') ?? 0] ?? '';
        await session.answerApproval(asked.approval_id, once).catch(() => undefined);
      }
    }

    const subagents = () => follower.all('tool:pre').filter(({ tool_name }) => tool_name === 'subagent');
    const stepsOf = (callId: string) =>
      follower.all('tool:pre').filter(({ parent_call_id }) => parent_call_id === callId);

    it('shows its task, its steps and its report', async () => {
      await session.sendPrompt({ text: 'DELEGATE COUNT' });
      await follower.next('prompt:complete');
      const [call] = subagents();
      const callId = call?.call_id ?? assert.fail('no subagent');
      assert.ok(stepsOf(callId).length > 0);
      const shown = follower.events.flatMap(({ data }) =>
        'call_id' in data && data.call_id === callId ? [JSON.stringify(data)] : [],
      );
      assert.match(shown.join('\n'), id === 'claude' ? /"text":"COUNT it\.","role":"task"/ : /"title":"COUNT it\."/);
      assert.match(shown.join('\n'), /"text":"There are three\.","role":"report"/);
      assert.deepEqual(
        follower.all('notice').filter(({ message }) => /session_message|not announced/.test(message)),
        [],
      );
    });

    if (id === 'claude') {
      it('has the agent go on after its end, which says why', async () => {
        await until('the notice', () =>
          follower.all('notice').some(({ message }) => message.includes('in the background has')),
        );
        await until('the end of all turns', () => session.turn === 'none');
        assert.equal(follower.all('notice').length, 1);
      });
    }

    it('is stopped, while the turn goes on', async () => {
      // Claude tells its model of the end of a subagent in a turn of its own.
      await until('the end of all turns', () => session.turn === 'none');
      const turnCount = follower.all('prompt:complete').length;
      await session.sendPrompt({ text: 'DELEGATE SLEEP' });
      await until('the step of the second subagent', () => stepsOf(subagents()[1]?.call_id ?? '').length > 0);
      const callId = subagents()[1]?.call_id ?? '';
      const ends = () => follower.all('tool:error').filter(({ call_id }) => call_id === callId);
      assert.equal(session.turn, 'own');
      await session.stopCall?.(callId);
      await until('its end', () => ends().length === 1);
      assert.equal(ends()[0]?.error, 'Canceled.');
      assert.equal((await follower.next('prompt:complete', turnCount + 1)).stop_reason, 'end_turn');
    });
  });
}
