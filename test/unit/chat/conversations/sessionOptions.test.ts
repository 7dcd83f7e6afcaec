import assert from 'node:assert/strict';
import { FakeClock } from '../../../fake/fakeClock';
import { MemoryMemento } from '../../../fake/memoryMemento';
import { until } from '../../../support/eventually';
import { draft, outline } from '../support/window';
import { OptionsDesk, type Agent } from '../support/optionsDesk';

describe('Initial options of a conversation', () => {
  let agent: Agent;
  let desk: OptionsDesk;
  const open = async (more?: Parameters<typeof OptionsDesk.open>[1]): Promise<OptionsDesk> =>
    (desk = await OptionsDesk.open(agent, more));

  beforeEach(() => {
    const offers = ['ask', 'plan', 'yolo'];
    agent = { wire: [], own: 'ask', offers, refuses: false, needsSignIn: false, loads: false };
  });
  afterEach(() => desk.close());

  it('are known as soon as the user types, from a session that the conversation then uses', async () => {
    await open();
    assert.deepEqual(desk.options.of('one').options, []);
    assert.deepEqual(agent.wire, []);
    await desk.type();
    assert.equal(desk.shown(), 'ask');
    await desk.type();
    await desk.say('go');
    assert.deepEqual(agent.wire, ['new', 'prompt in ask with small']);
  });

  it('are set before the prompt is sent, the model first', async () => {
    await open();
    await desk.type();
    desk.pick('mode', 'plan');
    desk.pick('model', 'large');
    await desk.say('go');
    assert.equal(agent.wire.at(-1), 'prompt in plan with large');
    assert.deepEqual(agent.wire.toSorted(), ['mode=plan', 'model=large', 'new', 'prompt in plan with large']);
  });

  it('include a choice made while the session is being created', async () => {
    await open();
    desk.window.chats.prepare('one');
    desk.pick('mode', 'plan');
    await desk.say('go');
    assert.deepEqual(agent.wire, ['new', 'mode=plan', 'prompt in plan with small']);
  });

  it('are the last choices of the user, in the next conversation and window', async () => {
    await open();
    await desk.type();
    desk.pick('mode', 'plan');
    await desk.say('go');
    assert.equal(desk.shown(), 'plan');
    await desk.say('again');
    assert.deepEqual(agent.wire.slice(-3), ['new', 'mode=plan', 'prompt in plan with small']);
    const { memento } = desk.window;
    await desk.close();
    await open({ memento });
    assert.equal(desk.shown(), 'plan', 'before the agent runs');
    await desk.say('there');
    assert.equal(agent.wire.at(-1), 'prompt in plan with small');
  });

  it('are the same in two windows, and keep what one window learns of another agent', async () => {
    await open();
    const second = await OptionsDesk.open(agent, { memento: desk.window.memento });
    await desk.type();
    await second.type('two');
    desk.pick('mode', 'plan');
    assert.equal(second.shown(), 'plan');
    second.pick('model', 'large');
    assert.deepEqual([desk.shown('mode'), desk.shown('model')], ['plan', 'large']);
    assert.equal(desk.shown('mode', 'two'), 'ask');
    await second.close();
  });

  it('follow the settings over earlier choices, and the choices for this conversation over the settings', async () => {
    const memento = new MemoryMemento();
    await open({ memento });
    await desk.type();
    desk.pick('mode', 'yolo');
    await desk.close();
    await open({ memento, defaults: { mode: 'the PLAN', model: 'large' } });
    await desk.type();
    assert.deepEqual([desk.shown('mode'), desk.shown('model')], ['plan', 'large']);
    desk.pick('mode', 'ask');
    assert.equal(desk.shown(), 'ask');
    await desk.say('go');
    assert.equal(agent.wire.at(-1), 'prompt in ask with large');
    assert.equal(desk.shown(), 'plan', 'the choice was for that conversation');
  });

  it('follow the settings even for an agent that was never used', async () => {
    await open({ defaults: { mode: 'plan' } });
    await desk.say('go');
    assert.deepEqual(agent.wire, ['new', 'mode=plan', 'prompt in plan with small']);
  });

  it('ignore a setting that the agent does not offer, and report it once', async () => {
    await open({ defaults: { mode: 'gone', nothing: true } });
    const first = await desk.say('go');
    assert.deepEqual(agent.wire, ['new', 'prompt in ask with small']);
    const notices = outline(first).filter((line) => line.startsWith('notice:'));
    assert.deepEqual(notices.toSorted(), [
      'notice: ONE doesn’t offer mode "gone". This default in backline.acp.agents was ignored.',
      'notice: ONE doesn’t offer nothing "true". This default in backline.acp.agents was ignored.',
    ]);
    const second = await desk.say('again');
    assert.deepEqual(
      outline(second).filter((line) => line.startsWith('notice:')),
      [],
    );
  });

  it('never use a mode other than the shown one: the prompt fails if it cannot be set', async () => {
    await open();
    await desk.type();
    agent.refuses = true;
    desk.pick('mode', 'plan');
    const chat = await desk.window.chats.create('one');
    await assert.rejects(chat.send(draft('go')), { code: 'optionRefused', message: /switch to mode "The plan"/ });
    assert.equal(chat.draft.text, 'go');
    assert.ok(!agent.wire.some((line) => line.startsWith('prompt')));
    agent.refuses = false;
    desk.options.of('one').choose('mode', 'plan');
    await desk.say('again');
    assert.equal(agent.wire.at(-1), 'prompt in plan with small');
  });

  it('use the mode shown before the agent started, even if the agent has another default by now', async () => {
    const memento = new MemoryMemento();
    await open({ memento });
    await desk.type();
    await desk.close();
    agent.own = 'yolo';
    await open({ memento });
    assert.equal(desk.shown(), 'ask');
    await desk.say('go');
    assert.equal(agent.wire.at(-1), 'prompt in ask with small');
  });

  it('stop the prompt if the shown mode is no longer offered, and show the new ones', async () => {
    const memento = new MemoryMemento();
    await open({ memento });
    await desk.type();
    desk.pick('mode', 'plan');
    await desk.close();
    agent.offers = ['ask', 'yolo'];
    agent.wire.length = 0;
    await open({ memento });
    const chat = await desk.window.chats.create('one');
    await assert.rejects(chat.send(draft('go')), { code: 'optionRefused', message: /no longer offers "plan"/ });
    assert.deepEqual(agent.wire, ['new']);
    assert.equal(desk.shown(), 'ask');
    await chat.send(draft('go'));
    await until('the prompt is there', () => agent.wire.at(-1) === 'prompt in ask with small');
  });

  it('close the prepared session if the user chooses another agent', async () => {
    await open();
    await desk.type();
    desk.window.chats.closePreparedExcept('one');
    assert.deepEqual(agent.wire, ['new']);
    desk.window.chats.closePreparedExcept('two');
    await until('it is closed', () => agent.wire.at(-1) === 'close s1.1');
    const rows = await desk.window.chats.listRemoteSessions('one', new AbortController().signal);
    assert.deepEqual(rows, [], 'nor is it a conversation of the agent');
    await desk.say('go');
    assert.deepEqual(agent.wire.slice(-2), ['new', 'prompt in ask with small']);
  });

  it('close the prepared session some time after no page shows an empty conversation', async () => {
    const clock = new FakeClock();
    await open({ clock });
    await desk.type();
    const { chats } = desk.window;
    chats.setPromptExpected(false);
    clock.advance(60_000);
    chats.setPromptExpected(true);
    clock.advance(9 * 60_000);
    assert.deepEqual(agent.wire, ['new'], 'the user is back');
    chats.setPromptExpected(false);
    clock.advance(60_000);
    chats.setPromptExpected(false);
    clock.advance(60_000);
    await until('it is closed', () => agent.wire.at(-1) === 'close s1.1');
    await desk.type();
    await desk.say('go');
    assert.equal(agent.wire.at(-1), 'prompt in ask with small');
  });

  it('close the prepared session if nobody types for a long time, but not while somebody types', async () => {
    const clock = new FakeClock();
    await open({ clock });
    await desk.type();
    const { chats } = desk.window;
    for (let minutes = 0; minutes < 30; minutes += 9) {
      clock.advance(9 * 60_000);
      chats.setPromptExpected(true);
    }
    assert.deepEqual(agent.wire, ['new']);
    clock.advance(10 * 60_000);
    await until('it is closed', () => agent.wire.at(-1) === 'close s1.1');
  });

  it('keep the prepared session open for a prompt that leaves its page', async () => {
    const clock = new FakeClock();
    await open({ clock });
    await desk.type();
    const chat = await desk.window.chats.create('one');
    desk.window.chats.setPromptExpected(false);
    await chat.send(draft('go'));
    await until('the end', () => outline(chat).some((line) => line.startsWith('end:')));
    clock.advance(2 * 60_000);
    assert.deepEqual(agent.wire, ['new', 'prompt in ask with small']);
  });

  it('do not list the prepared session among the sessions of the agent', async () => {
    await open();
    await desk.type();
    assert.deepEqual(await desk.window.chats.listRemoteSessions('one', new AbortController().signal), []);
  });

  it('come from a new session if the agent has died meanwhile', async () => {
    await open();
    await desk.type();
    desk.agents[0]?.last.crash('');
    await until('it is gone', () => desk.backends[0]?.state.kind === 'failed');
    const chat = await desk.say('go');
    assert.deepEqual(agent.wire, ['new', 'new', 'prompt in ask with small']);
    assert.deepEqual(outline(chat), ['prompt: go', 'end: completed']);
  });

  it('report a required sign-in with the prompt, and not before', async () => {
    await open();
    agent.needsSignIn = true;
    desk.window.chats.prepare('one');
    await until('the agent has said so', () => desk.backends[0]?.state.kind === 'authRequired');
    assert.deepEqual(desk.options.of('one').options, []);
  });

  it('stay unknown if the agent does not start, and the prompt reports the reason', async () => {
    await open({ fails: true });
    desk.window.chats.prepare('one');
    await until('it has failed', () => desk.backends[0]?.state.kind === 'failed');
    assert.deepEqual(desk.options.of('one').options, []);
    const chat = await desk.window.chats.create('one');
    await assert.rejects(chat.send(draft('go')), { message: /It is broken/ });
  });

  it('remember choices made inside a conversation, except modes that do not ask', async () => {
    await open();
    const chat = await desk.say('go');
    for (const [mode, next] of [
      ['plan', 'plan'],
      ['yolo', 'plan'],
    ] as const) {
      await chat.setOption('mode', mode);
      await until('it is shown', () => chat.view.options.some(({ value }) => value === mode));
      const option = chat.view.options.find(({ id }) => id === 'mode');
      desk.options.of('one').rememberChoice?.(option, mode);
      assert.equal(desk.shown(), next);
    }
  });

  it('are restored after a reload in which the agent has to create a new session', async () => {
    await open();
    const chat = await desk.say('go');
    await chat.setOption('mode', 'plan');
    await until('it is shown', () => chat.view.options.some(({ value }) => value === 'plan'));
    const { folder, memento } = desk.window;
    await desk.window.close();
    desk.leave();
    agent.wire.length = 0;
    await open({ memento, folder });
    const again = await desk.window.chats.open(chat.id);
    await again.send(draft('on'));
    await until('the prompt is there', () => agent.wire.length === 3);
    assert.deepEqual(agent.wire, ['new', 'mode=plan', 'prompt in plan with small']);
  });

  for (const [own, wire, notice] of [
    ['ask', ['load', 'prompt in ask with small'], /changed its mode from "The plan" to "The ask"/],
    ['yolo', ['load', 'mode=plan', 'prompt in plan with small'], undefined],
  ] as const) {
    it(`are those of the loaded session in mode '${own}', unless that asks less`, async () => {
      agent.loads = true;
      await open();
      const chat = await desk.say('go');
      await chat.setOption('mode', 'plan');
      await until('it is shown', () => chat.view.options.some(({ value }) => value === 'plan'));
      const { folder, memento } = desk.window;
      await desk.window.close();
      desk.leave();
      agent.own = own;
      agent.wire.length = 0;
      await open({ memento, folder });
      const again = await desk.window.chats.open(chat.id);
      await again.send(draft('on'));
      await until('the prompt is there', () => agent.wire.length === wire.length);
      assert.deepEqual(agent.wire, wire);
      const notices = outline(again).filter((line) => line.startsWith('notice:'));
      assert.equal(notices.length, notice ? 1 : 0);
      if (notice) assert.match(notices[0] ?? '', notice);
    });
  }
});
