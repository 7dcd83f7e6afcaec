import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, realpath, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAgentProcess } from '../../../../src/acp/node/process/agentProcess';
import { isProcessTreeAlive } from '../../../support/isProcessTreeAlive';
import type { AcpBackend } from '../../../../src/acp/node/session/acpBackend';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { backendOf, Follower } from '../../../fake/backendHarness';
import { useDemoAgent } from '../../../fake/acp/demoHarness';
import { FakeEditor } from '../../../fake/fakeEditor';
import { eventually } from '../../../support/eventually';

for (const protocol of ['1', '2'] as const) {
  describe(`the demo agent of version ${protocol} works by itself`, () => {
    const demos = useDemoAgent();
    const backends: AcpBackend[] = [];
    let folder: string;
    let outside: string;
    let editor: FakeEditor;

    beforeEach(async () => {
      const temporary = () => mkdtemp(join(tmpdir(), 'backline-self-'));
      [folder, outside] = await Promise.all([realpath(await temporary()), realpath(await temporary())]);
      editor = new FakeEditor({}, [folder]);
    });

    afterEach(async () => {
      await Promise.all(backends.splice(0).map((backend) => backend.stop()));
      for (const each of [folder, outside]) await rm(each, { recursive: true, force: true });
    });

    /** Sends the prompt, and answers its question, if it has one, with the option of that kind. */
    async function ask(text: string) {
      const env = { PATH: process.env['PATH'] ?? '' };
      const command = { command: process.execPath, args: [demos.agentFile, '--protocol', protocol], env, cwd: folder };
      const startAgent = () => startAgentProcess(command, { clock: systemClock, log: nullLogger });
      const { backend } = backendOf(() => undefined, { editor, startAgent, terminalEnv: env, protocol });
      backends.push(backend);
      const session = await backend.createSession({ cwd: folder });
      const follower = new Follower(session);
      await session.sendPrompt({ text });
      return { session, follower };
    }

    async function askAndAnswer(text: string, answer: 'Allow' | 'Deny') {
      const { session, follower } = await ask(text);
      const { approval_id, options, context } = await follower.next('approval:required');
      const option = options.find((each) => each === answer);
      assert.ok(option !== undefined, options.join());
      await session.answerApproval(approval_id, option);
      return { session, follower, context };
    }

    const said = async (follower: Follower) => (await follower.next('prompt:complete')).response;
    const shown = (follower: Follower) =>
      JSON.stringify([...follower.all('tool:post'), ...follower.all('tool:error')].at(-1));

    describe('with /shell', () => {
      it('creates, deletes, renames and changes modes, after it asked with the whole command', async () => {
        for (const name of ['old.txt', 'from.txt', 'tool']) await writeFile(join(folder, name), `${name}\n`);
        await chmod(join(folder, 'tool'), 0o644);
        const command = 'echo new > "a b.txt"\nrm old.txt\nmv from.txt to.txt\nchmod +x tool; pwd';
        const { follower, context } = await askAndAnswer(`/shell ${command}`, 'Allow');
        assert.equal(context?.['command'], command);
        assert.equal(context['cwd'], folder);
        assert.match(await said(follower), /exit code 0/);
        assert.deepEqual((await readdir(folder)).toSorted(), ['a b.txt', 'to.txt', 'tool']);
        assert.equal((await stat(join(folder, 'tool'))).mode & 0o111, 0o111);
        assert.ok(shown(follower).includes(folder), 'the output is the result of the call');
      });

      it('runs nothing before the answer, and nothing after a no', async () => {
        const { follower } = await askAndAnswer('/shell echo new > made.txt', 'Deny');
        assert.match(await said(follower), /You denied the (change|command)/);
        assert.deepEqual(await readdir(folder), []);
        assert.equal(follower.all('tool:error').length, 1);
      });

      it('tells the exit code, and shows what was printed', async () => {
        const { follower } = await askAndAnswer('/shell echo oh no >&2; exit 7', 'Allow');
        assert.match(await said(follower), /exit code 7/);
        assert.match(shown(follower), /oh no/);
        assert.equal(follower.all('tool:error').length, 1);
      });

      it('ends the command and what it has started when the turn is cancelled', async () => {
        const { session, follower } = await askAndAnswer('/shell sleep 60 & echo $$ > pid; wait', 'Allow');
        const leader = await eventually('the command', async () => {
          const text = await readFile(join(folder, 'pid'), 'utf8');
          assert.match(text, /^\d+\n$/);
          return Number(text);
        });
        await session.cancel();
        assert.equal((await follower.next('prompt:complete')).stop_reason, 'cancelled');
        assert.equal(isProcessTreeAlive(leader), false);
        assert.equal(follower.all('tool:error').length, 1);
      });
    });

    describe('with /write', () => {
      it('writes on disk and not through the editor, which may have unsaved text', async () => {
        const path = join(folder, 'notes.txt');
        await writeFile(path, 'before\n');
        editor = new FakeEditor({ [path]: 'before\n' }, [folder]);
        editor.type(path, 'mine\n');
        const { follower } = await askAndAnswer('/write what is in it in notes.txt', 'Allow');
        assert.match(await said(follower), /I wrote notes\.txt on disk/);
        assert.equal(await readFile(path, 'utf8'), 'what is in it\n');
        assert.equal(editor.bufferText(path), 'mine\n');
        assert.deepEqual(follower.all('tool:post').at(-1)?.content, [
          { type: 'diff', path, old_text: 'before\n', new_text: 'what is in it\n' },
        ]);
      });

      it('creates a file, shown as new', async () => {
        const path = join(folder, 'new.txt');
        const { follower } = await askAndAnswer('/write one in new.txt', 'Allow');
        assert.match(await said(follower), /I wrote new\.txt/);
        assert.equal(await readFile(path, 'utf8'), 'one\n');
        const [diff] = follower.all('tool:post').at(-1)?.content ?? [];
        assert.ok(diff?.type === 'diff');
        assert.deepEqual([diff.old_text ?? '', diff.new_text], ['', 'one\n']);
      });

      it('writes nothing after a no', async () => {
        const { follower } = await askAndAnswer('/write one in new.txt', 'Deny');
        assert.match(await said(follower), /You denied the (change|command)/);
        assert.deepEqual(await readdir(folder), []);
      });

      it('does not write over what has changed since the diff was shown', async () => {
        const { session, follower } = await ask('/write one in new.txt');
        const { approval_id, options } = await follower.next('approval:required');
        await writeFile(join(folder, 'new.txt'), 'mine\n');
        await session.answerApproval(approval_id, options[0] ?? '');
        assert.match(await said(follower), /has changed in the meantime/);
        assert.equal(await readFile(join(folder, 'new.txt'), 'utf8'), 'mine\n');
      });

      it('does not ask to write outside the folder, not through a link either', async () => {
        await symlink(outside, join(folder, 'link'));
        for (const path of [join(outside, 'a.txt'), '../a.txt', 'link/a.txt']) {
          const { follower } = await ask(`/write one in ${path}`);
          assert.match(await said(follower), /outside the folders of this session/, path);
          assert.equal(follower.all('approval:required').length, 0);
        }
        assert.deepEqual(await readdir(outside), []);
      });

      it('does not follow a link to a file that is missing', async () => {
        await symlink(join(outside, 'missing.txt'), join(folder, 'link.txt'));
        const { follower } = await askAndAnswer('/write one in link.txt', 'Allow');
        assert.match(await said(follower), /I could not write link\.txt/);
        assert.deepEqual(await readdir(outside), []);
      });
    });
  });
}
