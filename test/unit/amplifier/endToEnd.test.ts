import assert from 'node:assert/strict';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendSession } from '../../../src/session/common/sessionBackend';
import { AmplifierClient } from '../../../src/amplifier/node/client/http/amplifierClient';
import { nullLogger } from '../../../src/base/common/log';
import { AmplifierProgram, buildAmplifierProgram } from '../../fake/amplifier/amplifierProgram';
import { CuttableProxy } from '../../fake/acp/cuttableProxy';
import { connectTo, patientLimits, Recorder, type Harness } from './node/clientHarness';
import { call, Failure } from './server/support/serverHarness';
import { refusedUpgrade } from './server/support/webSocketClient';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

const token = 'test-token';

describe('the client and the embedded server over ACP and the demo agent', () => {
  let program: Awaited<ReturnType<typeof buildAmplifierProgram>>;
  let folder: string;
  let file: string;
  let server: AmplifierProgram;
  let proxy: CuttableProxy;
  let harness: Harness;
  let session: BackendSession;
  let recorder: Recorder;

  before(async () => {
    program = await buildAmplifierProgram();
    folder = await realpath(await mkdtemp(join(tmpdir(), 'backline-ws-')));
  });
  after(async () => {
    await program.remove();
    await rm(folder, { recursive: true, force: true });
  });

  beforeEach(async () => {
    file = join(folder, 'a.ts');
    await writeFile(file, 'const colour = 1;\nprint(colour);\n');
    server = new AmplifierProgram({ file: program.file, cwd: folder, token });
    await server.start();
    proxy = new CuttableProxy(server.url);
    await proxy.start();
    harness = connect();
    session = await harness.backend.createSession({ cwd: folder });
    recorder = new Recorder(session);
  });
  afterEach(async () => {
    harness.backend.dispose();
    await proxy.stop();
    await server.stop();
  });

  function connect(options: { token?: string } = { token }): Harness {
    const client = new AmplifierClient({ http: new OutgoingHttp(), baseUrl: proxy.url, log: nullLogger, ...options });
    const context = {
      collect: () => Promise.resolve({ workspace_root: folder }),
      readFiles: () => Promise.resolve([]),
    };
    return connectTo(proxy.url, { client, context, limits: patientLimits });
  }

  const rename = (): Promise<unknown> => session.sendPrompt({ text: `rename colour to color in ${file}` });

  /** Answers the `count`-th question by its first option of that kind. */
  async function answer(kind: 'allow_once' | 'reject_once', count = 1): Promise<string> {
    const { data } = await recorder.next('approval:required', count);
    const option = data.options[(data.option_kinds ?? []).indexOf(kind)];
    assert.ok(option !== undefined, `no ${kind} among ${data.options.join(', ')}`);
    await session.answerApproval(data.approval_id, option);
    return data.approval_id;
  }

  it('lead a whole turn with an approval, and the file is changed', async () => {
    const { requestId } = await session.sendPrompt({ text: `rename colour to color in ${file}` });
    const { data: question } = await recorder.next('approval:required');
    assert.equal(session.turn, 'own');
    assert.equal(
      await readFile(file, 'utf8'),
      'const colour = 1;\nprint(colour);\n',
      'nothing happens before the answer',
    );
    assert.equal(question.call_id, recorder.all('tool:pre').at(-1)?.data.call_id);
    await answer('allow_once');
    const { data: end } = await recorder.next('prompt:complete');
    assert.equal(await readFile(file, 'utf8'), 'const color = 1;\nprint(color);\n');
    assert.equal(end.request_id, requestId);
    assert.equal(end.stop_reason ?? 'end_turn', 'end_turn');
    assert.equal(end.response, recorder.text);
    assert.equal(recorder.all('approval:granted').length, 1);
    const [first, ...others] = recorder.names;
    assert.equal(first, 'session:start');
    assert.equal(others.filter((name) => name === 'session:start' || name === 'prompt:submit').length, 1);
    assert.equal(recorder.all('tool:pre').length, recorder.all('tool:post').length);
    assert.equal(session.turn, 'none');
  });

  it('change nothing if the user denies', async () => {
    await rename();
    await answer('reject_once');
    await recorder.next('prompt:complete');
    assert.equal(await readFile(file, 'utf8'), 'const colour = 1;\nprint(colour);\n');
    assert.equal(recorder.all('approval:denied').length, 1);
    assert.deepEqual(recorder.all('approval:granted'), []);
  });

  it('take nothing but a listed option, and one answer only', async () => {
    await rename();
    const { data } = await recorder.next('approval:required');
    for (const option of ['yes', '', `${data.options[0] ?? ''} `]) {
      await assert.rejects(session.answerApproval(data.approval_id, option), { code: 'approvalInvalid' });
    }
    await assert.rejects(session.sendPrompt({ text: 'hello' }), { code: 'busy' });
    await answer('reject_once');
    await assert.rejects(session.answerApproval(data.approval_id, data.options[0] ?? ''), { code: 'approvalResolved' });
    await recorder.next('prompt:complete');
  });

  it('carry what ACP knows beyond the API: the diff, the plan, the commands', async () => {
    await rename();
    await answer('reject_once');
    await recorder.next('prompt:complete');
    await session.sendPrompt({ text: '/plan' });
    await recorder.next('prompt:complete', 2);
    const contents = recorder.events.flatMap(({ event, data }) =>
      event === 'tool:pre' || event === 'tool:update' || event === 'tool:post' || event === 'approval:required'
        ? [JSON.stringify(data)]
        : [],
    );
    assert.ok(
      contents.some((text) => text.includes('"type":"diff"') && text.includes('const color = 1;')),
      contents.join('\n'),
    );
    assert.ok(recorder.all('plan:update').length > 1);
    assert.ok(session.commands.some(({ name }) => name === 'rename'));
  });

  it('stop one turn and continue with the session', async () => {
    await session.sendPrompt({ text: '/slow 500' });
    await recorder.next('content_block:delta');
    await session.cancel();
    const { data } = await recorder.next('prompt:complete');
    assert.equal(data.stop_reason, 'cancelled');
    await session.sendPrompt({ text: 'hello' });
    const next = await recorder.next('prompt:complete', 2);
    assert.notEqual(next.data.response, '');
    assert.deepEqual(recorder.all('notice'), []);
  });

  it('lose no word and tell none twice when the connection is cut again and again', async () => {
    await session.sendPrompt({ text: '/slow 60' });
    for (const count of [1, 10, 20]) {
      await recorder.next('content_block:delta', count);
      proxy.cut();
    }
    const { data } = await recorder.next('prompt:complete');
    assert.equal(recorder.text, data.response);
    assert.ok(data.response.split(/\s+/).length >= 60, data.response);
    assert.deepEqual(recorder.all('notice'), []);
  });

  it('take an answer that was asked for before the connection was lost', async () => {
    await rename();
    await recorder.next('approval:required');
    proxy.cut();
    await answer('allow_once');
    await recorder.next('prompt:complete');
    assert.equal(recorder.all('approval:required').length, 1);
    assert.equal(await readFile(file, 'utf8'), 'const color = 1;\nprint(color);\n');
  });

  it('send everything to each window', async () => {
    const other = connect();
    try {
      const theirs = new Recorder(await other.backend.loadSession(session.id, { cwd: folder }));
      await session.sendPrompt({ text: 'hello' });
      const [mine, their] = await Promise.all([recorder.next('prompt:complete'), theirs.next('prompt:complete')]);
      assert.equal(their.data.response, mine.data.response);
      assert.equal(theirs.text, recorder.text);
    } finally {
      other.backend.dispose();
    }
  });

  for (const [how, signal] of [
    ['stopped', 'SIGTERM'],
    ['killed', 'SIGKILL'],
  ] as const) {
    it(`end the session when the server is ${how} in a turn and started again, and the next one works`, async () => {
      await rename();
      await recorder.next('approval:required');
      await server.stop(signal);
      await server.start();
      await recorder.end();
      assert.equal(session.turn, 'none');
      assert.ok(recorder.all('approval:granted').length === 0);
      assert.equal(recorder.names.at(-1), 'session:end');
      assert.equal(await readFile(file, 'utf8'), 'const colour = 1;\nprint(colour);\n');
      session = await harness.backend.createSession({ cwd: folder });
      recorder = new Recorder(session);
      await session.sendPrompt({ text: 'hello' });
      await recorder.next('prompt:complete');
    });
  }

  it('hear the same of a session that a restart has lost, whichever way they ask', async () => {
    await server.stop('SIGKILL');
    await server.start();
    const headers = { Authorization: `Bearer ${token}` };
    const path = `/sessions/${session.id}`;
    const rest = await call(server.url.href, 'GET', path, { headers });
    const upgrade = await refusedUpgrade(new URL(`${path}/ws`, server.url).href, headers);
    assert.deepEqual([rest.status, upgrade.status], [404, 404]);
    assert.equal(Failure.parse(upgrade.json).error.code, 'SESSION_NOT_FOUND');
    assert.deepEqual(upgrade.json, rest.json);
  });

  it('end the session when it is closed', async () => {
    await session.close();
    await recorder.end();
    await assert.rejects(session.sendPrompt({ text: 'hello' }), { code: 'closed' });
    const list = await harness.backend.listSessions();
    assert.ok(!list.some(({ id }) => id === session.id));
  });

  it('explain what to do without the token, or with another one', async () => {
    for (const options of [{}, { token: 'another' }]) {
      const stranger = connect(options);
      await assert.rejects(stranger.backend.createSession({ cwd: folder }), {
        code: 'authRequired',
        message: /Set Amplifier Server Token/,
      });
      stranger.backend.dispose();
    }
  });

  it('agree on the other endpoints that the client uses', async () => {
    const client = new AmplifierClient({ http: new OutgoingHttp(), baseUrl: server.url, token, log: nullLogger });
    try {
      assert.equal((await client.health()).status, 'healthy');
      assert.notEqual((await client.info()).amplifier_core_version, undefined);
      const [profile] = await client.listProfiles();
      assert.ok(profile);
      assert.equal((await client.getProfile(profile.name)).name, profile.name);
      assert.equal((await client.getSession(session.id)).status, 'idle');
      await assert.rejects(client.getSession('nope'), { code: 'SESSION_NOT_FOUND', httpStatus: 404 });
      await assert.rejects(client.getProfile('nope'), { code: 'PROFILE_NOT_FOUND', httpStatus: 404 });
    } finally {
      client.dispose();
    }
  });
});
