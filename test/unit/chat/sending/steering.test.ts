import assert from 'node:assert/strict';
import type { Chat } from '../../../../src/chat/common/chatPorts';
import { BackendError, type SteerResult } from '../../../../src/session/common/sessionBackend';
import type { SessionEvent } from '../../../../src/session/common/sessionEvents';
import { FakeClock } from '../../../fake/fakeClock';
import { until } from '../../../support/eventually';
import type { ChatBackendSession } from '../support/chatBackend';
import { event } from '../support/transcriptRecorder';
import { draft, outline, settled, Window } from '../support/window';

describe('A prompt that is to join the turn', () => {
  let window: Window;
  let clock: FakeClock;
  beforeEach(async () => {
    clock = new FakeClock();
    clock.advance(1000);
    window = await Window.open({ clock });
  });
  afterEach(() => window.remove());

  /** A turn in which the agent has said something. What it answers is up to the test. */
  async function working(): Promise<{
    chat: Chat;
    session: ChatBackendSession;
    answers: PromiseWithResolvers<SteerResult>[];
  }> {
    const chat = await window.chats.create('one');
    await chat.send(draft('Go'));
    const session = window.agent.last;
    const answers: PromiseWithResolvers<SteerResult>[] = [];
    assert.equal(chat.view.canSteer, undefined);
    session.steer = (input) => {
      const answer: PromiseWithResolvers<SteerResult> = Promise.withResolvers();
      answers.push(answer);
      session.calls.push(`steer ${input.text}`);
      return answer.promise;
    };
    session.say('Half an ');
    await until('the answer', () => outline(chat).includes('answer: Half an '));
    assert.equal(chat.view.canSteer, true);
    return { chat, session, answers };
  }

  const steer = (chat: Chat, text: string): Promise<void> => chat.send(draft(text), [], undefined, 'steer');
  const queued = (chat: Chat): string[] => chat.view.queue.map(({ text }) => text);

  it('stands where it joined; the answer goes on below it', async () => {
    const { answers, chat, session } = await working();
    await steer(chat, 'Also this');
    await until('the request', () => answers.length === 1);
    assert.deepEqual(
      chat.view.queue.map(({ isJoining, text }) => [text, isJoining]),
      [['Also this', true]],
    );
    answers[0]?.resolve('joined');
    await until('the prompt', () => queued(chat).length === 0);
    session.say('Both.');
    session.end();
    await until('the end', () => outline(chat).includes('end: completed'));
    assert.deepEqual(outline(chat), [
      'prompt: Go',
      'answer: Half an ',
      'prompt: Also this',
      'answer: Both.',
      'end: completed',
    ]);
    const [first, second] = [...chat.transcript.entries('prompt')];
    assert.deepEqual([first?.isSteered, second?.isSteered, second?.turn], [undefined, true, first?.turn]);
    assert.deepEqual(chat.sentPromptTexts, ['Go', 'Also this']);
    assert.deepEqual(session.prompts.length, 1);
  });

  it('is queued if it is a command, which the agent would read as text', async () => {
    const { answers, chat } = await working();
    await steer(chat, '/compact now');
    await chat.send(draft('/help'));
    for (const { id } of chat.view.queue) await chat.steerQueued(id);
    await settled();
    assert.deepEqual(
      chat.view.queue.map(({ isJoining, text }) => [text, isJoining]),
      [
        ['/compact now', undefined],
        ['/help', undefined],
      ],
    );
    assert.equal(answers.length, 0);
    await steer(chat, '/work/main.ts has it');
    await until('the request', () => answers.length === 1);
  });

  it('splits a thought, whose end repeats all of it', async () => {
    const { answers, chat, session } = await working();
    session.tell(event('thinking:delta', { delta: 'First ' }));
    await steer(chat, 'Also this');
    await until('the request', () => answers.length === 1);
    answers[0]?.resolve('joined');
    await until('the prompt', () => queued(chat).length === 0);
    session.tell(event('thinking:delta', { delta: 'then.' }), event('thinking:final', { thinking: 'First then.' }));
    session.end();
    await until('the end', () => outline(chat).includes('end: completed'));
    const thoughts = [...chat.transcript.entries('thinking')].map(({ text }) => text);
    assert.deepEqual(thoughts, ['First ', 'then.']);
  });

  it('joins after one before it, and both before what was queued', async () => {
    const { answers, chat, session } = await working();
    await chat.send(draft('Later'));
    for (const text of ['One', 'Two']) await steer(chat, text);
    await until('the request', () => answers.length === 1);
    assert.deepEqual(queued(chat), ['One', 'Two', 'Later']);
    answers[0]?.resolve('joined');
    await until('the next', () => answers.length === 2);
    answers[1]?.reject(new BackendError('invalidRequest', 'No images.'));
    await until('the refusal', () =>
      outline(chat).some((line) => line === 'notice: Your prompt did not join the turn. It is back in the queue.'),
    );
    assert.deepEqual(queued(chat), ['Two', 'Later']);
    assert.equal(chat.view.queue[0]?.isJoining, undefined);
    session.say('Done.');
    session.end();
    await until('the next turn', () => session.prompts.length === 2);
    assert.deepEqual(session.prompts.at(-1)?.text, 'Two');
  });

  it('is the next prompt if the turn has just ended', async () => {
    const { answers, chat, session } = await working();
    await chat.send(draft('Later'));
    await steer(chat, 'Also this');
    await until('the request', () => answers.length === 1);
    session.end();
    await until('the end', () => outline(chat).includes('end: completed'));
    await settled();
    assert.equal(session.prompts.length, 1, 'the queue waits for the answer');
    answers[0]?.resolve('noTurn');
    await until('the next turn', () => session.prompts.length === 2);
    assert.deepEqual([session.prompts.at(-1)?.text, queued(chat)], ['Also this', ['Later']]);
  });

  it('is held if nobody knows whether the agent has it, until the agent says so', async () => {
    const { answers, chat, session } = await working();
    await steer(chat, 'Also this');
    await until('the request', () => answers.length === 1);
    session.end();
    await until('the end', () => outline(chat).includes('end: completed'));
    clock.advance(3_000);
    assert.equal(chat.view.queue[0]?.isDoubtful, true);
    const sentence = 'notice: It is not known whether Agent one got “Also this”. It stays in the queue.';
    assert.ok(outline(chat).includes(sentence));
    await settled();
    assert.equal(session.prompts.length, 1);
    answers[0]?.resolve('joined');
    await until('the late answer', () => queued(chat).length === 0);
    assert.deepEqual(outline(chat).slice(-2), [sentence, 'prompt: Also this']);
  });

  it('is sent again only if the user wants that, when its window was closed before the agent answered', async () => {
    const { answers, chat } = await working();
    await steer(chat, 'Also this');
    await until('the request', () => answers.length === 1);
    await window.close();
    const { folder } = window;
    window = await Window.open({ folder });
    const opened = await window.chats.open(chat.id);
    assert.deepEqual(
      opened.view.queue.map(({ isDoubtful, isJoining, text }) => [text, isJoining, isDoubtful]),
      [['Also this', undefined, true]],
    );
    await opened.send(draft('Next'));
    window.agent.last.end('Done.');
    await until('the end', () => outline(opened).includes('end: completed'));
    await settled();
    assert.equal(window.agent.last.prompts.length, 1);
    await opened.sendFirstQueuedPrompt();
    assert.deepEqual([window.agent.last.prompts.at(-1)?.text, queued(opened)], ['Also this', []]);
  });

  it('goes back to the composer when the turn is stopped before anything came of it', async () => {
    const { answers, chat, session } = await working();
    for (const text of ['One', 'Two', 'Three']) await steer(chat, text);
    for (const at of [0, 1]) {
      await until('the request', () => answers.length === at + 1);
      answers[at]?.resolve('joined');
    }
    await until('the third', () => answers.length === 3);
    chat.saveDraft(draft('and more'));
    await chat.stop();
    assert.equal(chat.draft.text, 'One\nTwo\nand more');
    assert.deepEqual(outline(chat), ['prompt: Go', 'answer: Half an ', 'end: cancelled']);
    answers[2]?.resolve('joined');
    await until('the late answer', () => queued(chat).length === 0);
    assert.equal(chat.draft.text, 'One\nTwo\nThree\nand more');
    assert.equal(session.prompts.length, 1);
  });

  it('stays in the transcript when the agent ends its turn without an answer to it', async () => {
    const { answers, chat, session } = await working();
    await steer(chat, 'Also this');
    await until('the request', () => answers.length === 1);
    answers[0]?.resolve('joined');
    await until('the prompt', () => queued(chat).length === 0);
    session.end();
    await until('the end', () => outline(chat).includes('end: completed'));
    assert.deepEqual(outline(chat).slice(2), [
      'prompt: Also this',
      'end: completed',
      'notice: Agent one ended the turn without an answer to that.',
    ]);
  });

  const complete = (stop_reason: string): SessionEvent => event('prompt:complete', { response: '', stop_reason });
  const withEnds: [outcome: string, end: SessionEvent, sentence: string][] = [
    ['limit', complete('max_tokens'), 'Agent one ended the turn without an answer to that.'],
    ['refused', complete('refusal'), 'Agent one ended the turn without an answer to that.'],
    ['interrupted', complete('interrupted'), 'No answer to that was received.'],
    ['failed', event('error', { error: 'Overloaded' }), 'No answer to that was received.'],
  ];
  for (const [outcome, end, sentence] of withEnds) {
    it(`stays in the transcript with a true sentence when its turn ends as ${outcome}`, async () => {
      const { answers, chat, session } = await working();
      await steer(chat, 'Also this');
      await until('the request', () => answers.length === 1);
      answers[0]?.resolve('joined');
      await until('the prompt', () => queued(chat).length === 0);
      session.tell(end);
      await until('the sentence', () => outline(chat).includes(`notice: ${sentence}`));
      assert.deepEqual(outline(chat).slice(2), ['prompt: Also this', `end: ${outcome}`, `notice: ${sentence}`]);
      assert.equal(chat.draft.text, '');
    });
  }

  it('is not answered by what subagents do, or by a change of the plan', async () => {
    const { answers, chat, session } = await working();
    await steer(chat, 'Also this');
    await until('the request', () => answers.length === 1);
    answers[0]?.resolve('joined');
    await until('the prompt', () => queued(chat).length === 0);
    session.tell(
      event('tool:pre', { tool_name: 'Read', operation: 'read', input: {}, call_id: 'c2', parent_call_id: 'c1' }),
      event('plan:update', { entries: [{ content: 'Read', priority: 'high', status: 'pending' }] }),
    );
    await settled();
    await chat.stop();
    assert.equal(chat.draft.text, 'Also this');
  });

  describe('to an agent that says what it reads', () => {
    const read = ({ chat, session }: { chat: Chat; session: ChatBackendSession }): void =>
      session.tell(event('prompt:read', { prompt_id: chat.view.queue[0]?.id ?? '' }));
    async function accepted(...texts: string[]) {
      const bench = await working();
      for (const [at, text] of texts.entries()) {
        await steer(bench.chat, text);
        await until('the request', () => bench.answers.length === at + 1);
        bench.answers[at]?.resolve('accepted');
      }
      await settled();
      return bench;
    }

    it('stands where it was read, and stays there when the turn is stopped then', async () => {
      const bench = await accepted('Also this');
      const { chat, session } = bench;
      session.say('answer.');
      await until('the answer', () => outline(chat).includes('answer: Half an answer.'));
      assert.deepEqual(queued(chat), ['Also this']);
      assert.equal(chat.view.queue[0]?.isJoining, true);
      read(bench);
      await until('the prompt', () => queued(chat).length === 0);
      await chat.stop();
      assert.deepEqual(outline(chat), ['prompt: Go', 'answer: Half an answer.', 'prompt: Also this', 'end: cancelled']);
      assert.equal(chat.draft.text, '');
    });

    it('goes back to the composer when the turn is stopped before it was read, whatever the agent has said', async () => {
      const { chat, session } = await accepted('One', 'Two');
      session.tell(event('thinking:delta', { delta: 'Well' }));
      session.tell(event('tool:pre', { tool_name: 'Read', operation: 'read', input: {}, call_id: 'c1' }));
      await settled();
      await chat.stop();
      assert.equal(chat.draft.text, 'One\nTwo');
      assert.deepEqual([queued(chat), chat.sentPromptTexts], [[], ['Go']]);
    });

    it('is held if the agent ends its turn without it, until it is read or the user decides', async () => {
      const bench = await accepted('Also this');
      const { chat, session } = bench;
      await chat.send(draft('Later'));
      session.end();
      await until('the end', () => outline(chat).includes('end: completed'));
      await settled();
      assert.deepEqual([session.prompts.length, chat.view.queue[0]?.isJoining], [1, true]);
      clock.advance(3_000);
      assert.equal(chat.view.queue[0]?.isDoubtful, true);
      const notice = [...chat.transcript.entries('notice')].at(-1);
      assert.equal(notice?.details, 'The agent has taken it into its turn, but has not said that it read it.');
      await settled();
      assert.equal(session.prompts.length, 1);
      read(bench);
      await until('the next turn', () => session.prompts.length === 2);
      assert.equal(session.prompts.at(-1)?.text, 'Later');
      assert.deepEqual(chat.sentPromptTexts, ['Go', 'Also this', 'Later']);
    });
  });

  type Step = SessionEvent | 'join';
  const start = (index: number, message_id?: string): SessionEvent =>
    event('content_block:start', { block_type: 'text', block_index: index, ...(message_id && { message_id }) });
  const piece = (index: number, delta = 'x'): SessionEvent =>
    event('content_block:delta', { block_index: index, delta });
  const end = (index: number): SessionEvent => event('content_block:end', { block_index: index });
  const call = (call_id: string): SessionEvent =>
    event('tool:pre', { tool_name: 'Read', operation: 'read', input: {}, call_id, kind: 'read' });
  const done = (call_id: string): SessionEvent =>
    event('tool:post', { tool_name: 'Read', operation: 'read', call_id, result: { success: true } });
  const think = event('thinking:delta', { delta: 'Hm' });
  const thought = event('thinking:final', { thinking: 'Hm' });
  const rules: [what: string, isAnswered: boolean, steps: Step[]][] = [
    ['two more pieces of the same text', false, [start(0), piece(0), 'join', piece(0), piece(0), end(0)]],
    ['a third piece of the same text', true, [start(0), piece(0), 'join', piece(0), piece(0), piece(0)]],
    ['any more of the same message', false, [start(0, 'm'), piece(0), 'join', piece(0), piece(0), piece(0), piece(0)]],
    ['more of the same message in another block', false, [start(0, 'm'), end(0), 'join', start(1, 'm'), piece(1)]],
    ['another message', true, [start(0, 'm'), piece(0), 'join', end(0), start(1, 'n'), piece(1)]],
    ['another text', true, [start(0), piece(0), 'join', end(0), start(1), piece(1)]],
    ['a call beside one that runs', false, [call('c1'), 'join', call('c2'), done('c2'), call('c3')]],
    ['the end of a call', false, [call('c1'), 'join', done('c1')]],
    ['a call after the one that ran', true, [call('c1'), 'join', done('c1'), call('c2')]],
    ['the rest of a thought', false, [think, 'join', think]],
    ['another thought', true, [think, thought, 'join', think]],
  ];
  for (const [what, isAnswered, steps] of rules) {
    it(`is ${isAnswered ? '' : 'not '}answered by ${what}`, async () => {
      const { answers, chat, session } = await working();
      session.tell(end(0));
      // The first block of the bench has the index 0.
      const shifted = steps.map((one) => (one === 'join' ? one : nextBlock(one)));
      for (const one of shifted) {
        if (one !== 'join') {
          session.tell(one);
          continue;
        }
        await settled();
        await steer(chat, 'Also this');
        await until('the request', () => answers.length === 1);
        answers[0]?.resolve('joined');
        await until('the prompt', () => queued(chat).length === 0);
      }
      await settled();
      await chat.stop();
      assert.equal(chat.draft.text, isAnswered ? '' : 'Also this');
    });
  }

  function nextBlock(one: SessionEvent): SessionEvent {
    if (one.event === 'content_block:start' || one.event === 'content_block:delta' || one.event === 'content_block:end')
      return event(one.event, { ...one.data, block_index: one.data.block_index + 1 });
    return one;
  }

  it('can have been queued before, and stays queued if the agent can’t take it', async () => {
    const { answers, chat, session } = await working();
    await chat.send(draft('Later'));
    await chat.send(draft('Now'));
    await chat.steerQueued(chat.view.queue.at(-1)?.id ?? '');
    await until('the request', () => answers.length === 1);
    const asked = chat.view.queue[0]?.id ?? '';
    assert.deepEqual(queued(chat), ['Now', 'Later']);
    assert.deepEqual((await chat.unqueue(asked)).text, '', 'it is on its way');
    answers[0]?.resolve('joined');
    await until('the prompt', () => queued(chat).length === 1);
    session.steer = undefined;
    await chat.steerQueued(chat.view.queue[0]?.id ?? '');
    await steer(chat, 'More');
    assert.deepEqual([queued(chat), answers.length], [['Later', 'More'], 1]);
  });
});
