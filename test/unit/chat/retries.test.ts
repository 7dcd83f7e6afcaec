import assert from 'node:assert/strict';
import type { Chat } from '../../../src/chat/common/chatPorts';
import type { EntryOf } from '../../../src/transcript/common/entries';
import { until } from '../../support/eventually';
import { event } from './support/transcriptRecorder';
import { draft, outline, settled, Window } from './support/window';

type End = EntryOf<'end'>;

describe('A turn that has failed', () => {
  let window: Window;
  let chat: Chat;

  beforeEach(async () => {
    window = await Window.open();
    chat = await window.chats.create('one');
  });
  afterEach(() => window.remove());

  const ends = (): End[] => [...chat.transcript.entries('end')];
  const lastEnd = (): End => ends().at(-1) ?? assert.fail('no end');
  const prompts = (): string[] => window.agent.last.prompts.map(({ text }) => text);

  async function fail(error = 'API Error: 529 Overloaded'): Promise<void> {
    const count = ends().length;
    window.agent.last.tell(event('error', { error }));
    await until('the end', () => ends().length > count);
    await settled();
  }

  async function sendAndFail(text = 'Go'): Promise<void> {
    await chat.send(draft(text));
    await fail();
  }

  it('sends its prompt again, with its attachments and without a second bubble', async () => {
    const image = { id: 'i', kind: 'image', title: 'Image', image: { mimeType: 'image/png', data: 'AA==' } } as const;
    await chat.send({ text: 'Look', attachments: [image] });
    await fail();
    const { failure, text } = lastEnd();
    assert.equal(text, `${chat.view.backendTitle} is overloaded (529).`);
    assert.deepEqual(failure, { kind: 'overloaded', canRetry: true });
    await chat.retry(lastEnd().id);
    assert.deepEqual(prompts(), ['Look', 'Look']);
    assert.deepEqual(window.agent.last.prompts[1]?.attachments, window.agent.last.prompts[0]?.attachments);
    window.agent.last.end('Seen.');
    await until('the end', () => ends().length === 2);
    assert.deepEqual(outline(chat), [
      'prompt: Look',
      'end: failed',
      'prompt: Retry',
      'answer: Seen.',
      'end: completed',
    ]);
    assert.deepEqual(chat.sentPromptTexts, ['Look']);
  });

  it('is told in the same words between turns, without keys', async () => {
    await sendAndFail();
    const key = `github_pat_${'a1'.repeat(20)}`;
    for (const error of ['API Error: 529 Overloaded', `It said ${key}`])
      window.agent.last.tell(event('error', { error, details: { key } }));
    await until('the notices', () => [...chat.transcript.entries('notice')].length === 2);
    const notices = [...chat.transcript.entries('notice')];
    assert.deepEqual(
      notices.map(({ text }) => text),
      [`${chat.view.backendTitle} is overloaded (529).`, 'It said [key]'],
    );
    assert.doesNotMatch(JSON.stringify(notices), /a1a1/u);
  });

  it('is retried once, however often it is asked for', async () => {
    await sendAndFail();
    const { id } = lastEnd();
    await Promise.all([chat.retry(id), chat.retry(id), chat.retry(id)]);
    await chat.retry(id);
    assert.deepEqual([prompts(), chat.view.queue], [['Go', 'Go'], []]);
    await fail();
    await chat.retry(id);
    assert.equal(prompts().length, 2, 'its turn is not the last one any more');
    await chat.retry(lastEnd().id);
    assert.equal(prompts().length, 3);
  });

  it('is not retried while another turn runs, and not after another prompt', async () => {
    await sendAndFail();
    const { id } = lastEnd();
    await chat.send(draft('Other'));
    await chat.retry(id);
    window.agent.last.end('Done.');
    await until('the end', () => ends().length === 2);
    await chat.retry(id);
    assert.deepEqual(prompts(), ['Go', 'Other']);
  });

  it('can be retried after a reload', async () => {
    await sendAndFail();
    const { editor, folder } = window;
    await window.close();
    window = await Window.open({ folder, editor });
    chat = await window.chats.open(chat.id);
    await chat.retry(lastEnd().id);
    assert.deepEqual(prompts(), ['Go']);
    assert.deepEqual(outline(chat).slice(0, 3), ['prompt: Go', 'end: failed', 'prompt: Retry']);
  });

  it('offers it again if the retry was not accepted', async () => {
    await sendAndFail();
    const { id } = lastEnd();
    const { last } = window.agent;
    const sendPrompt = last.sendPrompt.bind(last);
    last.sendPrompt = () => Promise.reject(new Error('Not now.'));
    await assert.rejects(chat.retry(id), /Not now/u);
    assert.deepEqual(outline(chat), ['prompt: Go', 'end: failed']);
    last.sendPrompt = sendPrompt;
    await chat.retry(id);
    assert.equal(outline(chat).at(-1), 'prompt: Retry');
  });

  it('can be restored to before either attempt, with its prompt', async () => {
    await sendAndFail();
    await chat.retry(lastEnd().id);
    window.agent.last.end('Done.');
    await until('the end', () => ends().length === 2);
    await settled();
    const retry = [...chat.transcript.entries('prompt')][1]?.id ?? '';
    const fork = await window.chats.fork(chat.id, retry);
    assert.equal(fork.draft.text, 'Go');
    assert.deepEqual(outline(fork).slice(0, 2), ['prompt: Go', 'end: failed']);
    assert.equal([...fork.transcript.entries('end')].at(-1)?.failure?.canRetry, undefined);
  });

  it('goes on with another agent, which gets a summary, and the ends of before keep the name', async () => {
    await chat.send(draft('First'));
    window.agent.last.end('One.');
    await until('the end', () => ends().length === 1);
    await sendAndFail('Second');
    const said = lastEnd().text;
    const title = chat.view.backendTitle;
    const fork = await window.chats.fork(chat.id, undefined, { backendId: 'two', backendTitle: 'Other' });
    assert.deepEqual([fork.view.backendId, fork.view.backendTitle, fork.draft.text], ['two', 'Other', 'Second']);
    assert.equal([...fork.transcript.entries('end')].at(-1)?.text, said);
    assert.ok(said?.startsWith(title));
    const again = await window.chats.fork(fork.id, undefined, { backendId: 'one', backendTitle: title });
    assert.equal([...again.transcript.entries('end')].at(-1)?.text, said);
    const copied = [...fork.transcript.entries('end')].at(-1);
    assert.deepEqual(copied?.failure, { kind: 'overloaded', isPast: true }, 'the draft has the prompt');
    await fork.retry(copied.id);
    assert.deepEqual(outline(fork).at(-2), 'end: failed');
    assert.equal(lastEnd().failure?.canRetry, true);
  });

  for (const [name, finish, text, kind] of [
    ['without an answer', { response: '' }, /ended the turn without an answer/u, 'noAnswer'],
    ['for an unknown reason', { response: 'x', unknown_stop_reason: '_budget' }, /“_budget”/u, 'cutOff'],
    ['with a refusal', { response: 'x', stop_reason: 'refusal' }, /refused/u, 'refused'],
    ['at the limit of tokens', { response: 'x', stop_reason: 'max_tokens' }, /token limit/u, 'cutOff'],
    ['at the limit of requests', { response: 'x', stop_reason: 'max_turn_requests' }, /request limit/u, 'cutOff'],
  ] as const) {
    it(`also is one that ended ${name}, which is said`, async () => {
      await chat.send(draft('Go'));
      window.agent.last.tell(event('prompt:complete', finish));
      await until('the end', () => ends().length === 1);
      await settled();
      assert.match(lastEnd().text ?? '', text);
      assert.deepEqual(lastEnd().failure, { kind, canRetry: true });
      await chat.retry(lastEnd().id);
      assert.deepEqual(prompts(), ['Go', 'Go']);
    });
  }

  it('is none that answers, works without words, runs a command, or is stopped', async () => {
    const call = { tool_name: 'edit', operation: 'edit', call_id: 'c', input: {} };
    await chat.send(draft('Go'));
    window.agent.last.tell(event('tool:pre', call));
    window.agent.last.tell(event('prompt:complete', { response: '' }));
    await until('the end', () => ends().length === 1);
    await settled();
    await chat.send(draft('/clear'));
    window.agent.last.tell(event('prompt:complete', { response: '' }));
    await until('the end', () => ends().length === 2);
    await settled();
    await chat.send(draft('Go'));
    await chat.stop();
    await until('the end', () => ends().length === 3);
    assert.deepEqual(
      ends().map(({ failure }) => failure),
      [undefined, undefined, undefined],
    );
    await chat.retry(lastEnd().id);
    assert.equal(prompts().length, 3);
  });
});
