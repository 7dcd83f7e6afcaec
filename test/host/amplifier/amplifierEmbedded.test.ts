import assert from 'node:assert/strict';
import { readdir, readFile, rm } from 'node:fs/promises';
import * as path from 'node:path';
import type { BackendSession } from '../../../src/session/common/sessionBackend';
import { AmplifierProgram } from '../../fake/amplifier/amplifierProgram';
import { CuttableProxy } from '../../fake/acp/cuttableProxy';
import { Recorder } from '../../unit/amplifier/node/clientHarness';
import { AmplifierUnderTest, setServer } from '../support/amplifier';
import { eventually } from '../../support/eventually';
import { closeAll, inExtension, inWorkspace, show, writeInWorkspace } from '../support/workspace';

const original = 'const colour = 1;\nconsole.log(colour);\n';
const renamed = 'const color = 1;\nconsole.log(color);\n';
const token = 'test-token';

/** Of all that VS Code, Backline and the agent have written for this test run: settings, state, logs, home, workspace. */
async function filesWith(text: string): Promise<string[]> {
  const folder = path.dirname(inWorkspace());
  // VS Code may take a folder away while it is read.
  const entries = await eventually('a list of all files', () =>
    readdir(folder, { recursive: true, withFileTypes: true }),
  );
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  assert.ok(
    files.some((file) => file.endsWith('Backline.log')),
    'the log is among them',
  );
  const needles = [Buffer.from(text), Buffer.from(text, 'utf16le'), Buffer.from(btoa(text).slice(0, -4))];
  const found: string[] = [];
  for (const file of files) {
    // What is gone by now holds nothing.
    const bytes = await readFile(file).catch(() => Buffer.alloc(0));
    if (needles.some((needle) => bytes.includes(needle))) found.push(path.relative(folder, file));
  }
  return found;
}

describe('the embedded Amplifier server with the demo agent', () => {
  let server: AmplifierProgram;
  let proxy: CuttableProxy;
  let subject: AmplifierUnderTest;
  let file: string;
  let session: BackendSession;
  let recorder: Recorder;

  beforeEach(async () => {
    const program = inExtension('dist', 'amplifier-server.js');
    server = new AmplifierProgram({ file: program, cwd: inWorkspace(), token });
    await server.start();
    proxy = new CuttableProxy(server.url);
    await proxy.start();
    await setServer(proxy.url);
    subject = new AmplifierUnderTest();
    subject.secrets.set(`backline.amplifier.token ${proxy.url.origin}`, token);
    await subject.start();
    file = await writeInWorkspace('embedded/rename.ts', original);
    await open();
  });
  afterEach(async () => {
    await subject.dispose();
    await proxy.stop();
    await server.stop();
    await closeAll();
    await rm(inWorkspace('embedded'), { recursive: true, force: true });
  });
  after(() => setServer(undefined));

  async function open(): Promise<void> {
    session = await subject.openSession();
    recorder = new Recorder(session);
  }

  const rename = (): Promise<unknown> => session.sendPrompt({ text: `rename colour to color in ${file}` });

  async function answer(kind: 'allow_once' | 'reject_once'): Promise<void> {
    const { data } = await recorder.next('approval:required');
    const option = data.options[(data.option_kinds ?? []).indexOf(kind)];
    assert.ok(option !== undefined);
    await session.answerApproval(data.approval_id, option);
  }

  it('changes a file that is open here once the user allows it', async () => {
    const { document } = await show(file);
    await rename();
    await recorder.next('approval:required');
    assert.equal(document.getText(), original);
    await answer('allow_once');
    await recorder.next('prompt:complete');
    await eventually('the change in the editor', () => assert.equal(document.getText(), renamed));
    assert.equal(document.isDirty, false);
  });

  it('changes nothing when the user says no', async () => {
    const { document } = await show(file);
    await rename();
    await answer('reject_once');
    await recorder.next('prompt:complete');
    assert.equal(document.getText(), original);
  });

  it('leaves the API key in no file and no log after a whole turn', async () => {
    const key = 'sk-ant-Pv8qNeverOnDisk';
    subject.secrets.set('backline.amplifier.apiKey', key);
    subject.traffic.startRecording();
    await open();
    await rename();
    await answer('allow_once');
    await recorder.next('prompt:complete');
    await session.close();
    const told = { log: subject.log.lines, state: [...subject.state], events: recorder.events };
    assert.ok(!JSON.stringify({ ...told, traffic: subject.traffic.recordedEntries }).includes(key));
    assert.deepEqual(await filesWith(key), []);
  });

  it('loses the connection in the middle of a turn, and no event with it', async () => {
    await session.sendPrompt({ text: '/slow 20' });
    await recorder.next('content_block:delta');
    proxy.cut();
    const { data } = await recorder.next('prompt:complete');
    assert.equal(recorder.text, data.response);
    assert.deepEqual(recorder.all('notice'), []);
  });

  it('crashes in a turn and is started again: the session ends, nothing has run, and the next one works', async () => {
    await rename();
    await recorder.next('approval:required');
    await server.stop('SIGKILL');
    await eventually('the status', () => assert.equal(subject.status?.state, 'attention'));
    await server.start();
    await eventually('the end', () => assert.equal(recorder.hasEnded, true));
    assert.deepEqual(recorder.all('approval:granted'), []);
    await open();
    await rename();
    await answer('allow_once');
    await recorder.next('prompt:complete');
    await eventually('the status', () => assert.equal(subject.status?.state, 'ready'));
  });
});
