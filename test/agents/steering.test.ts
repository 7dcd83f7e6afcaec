import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendSession, SessionBackend } from '../../src/session/common/sessionBackend';
import type { EventData } from '../../src/session/common/sessionEvents';
import { Follower } from '../fake/backendHarness';
import { FakeEditor } from '../fake/fakeEditor';
import { until } from '../support/eventually';
import { launcherIn } from './support/agentLaunch';
import { ModelServer, type ModelScript } from './support/modelServer';
import { realAgents } from './support/realAgents';

const timeoutMs = 90_000;
/** Tools that run a command, by the names of the agents, with their input. */
const shells: Readonly<Record<string, (command: string) => Readonly<Record<string, unknown>>>> = {
  Bash: (command) => ({ command, description: 'Runs it' }),
  exec_command: (cmd) => ({ cmd }),
  shell: (command) => ({ command: ['bash', '-lc', command] }),
};
/** The prompt that joins a turn, and how the model shows that it has it. */
const steered = 'And also this one.';
const seen = 'I have seen that.';

/** The agents by the versions of the protocol over which they take prompts into a turn. */
const cases = [
  ['claude', '1'],
  ['codex', '1'],
  ['codex', '2'],
] as const;

for (const [id, protocol] of cases) {
  const agent = realAgents.find((one) => one.id === id);
  const program = process.env[agent?.variable ?? ''] ?? '';
  (program === '' ? describe.skip : describe)(
    `${id} takes a prompt into its turn, over ACP version ${protocol}`,
    function () {
      this.timeout(2 * timeoutMs);
      let home: string;
      let model: ModelServer;
      let backend: SessionBackend;
      let session: BackendSession;
      let follower: Follower;
      let release = (): void => undefined;

      const script: ModelScript = (asked, result, tools) => {
        const body = model.requests.at(-1) ?? '';
        if (body.includes(steered)) return { say: seen };
        if (result !== undefined) return { say: `It printed: ${result}` };
        const held = new Promise<void>((resolve) => {
          release = resolve;
        });
        const [, command] = /RUN (.*)/.exec(asked) ?? [];
        const tool = tools.find((name) => name in shells);
        const input = command === undefined || tool === undefined ? undefined : shells[tool]?.(command);
        return tool !== undefined && input ? { call: tool, input } : { say: 'Half of it. ', until: held };
      };

      beforeEach(async () => {
        assert.ok(agent);
        home = await realpath(await mkdtemp(join(tmpdir(), 'backline-agent-')));
        const folder = join(home, 'work');
        await mkdir(folder);
        model = new ModelServer(script);
        const env = await agent.configure(home, await model.start());
        const editor = new FakeEditor({}, [folder]);
        const launcher = launcherIn({ folder, home }, { editor, windowMcpServers: () => Promise.resolve({}) });
        const { args, title } = agent;
        const entry = { id, title, command: program, args, env, dialect: 'v1', protocol, mcpServers: {} } as const;
        backend = launcher.createBackend({ ...entry, missingFile: 'error', source: 'found' });
        session = await backend.createSession({ cwd: folder });
        follower = new Follower(session, timeoutMs);
        if (agent.mode !== undefined) await session.setConfig('mode', agent.mode);
      });
      afterEach(async () => {
        release();
        await backend.stop();
        backend.dispose();
        await model.stop();
        await rm(home, { recursive: true, force: true, maxRetries: 5 });
      });

      // Codex reports in version 2 what it reads.
      const taken = protocol === '2' ? 'accepted' : 'joined';
      const steer = async (): Promise<void> => assert.equal(await session.steer?.({ text: steered }, 'p1'), taken);

      /** Ends the turn, in which the model has got the prompt once, and nothing looks like another prompt. */
      async function checkEnd(): Promise<void> {
        const end = await follower.next('prompt:complete');
        assert.equal(end.stop_reason, 'end_turn');
        const said = follower.all('content_block:delta').map(({ delta }) => delta);
        assert.ok(`${said.join('')}${end.response}`.includes(seen), said.join(''));
        assert.equal((model.requests.at(-1) ?? '').split(steered).length - 1, 1, 'the model has it once');
        assert.equal(follower.all('prompt:submit').length, 1);
        assert.deepEqual(
          follower.all('prompt:read').map(({ prompt_id }) => prompt_id),
          protocol === '2' ? ['p1'] : [],
        );
        assert.equal(session.turn, 'none');
      }

      it('in the middle of an answer', async () => {
        await session.sendPrompt({ text: 'TALK' });
        await follower.next('content_block:delta');
        await steer();
        release();
        await checkEnd();
      });

      it('during a command', async () => {
        const allowed = follower.next('approval:required').then((asked) => allow(asked));
        allowed.catch(() => undefined);
        await session.sendPrompt({ text: 'RUN touch started; until [ -e go ]; do sleep 0.1; done; echo ran' });
        const folder = join(home, 'work');
        await until('the command', () => existsSync(join(folder, 'started')));
        await steer();
        await writeFile(join(folder, 'go'), '');
        await checkEnd();
      });

      if (protocol === '2') {
        it('during a command, and says nothing of having read it if it is stopped then', async () => {
          await session.sendPrompt({ text: 'RUN touch started; until [ -e go ]; do sleep 0.1; done; echo ran' });
          await until('the command', () => existsSync(join(home, 'work', 'started')));
          await steer();
          await session.cancel();
          await follower.next('prompt:complete');
          assert.deepEqual(follower.all('prompt:read'), []);
          assert.ok(model.requests.every((body) => !body.includes(steered)));
        });
      }

      // Codex runs the commands that the scripted model can call in a sandbox, and does not ask.
      if (id === 'claude') {
        it('while it waits for an approval, which stays open', async () => {
          await session.sendPrompt({ text: 'RUN echo ran | tee made.txt' });
          const asked = await follower.next('approval:required');
          await steer();
          assert.deepEqual(follower.all('approval:denied'), []);
          await allow(asked);
          await checkEnd();
          assert.equal(follower.all('approval:granted').length, 1);
        });
      }

      async function allow({
        approval_id: id,
        option_kinds: kinds,
        options,
      }: EventData<'approval:required'>): Promise<void> {
        await session.answerApproval(id, options[kinds?.indexOf('allow_once') ?? 0] ?? '');
      }
    },
  );
}
