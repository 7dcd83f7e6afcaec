import assert from 'node:assert/strict';
import type { OpenFile, WorkspaceContext } from '../../../../src/amplifier/common/api/apiSchema';
import type { AmplifierSession } from '../../../../src/amplifier/node/client/amplifierSession';
import { RealDialectServer } from '../../../fake/amplifier/realDialectServer';
import { connectTo, Recorder, type Harness } from './clientHarness';

const key = 'sk-ant-very-secret';
const file = (path: string): OpenFile => ({ path, language: 'typescript', content: `// ${path}\n` });
const position = { line: 0, character: 0 };
const context: WorkspaceContext = {
  workspace_root: '/ws',
  open_files: [file('/ws/a.ts'), file('/ws/b.ts')],
  git_state: { branch: 'main', staged_files: ['a.ts'], modified_files: [], untracked_files: [] },
  diagnostics: [{ path: '/ws/a.ts', severity: 'error', message: 'odd', range: { start: position, end: position } }],
  selection: { path: '/ws/a.ts', text: '//', range: { start: position, end: { line: 0, character: 2 } } },
};

describe('what the model of a real server sees', () => {
  let server: RealDialectServer;
  let harness: Harness;
  let session: AmplifierSession;
  let recorder: Recorder;

  beforeEach(async () => {
    server = new RealDialectServer({
      script: (turn, prompt) => {
        turn.delta('I see:\n\n');
        turn.delta(prompt);
        turn.complete(`I see:\n\n${prompt}`);
        return Promise.resolve();
      },
    });
    await server.start();
    harness = connectTo(server.url, {
      context: {
        collect: (folder) => Promise.resolve({ ...context, workspace_root: folder ?? '/ws' }),
        readFiles: (paths) => Promise.resolve(paths.map(file)),
      },
      credentials: () => Promise.resolve({ anthropic_api_key: key }),
    });
    session = await harness.backend.createSession({ cwd: '/ws/sub' });
    recorder = new Recorder(session);
  });
  afterEach(async () => {
    harness.backend.dispose();
    await server.stop();
  });

  async function ask(text: string, ...attached: string[]): Promise<unknown> {
    const count = server.session.seenByModel.length + 1;
    await session.sendPrompt({ text, attachments: attached.map((path) => ({ type: 'file', path })) });
    await recorder.next('prompt:complete', count);
    return server.session.seenByModel[count - 1]?.context;
  }

  it('is the whole context with the first prompt, though the session was made with it', async () => {
    assert.deepEqual(await ask('go'), { ...context, workspace_root: '/ws/sub' });
    assert.equal(await ask('again'), null, 'nothing has changed');
  });

  it('is the whole context with the first prompt to a session that was loaded', async () => {
    await ask('go');
    const loaded = await harness.backend.loadSession(session.id, { cwd: '/ws' });
    const other = new Recorder(loaded);
    await loaded.sendPrompt({ text: 'and now' });
    await other.next('prompt:complete');
    assert.deepEqual(server.session.seenByModel.at(-1)?.context, context);
    loaded.dispose();
  });

  it('is the whole list of open files when one is attached', async () => {
    await ask('go');
    assert.deepEqual(await ask('look', '/ws/README.md', '/ws/b.ts'), {
      open_files: [file('/ws/README.md'), file('/ws/b.ts'), file('/ws/a.ts')],
    });
  });

  it('is one prompt and one answer, also when the prompt has the key in it and the answer other white space', async () => {
    await ask(`why is\n\n  ${key} refused?`);
    assert.equal(recorder.all('prompt:submit').length, 1);
    assert.equal(recorder.all('prompt:complete').length, 1);
    assert.equal(recorder.all('prompt:complete')[0]?.data.stop_reason, undefined);
    assert.equal(recorder.text, 'I see:\n\nwhy is\n\n  [key] refused?');
  });
});
