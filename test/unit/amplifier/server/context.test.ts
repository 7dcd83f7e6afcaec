import assert from 'node:assert/strict';
import { ServerHarness } from './support/serverHarness';
import { documentedRequests } from './support/documentExamples';

describe('what a client tells the embedded server of its editor', () => {
  let harness: ServerHarness;
  beforeEach(async () => {
    harness = await ServerHarness.start();
  });
  afterEach(() => harness.stop());

  it('goes with the first prompt once, as that prompt tells it, and what changed with the prompt that tells it', async () => {
    const { id, fake } = await harness.createSession(documentedRequests.createSession);
    await harness.call('POST', `/sessions/${id}/prompt`, { body: documentedRequests.prompt });
    assert.deepEqual(fake.prompts[0], {
      text: 'Explain this code and suggest improvements',
      attachments: [
        {
          type: 'text',
          uri: 'file:///path/to/file.py',
          title: 'Open file /path/to/file.py, cursor at 11:6',
          text: '...',
        },
        {
          type: 'text',
          uri: 'file:///path/to/file.py#L11-L12',
          title: 'Selection in /path/to/file.py',
          text: 'def foo():\n    pass',
        },
        {
          type: 'text',
          uri: 'editor:problems',
          title: 'Problems',
          text: "/path/to/file.py:6:1: error: Undefined variable 'foo'",
        },
        {
          type: 'text',
          uri: 'editor:git',
          title: 'Git state',
          text: 'branch: main\nstaged: file.py\nmodified: other.py',
        },
      ],
    });
    fake.emit('prompt:complete', { response: '' });
    await harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: 'And now?' } });
    assert.deepEqual(fake.prompts[1], { text: 'And now?' });
  });

  it('goes with the next prompt when the agent did not take this one', async () => {
    const context = { workspace_root: '/ws', selection: { path: 'a.ts', text: 't', range: range(0, 0) } };
    const { id, fake } = await harness.createSession({ profile: 'fake', context });
    fake.failure = new Error('lost');
    await harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: 'one' } });
    await harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: 'two' } });
    assert.deepEqual(
      fake.prompts[0]?.attachments?.map((attachment) => 'uri' in attachment && attachment.uri),
      ['file:///ws/a.ts#L1-L1'],
    );
  });

  it('is read without what clients write as null, and with as little of git as they know', async () => {
    const file = { path: 'a.ts', language: 'ts', content: 'x', cursor_position: null };
    const nothing = { open_files: null, git_state: null, diagnostics: null, selection: null };
    const create = (more: object) =>
      harness.createSession({ profile: 'fake', model: null, credentials: null, ...more });
    await create({ context: null, credentials: { anthropic_api_key: null } });
    await create({ context: { workspace_root: '/ws', ...nothing } });
    const context = { workspace_root: '/ws', open_files: [file], git_state: { branch: 'main', staged_files: null } };
    const { id, fake } = await create({ context });
    const prompt = async (more: object): Promise<void> => {
      const body = { prompt: 'go', ...more };
      assert.equal((await harness.call('POST', `/sessions/${id}/prompt`, { body })).status, 202);
    };
    await prompt({ context_update: { workspace_root: null, ...nothing } });
    assert.deepEqual(
      fake.prompts[0]?.attachments?.map(({ type, ...rest }) => [type, 'title' in rest && rest.title]),
      [
        ['text', 'Open file a.ts'],
        ['text', 'Git state'],
      ],
    );
    fake.ask('a1');
    await (await harness.subscribe(id)).next('approval:required');
    const body = { decision: 'Allow', approval_id: null };
    assert.equal((await harness.call('POST', `/sessions/${id}/approval`, { body })).status, 200);
    fake.emit('prompt:complete', { response: '' });
    await prompt({ context_update: null });
    assert.deepEqual(fake.prompts[1], { text: 'go' });
  });

  it('keeps the names of what is no file', async () => {
    const open = (path: string) => ({ path, language: 'plaintext', content: 'x' });
    const open_files = ['untitled:Untitled-1', 'file:///ws/a.ts', 'b.ts', 'C:\\c.ts'].map(open);
    const context = {
      workspace_root: '/ws',
      open_files,
      selection: { path: 'git:a.ts', text: 't', range: range(0, 0) },
    };
    const { id, fake } = await harness.createSession({ profile: 'fake', context });
    await harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: 'one' } });
    assert.deepEqual(
      fake.prompts[0]?.attachments?.map((attachment) => 'uri' in attachment && attachment.uri),
      ['untitled:Untitled-1', 'file:///ws/a.ts', 'file:///ws/b.ts', 'file:///C:/c.ts', 'git:a.ts#L1-L1'],
    );
  });

  it('names the folder the agent works in only where that is inside the workspace', async () => {
    const cwdOf = async (workspace_root: string): Promise<[string, boolean]> => {
      const { id, fake } = await harness.createSession({ profile: 'fake', context: { workspace_root } });
      const stream = await harness.subscribe(id);
      fake.emit('prompt:complete', { response: '' });
      await stream.next('prompt:complete');
      return [fake.options.cwd, stream.names.includes('notice')];
    };
    assert.deepEqual(await cwdOf('/ws'), ['/ws', false]);
    assert.deepEqual(await cwdOf('/ws/src'), ['/ws/src', false]);
    assert.deepEqual(await cwdOf('/ws/b.ts'), ['/ws', true]);
    assert.deepEqual(await cwdOf('/etc'), ['/ws', true]);
    assert.deepEqual(await cwdOf('/ws/../etc'), ['/ws', true]);
  });

  it('drops credentials', async () => {
    const { id, fake } = await harness.createSession(documentedRequests.createSession);
    const stream = await harness.subscribe(id);
    await harness.call('POST', `/sessions/${id}/prompt`, { body: documentedRequests.prompt });
    await stream.next('prompt:submit');
    const everything = JSON.stringify([fake.options, fake.prompts, stream.text, harness.log.lines]);
    assert.doesNotMatch(everything, /sk-ant/u);
  });

  it('sets the model where the agent offers it, and says so where not', async () => {
    const choices = [{ value: 'm1', name: 'M1' }];
    harness.backend.afterCreate = (session) => {
      session.config = [{ type: 'select', id: 'model', name: 'Model', category: 'model', value: 'm0', choices }];
    };
    const { fake } = await harness.createSession({ profile: 'fake', model: 'm1' });
    assert.deepEqual(fake.configured, [['model', 'm1']]);
    const other = await harness.createSession({ profile: 'fake', model: 'm2' });
    assert.deepEqual(other.fake.configured, []);
    const stream = await harness.subscribe(other.id);
    assert.match(String((await stream.next('notice')).data['message']), /doesn’t offer the model "m2"/u);
  });
});

function range(line: number, character: number): object {
  return { start: { line, character }, end: { line, character } };
}
