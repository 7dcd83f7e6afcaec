import assert from 'node:assert/strict';
import { BackendError } from '../../../src/session/common/sessionBackend';
import { ChatBackends } from './support/chatBackend';
import { event } from './support/transcriptRecorder';
import { FakeClock } from '../../fake/fakeClock';
import { until } from '../../support/eventually';
import { answer, draft, outline, Window, rowsFound } from './support/window';

const never = new AbortController().signal;

describe('ChatSessions', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open();
  });
  afterEach(() => window.remove());

  it('starts no backend and stores nothing before the first prompt', async () => {
    await window.chats.create('one');
    assert.deepEqual(window.agent.calls, []);
    assert.deepEqual(window.chats.rows, []);
  });

  it('sends a prompt to the backend and shows the answer', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Hello there'));
    window.agent.last.say('Hi.');
    window.agent.last.end('Hi.');
    await until('the end', () => outline(chat).includes('end: completed'));
    assert.deepEqual(outline(chat), ['prompt: Hello there', 'answer: Hi.', 'end: completed']);
    assert.deepEqual(
      window.chats.rows.map(({ state, title }) => [title, state]),
      [['Hello there', 'unread']],
    );
    assert.deepEqual(chat.sentPromptTexts, ['Hello there']);
  });

  it('marks what ended unseen until the user sees it, also a failed start', async () => {
    const row = (): unknown[] => [window.chats.rows[0]?.state, window.chats.rows[0]?.isUnseen];
    const chat = await window.chats.create('one');
    chat.setVisibility('shown');
    await chat.send(draft('Hello'));
    assert.deepEqual(row(), ['busy', undefined]);
    window.agent.last.end('Hi.');
    // It is shown, but the window has no focus.
    await until('the end', () => row()[0] === 'unread');
    chat.setVisibility('seen');
    assert.deepEqual(row(), ['idle', undefined]);
    await window.agent.last.close();
    window.agent.beforeSession = () => Promise.reject(new Error('not now'));
    await assert.rejects(chat.send(draft('Again')), /not now/);
    assert.deepEqual(row(), ['failed', undefined], 'seen at once');
    chat.setVisibility('hidden');
    await assert.rejects(chat.send(draft('Again')), /not now/);
    assert.deepEqual(row(), ['failed', true]);
    chat.setVisibility('seen');
    assert.deepEqual(row(), ['failed', undefined], 'the failure stays, its mark does not');
  });

  it('runs conversations in parallel', async () => {
    const [one, two] = await Promise.all([window.chats.create('one'), window.chats.create('two')]);
    await Promise.all([one.send(draft('A')), two.send(draft('B'))]);
    assert.ok(window.backends instanceof ChatBackends);
    for (const backend of window.backends.backends) {
      backend.last.say(backend.id);
      backend.last.end();
    }
    await until('both', () => [one, two].every((chat) => outline(chat).includes('end: completed')));
    assert.equal(outline(one)[1], 'answer: one');
    assert.equal(outline(two)[1], 'answer: two');
  });

  it('queues prompts while a turn runs and sends them one after another', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('1'));
    await chat.send(draft('2'));
    await chat.send(draft('3'));
    assert.deepEqual(
      chat.view.queue.map(({ text }) => text),
      ['2', '3'],
    );
    const third = chat.view.queue[1];
    assert.ok(third);
    assert.deepEqual(await chat.unqueue(third.id), draft('3'));
    window.agent.last.end('One.');
    await until('the second', () => window.agent.last.prompts.length === 2);
    assert.deepEqual(chat.view.queue, []);
  });

  it('keeps the queue on hold after a reload, without the removed prompts', async () => {
    const chat = await window.chats.create('one');
    for (const text of ['1', '2', '3', '4']) await chat.send(draft(text));
    const third = chat.view.queue[1];
    assert.ok(third);
    await chat.unqueue(third.id);
    const { editor, folder } = window;
    await window.close();
    window = await Window.open({ folder, editor });
    const again = await window.chats.open(chat.id);
    const waiting = () => again.view.queue.map(({ text }) => text);
    assert.deepEqual(waiting(), ['2', '4']);
    assert.deepEqual(window.agent.sessions, [], 'nothing is sent by itself');
    window.agent.beforeSession = () => Promise.reject(new Error('not now'));
    await assert.rejects(again.sendFirstQueuedPrompt(), /not now/);
    assert.deepEqual(waiting(), ['2', '4'], 'what was not taken is the first again');
    window.agent.beforeSession = () => Promise.resolve();
    await again.sendFirstQueuedPrompt();
    assert.deepEqual(waiting(), ['4']);
    assert.equal(window.agent.last.prompts[0]?.text, '2');
  });

  it('shows queued prompts shortened and returns them in full', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('1'));
    const image = { mimeType: 'image/png', data: 'aGk=' };
    const whole = { text: 'x'.repeat(2000), attachments: [{ kind: 'image', id: 'i', title: 'Image', image }] } as const;
    await chat.send({ text: whole.text, attachments: [...whole.attachments] });
    const [shown] = chat.view.queue;
    assert.ok(shown && shown.text.length < 1000);
    assert.deepEqual(shown.attachments, [{ kind: 'image', id: 'i', title: 'Image' }]);
    assert.deepEqual(await chat.unqueue(shown.id), whole);
  });

  it('keeps the queue when a turn fails or is stopped', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('1'));
    await chat.send(draft('2'));
    await chat.stop();
    assert.deepEqual(
      chat.view.queue.map(({ text }) => text),
      ['2'],
    );
    await chat.sendFirstQueuedPrompt();
    await until('the second', () => window.agent.last.prompts.length === 2);
    await chat.send(draft('3'));
    window.agent.last.tell(event('error', { error: 'Broke.' }));
    await until('the failure', () => outline(chat).at(-1) === 'end: failed');
    assert.deepEqual(
      chat.view.queue.map(({ text }) => text),
      ['3'],
    );
  });

  it('withdraws the prompt and shows the reason when the backend does not start', async () => {
    window.agent.beforeSession = () => Promise.reject(new BackendError('notReady', 'Install it first.', 'ENOENT'));
    const chat = await window.chats.create('one');
    chat.saveDraft(draft('Go'));
    await assert.rejects(chat.send(draft('Go')), /Install it first/);
    assert.deepEqual(outline(chat), [], 'the status says why');
    assert.equal(chat.view.status, 'failed');
    assert.equal(chat.view.statusDetails, 'ENOENT');
    assert.deepEqual(chat.draft, draft('Go'));
  });

  it('keeps an incomplete answer when the backend is gone, and continues with the next prompt', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    window.agent.last.say('Half');
    await until('the text', () => outline(chat).includes('answer: Half'));
    window.agent.last.log.end();
    await until('the end', () => outline(chat).includes('end: interrupted'));
    await chat.send(draft('Go on'));
    assert.deepEqual(window.agent.calls, ['create', 'load one-1']);
  });

  it('sends a summary and shows a notice when the agent does not remember the conversation', async () => {
    window.agent.canLoad = false;
    const chat = await window.chats.create('one');
    await chat.send(draft('My name is Ada'));
    window.agent.last.end('Hello Ada.');
    await until('the end', () => outline(chat).includes('end: completed'));
    window.agent.last.log.end();
    await until('the loss', () => chat.view.status === 'idle');
    await chat.send(draft('Who am I?'));
    const [attachment] = window.agent.last.prompts[0]?.attachments ?? [];
    assert.ok(attachment?.type === 'text');
    assert.equal(attachment.uri, undefined, 'nobody takes it for a file');
    assert.match(attachment.text, /User: My name is Ada\n\nAssistant: Hello Ada\./);
    assert.ok(outline(chat).some((line) => line.startsWith('notice: Agent one doesn’t remember')));
  });

  it('provides the earlier conversation to an agent that forgets it, and then uses its new session', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('My name is Ada'));
    window.agent.last.end('Hello Ada.');
    await until('the end', () => outline(chat).includes('end: completed'));
    await chat.send(draft('Who am I?'));
    window.agent.last.tell(event('session:info', { agent_session_id: 'anew' }));
    await until('the new name', () => window.store.heads[0]?.remoteId === 'anew');
    const [first, second] = window.agent.last.prompts;
    assert.equal(first?.reminder, undefined, 'nothing was said before');
    const [reminder] = second?.reminder?.() ?? [];
    assert.ok(reminder?.type === 'text');
    assert.match(reminder.text, /User: My name is Ada\n\nAssistant: Hello Ada\.$/);
    window.agent.summaries = [{ id: 'anew', title: 'Ada' }];
    assert.equal((await rowsFound(window.chats, '')).length, 1, 'it is not listed a second time');
    await window.chats.delete(chat.id);
    assert.ok(window.agent.calls.includes('delete anew'));
  });

  it('answers approvals, and rejects a late answer', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    window.agent.last.tell(event('approval:required', { approval_id: 'a', prompt: 'May I?', options: ['Yes', 'No'] }));
    await until('the question', () => chat.view.approvals.length === 1);
    assert.equal(window.chats.rows[0]?.state, 'waiting');
    await answer(chat, 'a', 'Yes');
    await until('the answer', () => chat.view.approvals.length === 0);
    assert.deepEqual(window.agent.last.calls, ['approve a Yes']);
    await assert.rejects(answer(chat, 'a', 'Yes'), { code: 'approvalResolved' });
  });

  it('renames, finds and deletes a conversation while it is busy', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Find the needle'));
    window.agent.last.say('a hay');
    window.agent.last.say('stack');
    await until('the text', () => outline(chat).includes('answer: a haystack'));
    await window.chats.rename(chat.id, 'Mine');
    window.agent.last.tell(event('session:info', { title: 'Theirs' }));
    assert.equal(window.chats.rows[0]?.title, 'Mine');
    const [found] = await rowsFound(window.chats, 'needle haystack');
    assert.match(found?.snippet ?? '', /needle/);
    assert.deepEqual(await rowsFound(window.chats, 'nowhere'), []);
    await window.chats.delete(chat.id);
    assert.deepEqual(window.chats.rows, []);
    assert.ok(window.agent.calls.includes('delete one-1'));
    await assert.rejects(window.chats.open(chat.id), { code: 'notFound' });
  });

  it('lists the sessions of a running agent and opens one with its history', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    window.agent.summaries = [
      { id: 'old', title: 'Long ago' },
      { id: 'one-1', title: 'Here already' },
    ];
    window.agent.history = [
      event('prompt:submit', { prompt: 'Then', replayed: true }),
      event('content_block:delta', { block_index: 0, delta: 'Was.' }),
      event('prompt:complete', { response: 'Was.' }),
    ];
    const row = (await rowsFound(window.chats, '')).find(({ remote }) => remote);
    assert.equal(row?.title, 'Long ago');
    const opened = await window.chats.open(row.id);
    await until('the history', () => outline(opened).length === 3);
    assert.deepEqual(outline(opened), ['prompt: Then', 'answer: Was.', 'end: completed']);
    assert.equal(opened.view.title, 'Then');
  });

  it('uses the listed title for a session whose backend replays no history', async () => {
    await window.agent.capabilities();
    window.agent.summaries = [{ id: 'old', title: 'Session with vscode-simple' }];
    window.agent.history = [];
    const [row] = await window.chats.listRemoteSessions('one', never);
    const opened = await window.chats.open(row?.id ?? '');
    assert.equal(opened.view.title, 'Session with vscode-simple');
  });

  it('lists the sessions of a stopped agent on request, and includes them from then on', async () => {
    window.agent.summaries = [
      { id: 'old', title: 'Long ago', updatedAt: '2026-01-01T00:00:00Z' },
      { id: 'new', title: 'Lately', updatedAt: '2026-02-01T00:00:00Z' },
    ];
    assert.deepEqual(await rowsFound(window.chats, ''), [], 'nothing is started for the list');
    assert.equal(window.agent.state.kind, 'stopped');
    const titles = (await window.chats.listRemoteSessions('one', never)).map(({ title }) => title);
    assert.deepEqual(titles, ['Lately', 'Long ago']);
    assert.equal((await rowsFound(window.chats, 'long')).length, 1);
    assert.equal((await window.chats.backends())[0]?.state, 'ready');
  });

  it('keeps listing the sessions of an agent whose process has ended, and starts it to open one', async () => {
    window.agent.summaries = [{ id: 'old', title: 'Long ago', updatedAt: '2026-01-01T00:00:00Z' }];
    await window.chats.listRemoteSessions('one', never);
    assert.equal((await rowsFound(window.chats, '')).length, 1);
    window.agent.change({ kind: 'stopped' });
    window.agent.summaries = [];
    const [row] = await rowsFound(window.chats, 'long');
    assert.equal(row?.title, 'Long ago');
    assert.equal(window.agent.state.kind, 'stopped', 'nothing is started for the list');
    await window.chats.open(row.id);
    assert.equal((await rowsFound(window.chats, 'long')).filter(({ remote }) => remote).length, 0, 'it is ours now');
  });

  it('lists no sessions of an agent that was removed from the settings', async () => {
    const { agent, backends, chats } = window;
    assert.ok(backends instanceof ChatBackends);
    agent.summaries = [{ id: 'old', title: 'Long ago' }];
    await chats.listRemoteSessions('one', never);
    backends.backends = backends.backends.filter((backend) => backend !== agent);
    agent.change({ kind: 'stopped' });
    assert.deepEqual(await rowsFound(chats, ''), []);
    backends.backends = [agent, ...backends.backends];
    assert.deepEqual(await rowsFound(chats, ''), []);
  });

  it('reports an agent that cannot list its sessions', async () => {
    window.agent.canList = false;
    await assert.rejects(window.chats.listRemoteSessions('one', never), {
      code: 'unsupported',
      message: /Agent one can’t list/,
    });
    assert.deepEqual(await rowsFound(window.chats, ''), []);
    await assert.rejects(window.chats.listRemoteSessions('gone', never), { code: 'notFound' });
  });

  it('lists the sessions of a server once it answers, and ignores one that does not', async () => {
    const servers = new ChatBackends('answers', 'silent');
    const [answers, silent] = servers.backends;
    assert.ok(answers && silent);
    for (const backend of servers.backends) backend.summaries = [{ id: 'old', title: `Kept by ${backend.id}` }];
    servers.source = 'server';
    servers.health.set('answers', { kind: 'answers' });
    servers.health.set('silent', { kind: 'silent', message: 'Start it.' });
    const there = await Window.open({ backends: servers });
    await rowsFound(there.chats, '');
    await until('the server', () => answers.state.kind === 'ready');
    assert.deepEqual(
      (await rowsFound(there.chats, '')).map(({ title }) => title),
      ['Kept by answers'],
    );
    assert.equal(silent.state.kind, 'stopped');
    answers.change({ kind: 'failed', message: 'It is gone.' });
    await until('the server that is there again', async () => {
      await rowsFound(there.chats, '');
      return answers.state.kind === 'ready';
    });
    await there.remove();
  });
});

describe('ChatSessions after the window was closed', () => {
  const history = [
    event('prompt:submit', { prompt: 'Go', replayed: true }),
    event('content_block:delta', { block_index: 0, delta: 'Half' }),
    event('prompt:complete', { response: 'Half' }),
  ];

  async function crashed(backends = new ChatBackends('one')) {
    const window = await Window.open({ backends });
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    window.agent.last.say('Half');
    await until('the text', () => outline(chat).includes('answer: Half'));
    const { id } = chat;
    await window.close();
    return { id, folder: window.folder };
  }

  it('restores conversations with the turn marked as interrupted and without a repeated history', async () => {
    const { folder, id } = await crashed();
    const window = await Window.open({ folder, backends: new ChatBackends('one') });
    const chat = await window.chats.open(id);
    assert.deepEqual(outline(chat), ['prompt: Go', 'answer: Half', 'end: interrupted']);
    assert.deepEqual(window.agent.calls, []);
    window.agent.history = history;
    await chat.send(draft('Go on'));
    window.agent.last.end('More.');
    await until('the answer', () => outline(chat).includes('answer: More.'));
    assert.deepEqual(window.agent.calls, ['load one-1']);
    assert.deepEqual(outline(chat).slice(3), ['prompt: Go on', 'answer: More.', 'end: completed']);
    await window.remove();
  });

  it('records what an agent says until its turn has ended when the window closes', async () => {
    const window = await Window.open({ backends: new ChatBackends('one') });
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    const { last: session } = window.agent;
    session.interrupt = () => {
      session.say('last words');
      session.end('last words', 'cancelled');
      return Promise.resolve();
    };
    await window.chats.stop();
    assert.deepEqual(outline(chat), ['prompt: Go', 'answer: last words', 'end: interrupted']);
    await window.remove();
  });

  it('waits a second at most for the end of a turn when the window closes', async () => {
    const clock = new FakeClock();
    const window = await Window.open({ backends: new ChatBackends('one'), clock });
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    const interrupted: PromiseWithResolvers<void> = Promise.withResolvers();
    window.agent.last.interrupt = () => {
      interrupted.resolve();
      return Promise.resolve();
    };
    const stopped = window.chats.stop();
    await interrupted.promise;
    clock.advance(1000);
    await stopped;
    assert.deepEqual(outline(chat), ['prompt: Go', 'end: interrupted']);
    await window.remove();
  });

  it('resumes a turn that still runs in a server', async () => {
    const { folder, id } = await crashed();
    const backends = new ChatBackends('one');
    backends.source = 'server';
    const window = await Window.open({ folder, backends });
    window.agent.turnWhenLoaded = 'other';
    const chat = await window.chats.open(id);
    await until('the turn', () => chat.view.status === 'busy');
    window.agent.last.say(' and half');
    window.agent.last.end('Half and half');
    await until('the end', () => outline(chat).at(-1) === 'end: completed');
    assert.deepEqual(
      outline(chat).filter((line) => line.startsWith('answer')),
      ['answer: Half', 'answer:  and half'],
    );
    await window.remove();
  });

  it('asks agents once for a query that is searched again because texts are left', async () => {
    const window = await Window.open({ backends: new ChatBackends('one') });
    await (await window.chats.create('one')).send(draft('Go'));
    window.agent.summaries = [{ id: 'past', title: 'A past session', updatedAt: '2026-01-01T00:00:00Z' }];
    let asked = 0;
    window.agent.listSessions = () => (asked++, Promise.resolve(window.agent.summaries));
    const lefts = [{ done: 0, total: 2 }, { done: 1, total: 2 }, undefined, undefined];
    Object.assign(window.store, { search: () => Promise.resolve({ found: [], left: lefts.shift() }) });
    const counts: number[] = [];
    for (let count = 0; count < 4; count++) {
      const { found } = await window.chats.search('past');
      assert.deepEqual(
        found.map(({ row }) => row.title),
        ['A past session'],
      );
      counts.push(asked);
    }
    assert.deepEqual(counts, [1, 1, 1, 2]);
    await window.remove();
  });

  it('opens conversations read-only while another window writes them', async () => {
    const first = await Window.open({ backends: new ChatBackends('one') });
    const chat = await first.chats.create('one');
    await chat.send(draft('Go'));
    await first.store.search('Go');
    const second = await Window.open({ folder: first.folder, backends: new ChatBackends('one') });
    assert.equal(second.chats.rows.length, 1);
    const other = await second.chats.open(chat.id);
    assert.equal(other.view.status, 'readonly');
    await assert.rejects(other.send(draft('Me, too')), { code: 'readonly' });
    await assert.rejects(second.chats.delete(chat.id), { code: 'readonly' });
    await first.close();
    assert.equal((await second.chats.open(chat.id)).view.status, 'idle');
    await second.remove();
  });
});
