import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendSession, SessionBackend } from '../../src/session/common/sessionBackend';
import { Follower } from '../fake/backendHarness';
import { FakeEditor } from '../fake/fakeEditor';
import { launcherIn } from './support/agentLaunch';
import { ModelServer, type ModelScript } from './support/modelServer';
import { realAgents } from './support/realAgents';

const timeoutMs = 90_000;
const first = 'The first prompt names heliotrope.';
const known = 'What the file says.';

// Claude and Codex are asked over each version of the protocol that they have.
for (const [id, protocol] of [
  ['claude', '1'],
  ['claude', '2'],
  ['codex', '1'],
  ['codex', '2'],
] as const) {
  const agent = realAgents.find((one) => one.id === id) ?? assert.fail();
  const program = process.env[agent.variable] ?? '';
  (program === '' ? describe.skip : describe)(
    `a side question to ${agent.title} over ACP version ${protocol}`,
    function () {
      this.timeout(3 * timeoutMs);
      let home: string;
      let folder: string;
      let model: ModelServer;
      let backend: SessionBackend;
      let session: BackendSession;
      let aside: BackendSession;
      let asideId: string;
      const followers = new Map<BackendSession, Follower>();

      /** PLEASE_READ reads a file, PLEASE_WRITE makes one, and PLEASE_RUN lets a command make one. */
      const script: ModelScript = (_asked, result, tools) => {
        if (result !== undefined) return { say: `The tool said: ${result}` };
        const toolOf = (name: RegExp): string => tools.find((tool) => name.test(tool)) ?? '';
        // Claude adds words of its own after those of the user.
        const [, what] = [...(model.requests.at(-1) ?? '').matchAll(/PLEASE_(READ|WRITE|RUN)/g)].at(-1) ?? [];
        const [known, made] = [join(folder, 'known.txt'), join(folder, `made-${what ?? ''}.txt`)];
        const run = (command: string) => ({
          call: toolOf(/^(?:Bash|exec_command)$/),
          input: { command, cmd: command, description: 'Runs it' },
        });
        if (what === undefined) return { say: 'Yes.' };
        if (what === 'RUN' || id === 'codex') return run(what === 'READ' ? `cat '${known}'` : `echo made > '${made}'`);
        if (what === 'READ') return { call: toolOf(/^Read$/), input: { file_path: known } };
        return { call: toolOf(/^Write$/), input: { file_path: made, content: 'made' } };
      };

      before(async () => {
        home = await realpath(await mkdtemp(join(tmpdir(), 'backline-agent-')));
        folder = join(home, 'work');
        await mkdir(folder);
        await writeFile(join(folder, 'known.txt'), known);
        model = new ModelServer(script);
        const env = await agent.configure(home, await model.start());
        const windowMcpServers = () => Promise.resolve({});
        const launcher = launcherIn({ folder, home }, { editor: new FakeEditor({}, [folder]), windowMcpServers });
        const { args, title } = agent;
        const entry = { id, title, command: program, args, env, dialect: 'v1', protocol, mcpServers: {} } as const;
        backend = launcher.createBackend({ ...entry, missingFile: 'error', source: 'found' });
        session = await backend.createSession({ cwd: folder });
        await ask(session, first);
      });
      after(async () => {
        await backend.stop();
        backend.dispose();
        await model.stop();
        await rm(home, { recursive: true, force: true, maxRetries: 5 });
      });

      /** Resolves to what the agent has said when its turn has ended. Grants whatever the user is asked for. */
      async function ask(about: BackendSession, text: string): Promise<string> {
        const follower = followers.get(about) ?? new Follower(about, timeoutMs);
        if (!followers.has(about)) void allowAll(about, follower);
        followers.set(about, follower);
        const ends = follower.all('prompt:complete').length;
        const deltas = follower.all('content_block:delta').length;
        await about.sendPrompt({ text });
        await follower.next('prompt:complete', ends + 1);
        const said = follower.all('content_block:delta').slice(deltas);
        return said.map(({ delta }) => delta).join('');
      }

      async function allowAll(about: BackendSession, follower: Follower): Promise<void> {
        for (let nth = 1; ; nth++) {
          const asked = await follower.next('approval:required', nth).catch(() => undefined);
          if (!asked) return;
          const once = asked.options[asked.option_kinds?.indexOf('allow_once') ?? 0] ?? '';
          await about.answerApproval(asked.approval_id, once).catch(() => undefined);
        }
      }

      it('is asked in a copy of the session, which knows what was said', async () => {
        const options = { cwd: folder, isReadOnly: true };
        asideId = (await backend.forkSession?.(session.id, options)) ?? assert.fail('no copy');
        assert.notEqual(asideId, session.id);
        aside = await backend.loadSession(asideId, options);
        await ask(aside, 'Which color?');
        assert.ok(model.requests.at(-1)?.includes(first));
      });

      it('can read', async () => {
        assert.match(await ask(aside, 'PLEASE_READ'), /The tool said: [^]*What the file says\./);
      });

      it('can neither write nor run anything that writes, and nobody is asked', async () => {
        for (const what of ['WRITE', 'RUN']) {
          assert.match(await ask(aside, `PLEASE_${what}`), /The tool said: /);
          assert.equal(existsSync(join(folder, `made-${what}.txt`)), false, what);
        }
        assert.deepEqual(followers.get(aside)?.all('approval:granted'), []);
      });

      it('leaves nothing in the session that it is about, and is deleted', async () => {
        await aside.close();
        const listed = async (): Promise<string[]> =>
          (await backend.listSessions({ cwd: folder })).map((one) => one.id);
        assert.ok((await listed()).includes(asideId));
        await backend.deleteSession(asideId);
        assert.ok(!(await listed()).includes(asideId));
        await ask(session, 'And now?');
        assert.ok(model.requests.at(-1)?.includes(first));
        assert.ok(model.requests.at(-1)?.includes('Which color?') === false);
      });
    },
  );
}
