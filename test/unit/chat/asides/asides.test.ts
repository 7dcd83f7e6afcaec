import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { until } from '../../../support/eventually';
import { event } from '../support/transcriptRecorder';
import { RestoreBench, a } from '../support/restoreBench';
import { draft, noStarts, outline, rowsFound, Window } from '../support/window';

describe('A side question', () => {
  let made: RestoreBench;
  beforeEach(async () => {
    made = await RestoreBench.open();
  });
  afterEach(() => made.remove());

  const ask = async (about: Chat): Promise<Chat> => await made.window.chats.fork(about.id, undefined, 'aside');
  const headOf = (id: string) => made.window.store.heads.find((head) => head.id === id);

  it('is asked in a copy of the session that can only read, and has nothing of the files', async () => {
    const chat = await made.conversation();
    made.window.agent.fork = () => Promise.resolve('copy');
    const aside = await ask(chat);
    assert.equal(made.window.agent.opened.at(-1)?.isReadOnly, true);
    assert.deepEqual(aside.view.aside, { about: 'first' });
    assert.deepEqual(
      [aside.view.title, aside.sentPromptTexts, aside.draft.text],
      ['Aside: first', chat.sentPromptTexts, ''],
    );
    assert.deepEqual([await made.listed(aside), headOf(aside.id)?.changes], [{}, undefined]);
    const taken = made.checkpoints.taken.length;
    await made.turn(aside, 'why?', { [a]: 'of somebody else\n' });
    assert.ok(made.window.agent.calls.includes('load copy'));
    assert.equal(made.window.agent.opened.at(-1)?.isReadOnly, true, 'when it is loaded');
    assert.equal(made.checkpoints.taken.length, taken);
    assert.deepEqual(await made.listed(aside), {});
    assert.deepEqual(chat.sentPromptTexts, ['first', 'second', 'third']);
  });

  it('is asked in a new session with a summary while a turn runs, which is not touched', async () => {
    const chat = await made.conversation();
    made.window.agent.fork = () => Promise.resolve('copy');
    await chat.send(draft('long work'));
    await chat.send(draft('queued'));
    const working = made.window.agent.last;
    working.tell(event('content_block:start', { block_type: 'text', block_index: 0 }));
    working.tell(event('content_block:delta', { block_index: 0, delta: 'Half of it' }));
    await until('the text', () => outline(chat).some((line) => line.includes('Half of it')));
    const before = outline(chat);
    const calls = [...working.calls];
    const aside = await ask(chat);
    assert.ok(!made.window.agent.calls.some((call) => call.startsWith('fork')));
    assert.deepEqual([aside.view.isBusy, aside.view.queue], [false, []]);
    assert.deepEqual(
      outline(aside).filter((line) => line.includes('interrupted') || line.includes('window')),
      ['end: interrupted'],
    );
    const ends = [...aside.transcript.entries('end')];
    assert.match(ends.at(-1)?.text ?? '', /^The turn goes on in the first conversation\./);
    await aside.send(draft('what are you doing?'));
    assert.notEqual(made.window.agent.last, working);
    assert.equal(made.window.agent.opened.at(-1)?.isReadOnly, true);
    const [summary] = made.window.agent.last.prompts[0]?.attachments ?? [];
    assert.ok(summary?.type === 'text');
    assert.match(summary.text, /User: long work[^]*Assistant: Half of it/);
    made.window.agent.last.end('This.');
    await until('the answer', () => aside.view.isBusy === false);
    assert.deepEqual([outline(chat), working.calls, chat.view.isBusy], [before, calls, true]);
    await chat.stop();
  });

  it('is in no list, no count and no search, and can be opened again', async () => {
    const chat = await made.conversation();
    const aside = await ask(chat);
    await made.turn(aside, 'unmistakable', {});
    const { chats } = made.window;
    assert.deepEqual(
      chats.rows.map(({ id }) => id),
      [chat.id],
    );
    assert.deepEqual(await rowsFound(chats, 'unmistakable'), []);
    assert.deepEqual(
      (await rowsFound(chats, 'first')).map(({ id }) => id),
      [chat.id],
    );
    assert.deepEqual(
      chats.openAsides.map(({ about, id }) => [id, about]),
      [[aside.id, 'first']],
    );
    const again = await made.reopened(aside.id);
    assert.deepEqual([again.view.aside, made.window.chats.rows.length], [{ about: 'first' }, 1]);
  });

  it('leaves nothing, also not in the store of the agent', async () => {
    const chat = await made.conversation();
    const files = await readdir(made.window.folder);
    const aside = await ask(chat);
    await aside.send(draft('why?'));
    const session = made.window.agent.last;
    await made.window.chats.delete(aside.id);
    assert.deepEqual(await readdir(made.window.folder), files);
    assert.ok(session.calls.includes('close'));
    await until('the deletion', () => made.window.agent.calls.includes(`delete ${session.id}`));
    assert.deepEqual([made.window.chats.openAsides, made.window.store.heads.length], [[], 1]);
  });

  it('can be a new conversation that can only read, of an agent that can be held to that', async () => {
    const review = await made.window.chats.create('one', { aside: { about: 'the changes' } });
    await made.turn(review, 'Review these changes.', {});
    assert.equal(made.window.agent.opened.at(-1)?.isReadOnly, true);
    assert.deepEqual(
      made.window.chats.openAsides.map(({ about }) => about),
      ['the changes'],
    );
    assert.deepEqual(made.window.chats.rows, []);
    Object.assign(made.window.agent, { holdsReadOnly: false });
    await assert.rejects(made.window.chats.create('one', { aside: { about: 'x' } }), { code: 'unsupported' });
  });

  it('is an ordinary row once it is kept, and still only reads, until it is forked', async () => {
    const chat = await made.conversation();
    const aside = await ask(chat);
    await made.turn(aside, 'why?', {});
    await made.window.chats.setMarks(aside.id, { keptAside: { about: 'first' } });
    assert.deepEqual(new Set(made.window.chats.rows.map(({ id }) => id)), new Set([chat.id, aside.id]));
    await until('the view', () => aside.view.aside?.isKept === true);
    assert.deepEqual(made.window.chats.openAsides, []);
    const again = await made.reopened(aside.id);
    await made.turn(again, 'and?', {});
    assert.equal(made.window.agent.opened.at(-1)?.isReadOnly, true);
    const edited = await made.window.chats.fork(again.id, made.promptOf(again, 5));
    assert.deepEqual(edited.view.aside, { about: 'first', isKept: true }, 'another prompt in it');
    const fork = await made.window.chats.fork(again.id);
    assert.equal(fork.view.aside, undefined);
    await made.turn(fork, 'do it', {});
    assert.notEqual(made.window.agent.opened.at(-1)?.isReadOnly, true);
  });

  it('is refused where the agent could not be kept from writing', async () => {
    const chat = await made.conversation();
    made.window.agent.holdsReadOnly = false;
    await assert.rejects(ask(chat), { code: 'unsupported', message: /^Agent one can’t be limited to reading/ });
    made.window.agent.holdsReadOnly = true;
    const aside = await ask(chat);
    made.window.agent.holdsReadOnly = false;
    await assert.rejects(aside.send(draft('why?')), { code: 'unsupported' });
    assert.deepEqual(
      made.window.chats.rows.map(({ id }) => id),
      [chat.id],
    );
  });

  it('is refused by an agent that was seen to act without asking', async () => {
    const starts = {
      ...noStarts,
      of: () => ({ ...noStarts.of('one'), observedUnattendedAction: 'edits' as const }),
    };
    const window = await Window.open({ starts });
    const chat = await window.chats.create('one', undefined);
    await chat.send(draft('first'));
    await assert.rejects(window.chats.fork(chat.id, undefined, 'aside'), {
      code: 'unsupported',
      message: /without asking/,
    });
    assert.deepEqual(window.chats.openAsides, []);
    await window.remove();
  });

  it('is stopped, and says so, if the agent changes a file nevertheless', async () => {
    const aside = await ask(await made.conversation());
    await aside.send(draft('why?'));
    const session = made.window.agent.last;
    const call = { call_id: 'c1', kind: 'edit', tool_name: 'Edit', operation: 'edit' };
    session.tell(event('tool:pre', { ...call, input: {} }), event('tool:post', { ...call, result: { success: true } }));
    await until('the notice', () => outline(aside).some((line) => line.includes('changed a file without asking')));
    await until('the stop', () => session.calls.includes('cancel'));
  });
});
