import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { CreateSessionRequest, PromptRequest } from '../../../src/amplifier/common/api/apiSchema';
import { RealDialectServer } from '../../fake/amplifier/realDialectServer';
import type { TurnScript } from '../../fake/amplifier/realDialectSession';
import { Recorder } from '../../unit/amplifier/node/clientHarness';
import { AmplifierUnderTest, setServer } from '../support/amplifier';
import { eventually } from '../../support/eventually';
import { closeAll, inWorkspace, show, type, writeInWorkspace } from '../support/workspace';

const wholeTurn: TurnScript = async (turn) => {
  turn.delta('Let me look.');
  await turn.gatedTool('bash');
  turn.complete('All good.');
};

describe('an Amplifier server of the real dialect', () => {
  let server: RealDialectServer;
  let subject: AmplifierUnderTest;

  beforeEach(async () => {
    server = new RealDialectServer({ script: wholeTurn, pingMs: 50 });
    await server.start();
    await setServer(server.url);
    subject = new AmplifierUnderTest();
    await subject.start();
  });
  afterEach(async () => {
    await subject.dispose();
    await server.stop();
    await closeAll();
    await rm(inWorkspace('served'), { recursive: true, force: true });
  });
  after(() => setServer(undefined));

  const bodies = (path: RegExp): string[] =>
    server.requests.filter((request) => request.method === 'POST' && path.test(request.path)).map(({ body }) => body);

  const statusIs = (state: string, summary: RegExp): Promise<void> =>
    eventually(`the status ${state}`, () => {
      assert.equal(subject.status?.state, state);
      assert.match(subject.status.summary, summary);
    });

  it('is on the status board with its version, and is asked again only when the user looks', async () => {
    await statusIs('ready', new RegExp(`Version 0\\.1\\.0 is running at ${server.url.origin}\\.`));
    await server.stop();
    assert.equal(subject.status?.state, 'ready');
    subject.look();
    await statusIs('off', /Start it or change the settings/);
    await server.start();
    subject.look();
    await statusIs('ready', /is running/);
  });

  it('is told of real documents at the beginning, and of all that there is with the first prompt', async () => {
    const file = await writeInWorkspace('served/told.ts', 'const a = 1;\n');
    const editor = await show(file);
    const session = await subject.openSession();
    const recorder = new Recorder(session);
    const [created] = bodies(/^\/sessions$/).map((body) => CreateSessionRequest.parse(JSON.parse(body)));
    assert.equal(created?.context?.workspace_root, inWorkspace());
    assert.equal(created.context.open_files?.[0]?.content, 'const a = 1;\n');

    await type(editor, new vscode.Position(0, 0), '// ');
    editor.selection = new vscode.Selection(0, 0, 0, 2);
    await eventually('the selection', () =>
      assert.equal(subject.editor.adapter.activeSelection?.selections[0]?.text, '//'),
    );
    await session.sendPrompt({ text: 'go' });
    const question = await recorder.next('approval:required');
    await session.answerApproval(question.data.approval_id, 'Allow');
    await recorder.next('prompt:complete');
    assert.deepEqual(server.session.ran, ['bash']);
    const [prompt] = bodies(/\/prompt$/).map((body) => PromptRequest.parse(JSON.parse(body)));
    assert.equal(prompt?.context_update?.selection?.text, '//');
    assert.equal(prompt.context_update.open_files?.[0]?.content, '// const a = 1;\n');
    assert.equal(prompt.context_update.workspace_root, inWorkspace(), 'the model never sees the request before');
  });

  it('gets the API key in the request that creates a session, and nothing else has it', async () => {
    subject.secrets.set('backline.amplifier.apiKey', 'sk-ant-SECRET');
    subject.traffic.startRecording();
    const session = await subject.openSession();
    const recorder = new Recorder(session);
    await session.sendPrompt({ text: 'go' });
    const question = await recorder.next('approval:required');
    await session.answerApproval(question.data.approval_id, 'Deny');
    await recorder.next('prompt:complete');
    const withKey = server.requests.filter((request) => JSON.stringify(request).includes('sk-ant-SECRET'));
    assert.deepEqual(
      withKey.map(({ method, path }) => `${method} ${path}`),
      ['POST /sessions'],
    );
    for (const [name, place] of Object.entries({
      log: subject.log.lines,
      traffic: subject.traffic.recordedEntries,
      state: [...subject.state],
      events: recorder.events,
      status: subject.status,
    })) {
      assert.ok(!JSON.stringify(place).includes('sk-ant-SECRET'), name);
    }
    assert.ok(
      subject.traffic.recordedEntries.some(({ method }) => method === 'POST /sessions'),
      'traffic was recorded',
    );
  });

  it('shows its diagnostics as Problems until the session ends', async () => {
    const file = await writeInWorkspace('served/found.py', 'x\n');
    const session = await subject.openSession();
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
    server.session.emit('diagnostic:add', {
      path: file,
      diagnostics: [{ range, severity: 'error', message: 'undefined', source: 'amplifier' }],
    });
    const messages = (): string[] =>
      vscode.languages.getDiagnostics(vscode.Uri.file(file)).map(({ message }) => message);
    await eventually('the problem', () => assert.deepEqual(messages(), ['undefined']));
    await session.sendPrompt({ text: 'go' });
    await eventually('the prompt', () => assert.equal(bodies(/\/prompt$/).length, 1));
    assert.ok(
      !bodies(/\/prompt$/)
        .join('')
        .includes('undefined'),
      'what the agent has said does not go back to it',
    );
    await session.close();
    await eventually('its end', () => assert.deepEqual(messages(), []));
  });

  it('loses a connection in the middle of a turn, and the turn comes to its end', async () => {
    const session = await subject.openSession();
    const recorder = new Recorder(session);
    await session.sendPrompt({ text: 'go' });
    const question = await recorder.next('approval:required');
    server.session.dropStreams();
    await eventually('the new connection', () => assert.equal(server.session.subscriberCount, 1));
    await session.answerApproval(question.data.approval_id, 'Allow');
    await recorder.next('prompt:complete');
    assert.deepEqual(server.session.ran, ['bash']);
    assert.equal(session.turn, 'none');
  });

  it('is restarted with no memory: the session ends and says so, the next one works', async () => {
    const session = await subject.openSession();
    const recorder = new Recorder(session);
    await session.sendPrompt({ text: 'go' });
    await recorder.next('approval:required');
    await server.stop();
    await statusIs('attention', /The connection to \S+ was lost\. Reconnecting…/);
    await server.start();
    await eventually('the end', () => assert.equal(recorder.hasEnded, true));
    assert.match(recorder.all('error')[0]?.data.error ?? '', /restarted/);
    const again = await subject.openSession();
    await statusIs('ready', /is running/);
    assert.equal(again.turn, 'none');
  });

  it('that is the window itself is not asked for a token, nor used', async () => {
    await statusIs('ready', /is running/);
    subject.served.url = new URL(server.url.origin.replace('127.0.0.1', 'localhost'));
    subject.serving.fire();
    await statusIs('off', /This window serves its own agents at/);
    await assert.rejects(subject.openBackend(), { code: 'notReady', message: /This window serves/ });
    subject.served.url = undefined;
    subject.serving.fire();
    await statusIs('ready', /is running/);
  });

  it('is missed only as long as a session needs it', async () => {
    const session = await subject.openSession();
    await server.stop();
    await statusIs('attention', /lost/);
    session.dispose();
    await statusIs('off', /No Amplifier server is running/);
  });

  it('is another one after a change of the settings', async () => {
    const other = new RealDialectServer({ script: wholeTurn });
    await other.start();
    try {
      await subject.openSession();
      const before = await subject.openBackend();
      await setServer(other.url);
      await statusIs('ready', new RegExp(other.url.origin));
      await subject.openSession();
      assert.notEqual(await subject.openBackend(), before);
      assert.equal(other.sessions.size, 1);
      assert.equal(server.sessions.size, 1);
    } finally {
      await other.stop();
    }
  });
});
