import assert from 'node:assert/strict';
import { FakeClock } from '../../fake/fakeClock';
import { turns } from '../../support/turns';
import { ChatBackends, ChatBackendSession } from './support/chatBackend';
import { event } from './support/transcriptRecorder';
import { until } from '../../support/eventually';
import { draft, outline, Window } from './support/window';

describe('A conversation with an agent that sends a lot of text', () => {
  let window: Window;
  beforeEach(async () => {
    window = await Window.open();
  });
  afterEach(() => window.remove());

  // 500 events a second for a minute, told as fast as they can be.
  const count = 30_000;

  it('loses nothing in the transcript and on disk, and does not block others', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    let turns = 0;
    const ticker = setInterval(() => turns++, 1);
    for (let index = 0; index < count; index++) window.agent.last.say(`${index} `);
    window.agent.last.tell(event('notice', { level: 'info', message: 'Nearly.' }));
    window.agent.last.end();
    await until('the end', () => outline(chat).includes('end: completed'));
    clearInterval(ticker);
    assert.ok(turns > 3, `others ran ${turns} times`);
    const text = Array.from({ length: count }, (_, index) => `${index} `).join('');
    assert.equal(outline(chat)[1], `answer: ${text}`);
    await window.close();
    const again = await Window.open({ folder: window.folder });
    assert.equal(outline(await again.chats.open(chat.id))[1], `answer: ${text}`);
    await again.close();
  });

  it('is not kept by the session, too, because the conversation stores it', async () => {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    const { last } = window.agent;
    for (let part = 0; part < 8; part++) {
      last.say('x'.repeat(100_000));
      await turns();
    }
    last.end();
    await until('the end', () => outline(chat).includes('end: completed'));
    for await (const { sequence } of last.events()) {
      assert.ok(sequence > 4, `the session has kept event ${sequence}`);
      break;
    }
  });
});

describe('A long history that an agent replays', () => {
  it('may take longer than the time for loading while it comes', async () => {
    const clock = new FakeClock();
    const window = await Window.open({ backends: new ChatBackends('one'), clock });
    const { agent, chats } = window;
    agent.summaries = [{ id: 'old', title: 'Long' }];
    agent.loadSession = async (id, { onLoading }) => {
      const session = new ChatBackendSession(id);
      onLoading?.(session);
      for (let turn = 0; turn < 5; turn++) {
        session.tell(event('prompt:submit', { prompt: `prompt ${turn}`, replayed: true }));
        session.end();
        await turns();
        clock.advance(90_000);
      }
      agent.sessions.push(session);
      return session;
    };
    await agent.capabilities();
    const [row] = await chats.listRemoteSessions('one', new AbortController().signal);
    const opened = await chats.open(row?.id ?? '');
    await until('the last turn', () => outline(opened).includes('prompt: prompt 4'));
    assert.equal(outline(opened).filter((line) => line.startsWith('prompt')).length, 5);
    await window.remove();
  });
});
