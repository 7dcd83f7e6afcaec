import assert from 'node:assert/strict';
import type { BackendSession } from '../../../../src/session/common/sessionBackend';
import { connectTo, Recorder, type Harness } from '../node/clientHarness';
import type { FakeSession } from './support/fakeBackend';
import { ServerHarness, type SseClient } from './support/serverHarness';

describe('a session of the embedded server that a client loads again', () => {
  let harness: ServerHarness;
  let client: Harness;
  let id: string;
  let fake: FakeSession;
  let stream: SseClient;

  beforeEach(async () => {
    harness = await ServerHarness.start();
    ({ id, fake } = await harness.createSession());
    stream = await harness.subscribe(id);
    client = connectTo(new URL(harness.url));
  });
  afterEach(async () => {
    client.backend.dispose();
    await harness.stop();
  });

  const say = (text: string): void => fake.emit('content_block:delta', { block_index: 0, delta: text });
  const prompt = (text: string) => harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: text } });

  /** A whole turn with an approval, told to whoever listens. */
  async function lead(text: string): Promise<void> {
    await prompt(text);
    fake.emit('commands:update', { commands: [{ name: 'rename', description: 'Renames' }] });
    fake.ask('a1');
    await stream.next('approval:required');
    await harness.call('POST', `/sessions/${id}/approval`, { body: { decision: 'Allow' } });
    say(`answer to ${text}`);
    fake.emit('prompt:complete', { response: `answer to ${text}` });
    await stream.next('prompt:complete');
  }

  async function load(): Promise<{ session: BackendSession; recorder: Recorder }> {
    const session = await client.backend.loadSession(id, { cwd: '/ws' });
    return { session, recorder: new Recorder(session) };
  }

  it('tells its new turns only, and what of its past still holds', async () => {
    await lead('one');
    const { session, recorder } = await load();
    await session.sendPrompt({ text: 'two' });
    say('new');
    fake.emit('prompt:complete', { response: 'new' });
    await recorder.next('prompt:complete');
    assert.deepEqual(recorder.names, [
      'session:start',
      'commands:update',
      'prompt:submit',
      'status:update',
      'content_block:start',
      'content_block:delta',
      'content_block:end',
      'prompt:complete',
    ]);
    assert.equal(recorder.text, 'new');
    assert.equal(recorder.all('prompt:submit').length, 1);
    assert.deepEqual(
      session.commands.map(({ name }) => name),
      ['rename'],
    );
  });

  it('tells the turn that runs from its beginning, and nothing before it', async () => {
    await lead('one');
    await prompt('two');
    say('half');
    fake.ask('a2');
    await stream.next('approval:required', 2);
    const { session, recorder } = await load();
    const { data } = await recorder.next('approval:required');
    assert.equal(data.approval_id, 'a2');
    assert.equal(session.turn, 'other');
    await session.answerApproval('a2', 'Allow');
    say(' and half');
    fake.emit('prompt:complete', { response: 'half and half' });
    await recorder.next('prompt:complete');
    assert.equal(recorder.text, 'half and half');
    assert.deepEqual(
      recorder.all('prompt:submit').map(({ data: told }) => told.prompt),
      ['two'],
    );
    for (const name of ['approval:required', 'approval:granted', 'prompt:complete'] as const) {
      assert.equal(recorder.all(name).length, 1, name);
    }
  });

  it('is over when its agent has gone meanwhile', async () => {
    await lead('one');
    fake.endLog();
    await stream.end();
    const { recorder } = await load();
    await recorder.end();
    assert.deepEqual(recorder.names, ['session:start', 'commands:update', 'session:end']);
  });

  it('tells a client that only reads everything, as before', async () => {
    await lead('one');
    const late = await harness.subscribe(id);
    await late.next('prompt:complete');
    assert.equal(late.text, stream.text);
  });
});
