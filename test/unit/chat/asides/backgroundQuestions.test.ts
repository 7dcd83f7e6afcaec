import assert from 'node:assert/strict';
import { BackgroundQuestions } from '../../../../src/chat/common/asides/backgroundQuestions';
import type { PromptInput } from '../../../../src/session/common/sessionBackend';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';
import { FakeBackend, FakeSession } from '../../../fake/fakeBackend';

const session_id = 's1';

class AnsweringSession extends FakeSession {
  readonly prompts: string[] = [];
  cancelledCount = 0;

  constructor(private readonly answer: readonly SessionEvent[]) {
    super(session_id);
  }

  override sendPrompt({ text }: PromptInput): Promise<{ requestId: string }> {
    this.prompts.push(text);
    this.turn = 'own';
    for (const event of this.answer) this.tell(event);
    if (this.answer.length > 0) this.turn = 'none';
    return Promise.resolve({ requestId: '1' });
  }

  override cancel(): Promise<void> {
    this.cancelledCount++;
    return Promise.resolve();
  }
}

class AnsweringBackend extends FakeBackend {
  holdsReadOnly = true;

  constructor(readonly session: AnsweringSession) {
    super('agent');
  }

  override loadSession(): Promise<FakeSession> {
    return Promise.resolve(this.session);
  }
}

function says(text: string, block_index: number, block_type = 'text'): SessionEvent[] {
  return [
    { event: 'content_block:start', data: { session_id, block_type, block_index } },
    { event: 'content_block:delta', data: { session_id, block_index, delta: text } },
    { event: 'content_block:end', data: { session_id, block_index } },
  ];
}

const reads: SessionEvent = {
  event: 'tool:pre',
  data: { session_id, tool_name: 'read', operation: 'read', input: {} },
};
const ends: SessionEvent = { event: 'prompt:complete', data: { session_id, response: '' } };

describe('a question in the background', () => {
  const ask = (session: AnsweringSession, signal = new AbortController().signal, holdsReadOnly = true) => {
    const backend = new AnsweringBackend(session);
    backend.holdsReadOnly = holdsReadOnly;
    const questions = new BackgroundQuestions({
      backends: { open: () => Promise.resolve(backend) },
      editor: { folders: [{ name: 'work', path: '/work' }] },
      sessionDefaults: { of: () => ({ options: [], choose: () => undefined }) },
    });
    return { backend, answer: questions.ask('agent', { prompt: 'Why?', folder: '/work', signal }) };
  };

  it('has a session that only reads and is deleted, and the text after the last tool as its answer', async () => {
    const session = new AnsweringSession([
      ...says('I look at it.', 0),
      reads,
      ...says('hm', 1, 'thinking'),
      ...says('fix: ', 2),
      ...says('two', 3),
      ends,
    ]);
    const { backend, answer } = ask(session);
    assert.equal(await answer, 'fix: two');
    assert.equal(backend.created[0]?.isReadOnly, true);
    assert.equal(backend.created[0].cwd, '/work');
    assert.deepEqual([session.prompts, backend.calls, session.cancelledCount], [['Why?'], ['delete s1'], 0]);
  });

  it('is cancelled and deleted when the user stops it', async () => {
    const session = new AnsweringSession([]);
    const stop = new AbortController();
    const { backend, answer } = ask(session, stop.signal);
    const ended = assert.rejects(answer, { name: 'BackendError', code: 'cancelled' });
    stop.abort();
    await ended;
    assert.deepEqual(backend.calls, ['delete s1']);
  });

  it('fails with the reason of the agent, and when the agent ends', async () => {
    const refused: SessionEvent = { event: 'error', data: { session_id, error: 'No credit left.' } };
    await assert.rejects(ask(new AnsweringSession([refused])).answer, /No credit left/);
    const silent = new AnsweringSession([]);
    const { answer } = ask(silent);
    const ended = assert.rejects(answer, { code: 'closed' });
    await Promise.resolve();
    silent.dispose();
    await ended;
  });

  it('is not asked of an agent that cannot be kept from changing files', async () => {
    const session = new AnsweringSession([ends]);
    await assert.rejects(ask(session, undefined, false).answer, /Fake can’t be kept from changing files/);
    assert.deepEqual(session.prompts, []);
  });
});
