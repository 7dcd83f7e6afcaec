import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { startAgentProcess, type AgentProcess } from '../../../../src/acp/node/process/agentProcess';
import { DraftBackend } from '../../../../src/acp/node/draft/draftBackend';
import { disabledTrafficTap } from '../../../../src/wire/common/traffic';
import { buildDemoAgent, type DemoAgentFiles } from '../../../fake/acp/demoAgentFile';
import { Follower } from '../../../fake/backendHarness';
import { standingOf } from '../../../fake/fakePermissions';
import { FakeEditor } from '../../../fake/fakeEditor';

const options = { cwd: '/ws' };

describe('the draft backend with the demo agent as a child process', () => {
  let folder: string;
  let demo: DemoAgentFiles;
  let processes: AgentProcess[];
  let real: DraftBackend;
  let editor: FakeEditor;

  before(async () => {
    demo = await buildDemoAgent();
    folder = await realpath(await mkdtemp(join(tmpdir(), 'backline-draft-')));
  });

  after(async () => {
    await demo.remove();
    await rm(folder, { recursive: true, force: true });
  });

  afterEach(async () => {
    await real.stop();
    await Promise.all(processes.map((agent) => agent.stop()));
  });

  function start(argument: string, files: Record<string, string> = {}): void {
    processes = [];
    let ids = 0;
    real = new DraftBackend({
      id: 'demo',
      title: 'Demo agent (no model)',
      startAgent: async () => {
        const command = {
          command: process.execPath,
          args: [demo.extendedFile, argument],
          env: { PATH: '' },
          cwd: folder,
        };
        const agent = await startAgentProcess(command, { clock: systemClock, log: nullLogger });
        processes.push(agent);
        return agent;
      },
      editor: (editor = new FakeEditor(files, [folder])),
      standing: standingOf(),
      clock: systemClock,
      createId: () => `id-${++ids}`,
      tap: disabledTrafficTap,
      log: nullLogger,
    });
  }

  const file = () => join(folder, 'notes.md');

  it('of the original code: it reads the unsaved text through the editor', async () => {
    start('--draft', { [file()]: '# From the editor\n' });
    const session = await real.createSession(options);
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'summarize notes.md' });
    assert.match((await follower.next('prompt:complete')).response, /\*\*notes\.md\*\*: 1 line, 1 declaration/);
    assert.equal(follower.all('tool:pre').length, 1);

    await session.sendPrompt({ text: 'rename From to Of', attachments: [{ type: 'file', path: file() }] });
    const { approval_id, prompt } = await follower.next('approval:required');
    assert.equal(prompt, `Demo agent (no model) wants to edit ${file()}`);
    await session.answerApproval(approval_id, 'Apply');
    const { response } = await follower.next('prompt:complete', 2);
    assert.match(response, /-# From the editor\n\+# Of the editor/);
    assert.equal((await editor.readText(file())).text, '# Of the editor\n');

    await session.sendPrompt({ text: '/fail error' });
    assert.match((await follower.next('error')).error, /because you asked/);

    assert.deepEqual(
      (await real.listSessions()).map(({ title }) => title),
      ['summarize notes.md'],
    );
    await session.close();
    const loaded = new Follower(await real.loadSession(session.id, options));
    assert.equal((await loaded.next('prompt:complete', 2)).response, response);
  });

  it('of the original code: its death is told with its last words', async () => {
    start('--draft');
    const session = await real.createSession(options);
    const follower = new Follower(session);
    await session.sendPrompt({ text: '/fail crash' });
    await follower.ended;
    assert.match(String(follower.all('error')[0]?.details), /crashed because you asked/);
    assert.equal(processes[0]?.exit?.code, 1);
  });

  it('of the document’s reading: it asks for the thread and answers by message', async () => {
    await writeFile(file(), 'one\ntwo\n');
    start('--draft=document');
    const session = await real.createSession(options);
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'summarize notes.md' });
    assert.match((await follower.next('prompt:complete')).response, /\*\*notes\.md\*\*: 2 lines/);
    await session.sendPrompt({ text: 'hello' });
    assert.match((await follower.next('prompt:complete', 2)).response, /message number 2 in this thread/);
  });
});
