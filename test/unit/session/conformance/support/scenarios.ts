import assert from 'node:assert/strict';
import type { SessionEvent } from '../../../../../src/session/common/sessionEvents';
import { turns } from '../../../../support/turns';
import type { Need, Script } from './agent';
import { textOf } from './reader';
import { Talk } from './talk';

interface Scenario {
  readonly title: string;
  readonly needs?: readonly Need[];
  readonly deadlineMs?: number;
  run(talk: Talk): Promise<void>;
  /** What the port says where a need is not met. */
  refused?(talk: Talk): Promise<void>;
}

const greet: Script = async (agent) => {
  await agent.say('Hello ');
  await agent.say('there.');
};
const askOnce: Script = async (agent) => {
  await agent.say('May I? ');
  await agent.ask?.('a');
};
/** What the demo agent does as `askOnce` does. */
const askPrompt = 'rename colour to color in a.ts';

const answerOf = (events: readonly SessionEvent[]) =>
  events.filter(({ event }) => event === 'approval:granted' || event === 'approval:denied').map(({ event }) => event);
const callsEnd = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => {
    if (event.event === 'tool:post') return [event.data.result.success ? 'success' : 'failure'];
    if (event.event === 'tool:error') return [event.data.unfinished ? 'unfinished' : 'failure'];
    return [];
  });

/** The turn is stopped at that event and ends; to stop it again does nothing. Returns why it ended. */
async function cancelAt(
  talk: Talk,
  event: 'content_block:delta' | 'tool:pre' | 'approval:required',
): Promise<string | undefined> {
  await talk.reader.next(event);
  await talk.session.cancel();
  assert.equal(talk.session.isBusy, false);
  const end = await talk.reader.endOf();
  await talk.session.cancel();
  assert.ok(end.event === 'prompt:complete', JSON.stringify(end.data));
  return end.data.stop_reason;
}

export const scenarios: readonly Scenario[] = [
  {
    title: 'a plain answer',
    async run(talk) {
      await talk.turn('hello', greet);
      await talk.completed(1, 'Hello there.');
    },
  },
  {
    title: 'an answer of several blocks',
    needs: ['endBlock'],
    async run(talk) {
      await talk.turn('go', async (agent) => {
        for (const word of ['One. ', 'Two. ', 'Three.']) {
          await agent.say(word);
          await agent.endBlock?.();
        }
      });
      await talk.completed(1, 'One. Two. Three.');
      const blocks = talk.reader.all('content_block:start').map(({ block_index }) => block_index);
      assert.deepEqual(blocks, [0, 1, 2]);
    },
  },
  {
    title: 'thoughts before and between the text',
    needs: ['think'],
    async run(talk) {
      await talk.turn('summarize a.ts', async (agent) => {
        await agent.think?.('Hm. ');
        await agent.say('One. ');
        await agent.think?.('So?');
        await agent.say('Two.');
      });
      await talk.completed(1, 'One. Two.');
      const thoughts = talk.reader.all('thinking:final').map(({ thinking }) => thinking.trim());
      assert.deepEqual(thoughts, talk.opened.play ? ['Hm.', 'So?'] : thoughts);
      assert.notEqual(thoughts.length, 0);
    },
  },
  {
    title: 'a call that succeeds',
    needs: ['use'],
    async run(talk) {
      await talk.turn('summarize a.ts', async (agent) => {
        await agent.say('First ');
        await agent.use?.('a');
        await agent.say('then.');
      });
      await talk.completed(1, 'First then.');
      assert.deepEqual(callsEnd(talk.reader.events), ['success']);
    },
  },
  {
    title: 'a call that fails',
    needs: ['misuse'],
    async run(talk) {
      await talk.turn('go', async (agent) => {
        await agent.misuse?.('a');
        await agent.say('Sorry.');
      });
      await talk.completed(1, 'Sorry.');
      assert.deepEqual(callsEnd(talk.reader.events), ['failure']);
    },
  },
  {
    title: 'several calls at once, which end in another order',
    needs: ['begin', 'end'],
    async run(talk) {
      await talk.turn('go', async (agent) => {
        for (const call of ['a', 'b', 'c']) await agent.begin?.(call);
        for (const call of ['c', 'a', 'b']) await agent.end?.(call);
        await agent.say('All done.');
      });
      await talk.completed(1, 'All done.');
      assert.deepEqual(callsEnd(talk.reader.events), ['success', 'success', 'success']);
      const begun = talk.reader.all('tool:pre').map(({ call_id: id }) => id);
      const ended = talk.reader.all('tool:post').map(({ call_id: id }) => id);
      assert.deepEqual(ended, [begun[2], begun[0], begun[1]]);
    },
  },
  {
    title: 'a call that nobody ends',
    needs: ['begin'],
    async run(talk) {
      await talk.turn('go', async (agent) => {
        await agent.begin?.('a');
        await agent.say('Bye.');
      });
      await talk.completed(1, 'Bye.');
      assert.deepEqual(callsEnd(talk.reader.events), ['unfinished']);
    },
  },
  {
    title: 'a question that is allowed',
    needs: ['ask'],
    async run(talk) {
      await talk.begin(askPrompt, askOnce);
      await talk.answer('allow');
      await talk.completed();
      assert.deepEqual(answerOf(talk.reader.events), ['approval:granted']);
      assert.equal(callsEnd(talk.reader.events).at(-1), 'success');
    },
  },
  {
    title: 'a question that is denied',
    needs: ['ask'],
    async run(talk) {
      await talk.begin(askPrompt, askOnce);
      await talk.answer('reject');
      await talk.completed();
      assert.deepEqual(answerOf(talk.reader.events), ['approval:denied']);
      assert.equal(callsEnd(talk.reader.events).at(-1), 'failure');
    },
  },
  {
    title: 'a question that is still open when the turn ends',
    needs: ['ask', 'leaveOpen'],
    async run(talk) {
      await talk.turn('go', async (agent) => {
        await agent.say('Never mind.');
        void agent.ask?.('a');
        await talk.reader.next('approval:required');
      });
      await talk.completed(1, 'Never mind.');
      assert.deepEqual(answerOf(talk.reader.events), ['approval:denied']);
      const { approval_id, options } = await talk.reader.next('approval:required');
      await assert.rejects(talk.session.approve(approval_id, options[0] ?? ''), { code: 'approvalResolved' });
    },
  },
  {
    title: 'a question that nobody answers in time',
    needs: ['ask'],
    deadlineMs: 200,
    async run(talk) {
      await talk.begin(askPrompt, askOnce);
      await talk.reader.next('approval:required');
      talk.opened.passDeadline?.();
      await talk.completed();
      assert.deepEqual(answerOf(talk.reader.events), ['approval:denied']);
    },
  },
  {
    title: 'a question that is answered by what is no option, and twice',
    needs: ['ask'],
    async run(talk) {
      await talk.begin(askPrompt, askOnce);
      const { approval_id, options } = await talk.reader.next('approval:required');
      await assert.rejects(talk.session.approve(approval_id, 'Perhaps'), { code: 'approvalInvalid' });
      await assert.rejects(talk.session.approve('another', options[0] ?? ''), { code: 'approvalInvalid' });
      await talk.answer('reject');
      await assert.rejects(talk.session.approve(approval_id, options[0] ?? ''), { code: 'approvalResolved' });
      await talk.completed();
    },
  },
  {
    title: 'a turn that is stopped in its text',
    async run(talk) {
      await talk.begin('/slow 500', async (agent) => {
        await agent.say('Hello');
        await agent.untilStopped();
      });
      await cancelAt(talk, 'content_block:delta');
    },
  },
  {
    title: 'a turn that was stopped says so',
    needs: ['saysStopped'],
    async run(talk) {
      await talk.begin('/slow 500', async (agent) => {
        await agent.say('Hello');
        await agent.untilStopped();
      });
      assert.equal(await cancelAt(talk, 'content_block:delta'), 'cancelled');
    },
  },
  {
    title: 'a turn that is stopped in a call',
    needs: ['begin'],
    async run(talk) {
      await talk.begin('go', async (agent) => {
        await agent.begin?.('a');
        await agent.untilStopped();
      });
      await cancelAt(talk, 'tool:pre');
      assert.equal(callsEnd(talk.reader.events).length, 1);
      assert.notDeepEqual(callsEnd(talk.reader.events), ['success']);
    },
  },
  {
    title: 'a turn that is stopped in a question',
    needs: ['ask'],
    async run(talk) {
      await talk.begin(askPrompt, askOnce);
      await cancelAt(talk, 'approval:required');
      assert.deepEqual(answerOf(talk.reader.events), ['approval:denied']);
    },
  },
  {
    title: 'a turn that fails',
    needs: ['failTurn'],
    async run(talk) {
      const end = await talk.turn('/fail error', () => Promise.reject(new Error('It broke.')));
      assert.equal(end.event, 'error');
      assert.notEqual(end.data.error, '');
      assert.equal(talk.session.isBusy, false);
    },
  },
  {
    title: 'a turn that fails in its text',
    needs: ['failTurn'],
    async run(talk) {
      const end = await talk.turn('/fail error', async (agent) => {
        await agent.say('Well, ');
        throw new Error('It broke.');
      });
      assert.equal(end.event, 'error');
    },
  },
  {
    title: 'a turn in which process or server are lost',
    needs: ['lose'],
    async run(talk) {
      const end = await talk.turn('/fail crash', async (agent) => {
        await agent.say('Goodbye.');
        await agent.begin?.('a');
        await talk.reader.next('content_block:delta');
        await agent.lose?.();
      });
      assert.equal(end.event, 'error', JSON.stringify(end.data));
      assert.equal(talk.session.isBusy, false);
    },
  },
  {
    title: 'a second turn, and what each has used',
    async run(talk) {
      for (const nth of [1, 2]) {
        await talk.turn('hello', greet, nth);
        await talk.completed(nth, 'Hello there.');
      }
      const [first, second] = talk.reader.all('prompt:complete');
      assert.ok(first && second);
      assert.notEqual(first.request_id, second.request_id);
      assert.deepEqual(first.token_usage, second.token_usage, 'of one turn, not of both');
    },
  },
  {
    title: 'the usage of a turn',
    needs: ['usage'],
    async run(talk) {
      const { data } = await talk.turn('go', greet);
      assert.ok(Number(talk.reader.all('prompt:complete')[0]?.token_usage?.input_tokens) > 0, JSON.stringify(data));
    },
  },
  {
    title: 'a prompt while a turn is open',
    async run(talk) {
      let finish = (): void => undefined;
      const finished = new Promise<void>((resolve) => (finish = resolve));
      await talk.begin('/slow 5', async (agent) => {
        await agent.say('One. ');
        await finished;
        await agent.say('Two.');
      });
      await talk.reader.next('content_block:delta');
      assert.equal(talk.session.isBusy, true);
      await assert.rejects(talk.session.prompt({ text: 'hello' }), { code: 'busy' });
      finish();
      await talk.completed(1, 'One. Two.');
    },
  },
  {
    title: 'a setting that is kept from turn to turn',
    needs: ['settings'],
    async run(talk) {
      const option = talk.session.config.find(({ category }) => category === 'mode');
      assert.ok(option?.type === 'select');
      const { id, choices } = option;
      const other = choices.find(({ value }) => value !== option.value) ?? assert.fail();
      await talk.session.setConfig(id, other.value);
      const valueIn = (options: typeof talk.session.config) => options.find((one) => one.id === id)?.value;
      await talk.reader.until('the change', () => {
        const last = talk.reader.all('config:update').at(-1);
        return last !== undefined && valueIn(last.options) === other.value;
      });
      await talk.turn('hello', greet);
      await talk.completed();
      assert.equal(valueIn(talk.session.config), other.value);
    },
    async refused(talk) {
      await assert.rejects(talk.session.setConfig('mode', 'plan'), { code: 'unsupported' });
    },
  },
  {
    title: 'a session that is taken up with its history, and goes on',
    needs: ['history'],
    async run({ opened }) {
      const talk = await takenUp(opened.takeUpHistory?.(), opened);
      await talk.completed(1, 'Earlier.');
      assert.equal(talk.reader.all('prompt:submit')[0]?.replayed, true);
      await talk.turn('hello', greet, 2);
      await talk.completed(2, 'Hello there.');
      await talk.session.close();
      await heardAll(talk);
    },
  },
  {
    title: 'a session that is taken up in a turn',
    needs: ['takenUp', 'begin'],
    async run(talk) {
      let finish = (): void => undefined;
      const finished = new Promise<void>((resolve) => (finish = resolve));
      await talk.begin('go', async (agent) => {
        await agent.say('One. ');
        await agent.begin?.('a');
        await finished;
        await agent.end?.('a');
        await agent.say('Two.');
      });
      await talk.reader.next('tool:pre');
      const other = await takenUp(talk.opened.takeUp?.(talk.session), talk.opened);
      finish();
      await other.reader.next('prompt:complete');
      assert.match(textOf(other.reader.events), /Two\.$/u);
      other.session.dispose();
      await heardAll(other);
    },
  },
  {
    title: 'a session that is closed in a turn',
    async run(talk) {
      await talk.begin('/slow 500', async (agent) => {
        await agent.say('Hello');
        await agent.begin?.('a');
        await agent.untilStopped();
      });
      await talk.reader.next('content_block:delta');
      await talk.session.close();
      await talk.reader.untilEnd();
      assert.equal(talk.reader.names.at(-1), 'session:end');
      assert.equal(talk.session.isBusy, false);
      await assert.rejects(talk.session.prompt({ text: 'hello' }), { code: 'closed' });
    },
  },
  {
    title: 'a reader that is slow, and one that begins late',
    async run(talk) {
      const slow = talk.read({ pause: () => turns(3) });
      await talk.turn('/slow 3', async (agent) => {
        for (const word of ['One. ', 'Two. ', 'Three. ']) await agent.say(word);
        await agent.use?.('a');
        await agent.say('Done.');
      });
      const late = talk.read({ afterSequence: 2 });
      await talk.session.close();
      for (const reader of talk.readers) await reader.untilEnd();
      assert.deepEqual(slow.events, talk.reader.events);
      assert.deepEqual(late.events, talk.reader.events.slice(2));
    },
  },
];

async function takenUp(taking: Promise<Talk['session']> | undefined, opened: Talk['opened']): Promise<Talk> {
  return new Talk(opened, (await taking) ?? assert.fail('there is no way to take a session up'));
}

/** Of a session that the scenario has opened itself. */
async function heardAll({ readers }: Talk): Promise<void> {
  for (const reader of readers) {
    await reader.untilEnd();
    assert.deepEqual(reader.violations, []);
  }
}
