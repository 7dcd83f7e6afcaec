import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendSession, SessionBackend } from '../../src/session/common/sessionBackend';
import { Follower } from '../fake/backendHarness';
import { FakeEditor } from '../fake/fakeEditor';
import { launcherIn } from './support/agentLaunch';
import { ModelServer, type ModelScript } from './support/modelServer';
import { realAgents, type RealAgent } from './support/realAgents';

const timeoutMs = 90_000;
/** Tools that run a command, by the names of the agents, with their input. */
const shells: Readonly<Record<string, (command: string) => Readonly<Record<string, unknown>>>> = {
  Bash: (command) => ({ command, description: 'Runs it' }),
  exec_command: (cmd) => ({ cmd }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
};

const script: ModelScript = (asked, result, tools) => {
  if (result !== undefined) return { say: `It printed: ${result}` };
  const [, command] = /RUN (.*)/.exec(asked) ?? [];
  const tool = tools.find((name) => name in shells);
  if (command === undefined) return { say: 'Nothing to do.' };
  const input = tool === undefined ? undefined : shells[tool]?.(command);
  return tool !== undefined && input ? { call: tool, input } : { say: `There are only: ${tools.join(', ')}` };
};

/** These answer an offer of version 2 with it. */
for (const agent of realAgents.filter(({ id }) => id === 'claude' || id === 'codex')) {
  const program = process.env[agent.variable] ?? '';
  (program === '' ? describe.skip : describe)(`${agent.title} over ACP version 2`, function () {
    this.timeout(3 * timeoutMs);
    let home: string;
    let model: ModelServer;
    let backend: SessionBackend;
    let session: BackendSession;
    let follower: Follower;

    before(async () => {
      home = await realpath(await mkdtemp(join(tmpdir(), 'backline-agent-')));
      await mkdir(join(home, 'work'));
      model = new ModelServer(script);
      backend = await open(agent, await model.start());
      session = await backend.createSession({ cwd: join(home, 'work') });
      follower = new Follower(session, timeoutMs);
      if (agent.mode !== undefined) await session.setConfig('mode', agent.mode);
    });
    after(async () => {
      await backend.stop();
      backend.dispose();
      await model.stop();
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    });

    async function open({ args, configure, id, title }: RealAgent, address: string): Promise<SessionBackend> {
      const env = await configure(home, address);
      const folder = join(home, 'work');
      const windowMcpServers = () => Promise.resolve({});
      const launcher = launcherIn({ folder, home }, { editor: new FakeEditor({}, [folder]), windowMcpServers });
      const entry = { id, title, command: program, args, env, dialect: 'v1', protocol: '2', mcpServers: {} } as const;
      return launcher.createBackend({ ...entry, missingFile: 'error', source: 'found' });
    }

    /** Allows the next thing that the agent asks for, if it asks before `ended`. */
    async function allowUntil(ended: Promise<unknown>): Promise<void> {
      const asked = follower.next('approval:required', follower.all('approval:required').length + 1);
      const first = await Promise.race([ended.then(() => undefined), asked.catch(() => undefined)]);
      if (!first) return;
      await session.answerApproval(
        first.approval_id,
        first.options[first.option_kinds?.indexOf('allow_once') ?? 0] ?? '',
      );
    }

    async function ask(text: string): Promise<string> {
      const ended = follower.next('prompt:complete', follower.all('prompt:complete').length + 1);
      const allowed = allowUntil(ended);
      await session.sendPrompt({ text });
      await allowed;
      return (await ended).response;
    }

    it('answers', async () => {
      assert.match(await ask('hello'), /Nothing to do\./);
    });

    it('runs a command, and shows what it prints', async () => {
      assert.match(await ask('RUN echo of-version-$((1+1)) | tee made.txt'), /of-version-2/);
      assert.equal(await readFile(join(home, 'work', 'made.txt'), 'utf8'), 'of-version-2\n');
      const call = follower.all('tool:post').at(-1);
      assert.match(JSON.stringify(call?.content ?? call?.result), /of-version-2/);
    });

    it('stops, and continues', async () => {
      const running = follower.next('tool:pre', follower.all('tool:pre').length + 1);
      const allowed = allowUntil(follower.next('prompt:complete', follower.all('prompt:complete').length + 1));
      await session.sendPrompt({ text: 'RUN tail -f /dev/null' });
      await running;
      await session.cancel();
      await allowed;
      const end = follower.all('prompt:complete').at(-1);
      assert.match(end?.stop_reason ?? '', /cancelled|interrupted/);
      assert.notEqual(await ask('hello'), '');
    });

    it('remembers the conversation after a restart', async () => {
      await backend.stop();
      assert.match(await ask('hello'), /Nothing to do\./);
      assert.ok(!JSON.stringify(follower.all('notice')).includes('remember'));
    });
  });
}
