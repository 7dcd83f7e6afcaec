import assert from 'node:assert/strict';
import { isBackendError } from '../../../../../src/session/common/sessionBackend';
import { eventually } from '../../../../support/eventually';
import { answerOf, askOnce, askPrompt, callsEnd, cancelAt, greet, type Scenario } from './scenario';

export const turnScenarios: readonly Scenario[] = [
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
      assert.equal(talk.session.turn, 'none');
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
      assert.equal(talk.session.turn, 'none');
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
      assert.equal(talk.session.turn, 'own');
      await assert.rejects(talk.session.sendPrompt({ text: 'hello' }), { code: 'busy' });
      finish();
      await talk.completed(1, 'One. Two.');
    },
  },
  {
    title: 'a prompt as soon as the end of the turn before is heard',
    async run(talk) {
      for (const nth of [1, 2, 3]) {
        await talk.turn('hello', greet, nth);
        assert.equal(talk.session.turn, 'none');
      }
      await talk.completed(3, 'Hello there.');
    },
  },
  {
    title: 'a prompt as soon as the failure of the turn before is heard',
    needs: ['failTurn'],
    async run(talk) {
      const end = await talk.turn('/fail error', () => Promise.reject(new Error('It broke.')));
      assert.equal(end.event, 'error');
      try {
        await talk.begin('hello', greet);
      } catch (error) {
        // A server may end the session with the turn.
        assert.ok(isBackendError(error) && error.code === 'closed', String(error));
        await talk.reader.untilEnd();
        return;
      }
      await talk.completed(2, 'Hello there.');
    },
  },
  {
    title: 'a turn that others began, and its stop',
    needs: ['others'],
    async run(talk) {
      const { opened, session } = talk;
      const changes: string[] = [];
      session.onDidChangeTurn(() => changes.push(session.turn));
      let isStopped = false;
      await opened.beginOther?.(session, async (agent) => {
        await agent.say('Hello');
        await agent.untilStopped();
        isStopped = true;
      });
      await talk.reader.next('content_block:delta');
      assert.ok(session.turn === 'other' || session.turn === 'agent', session.turn);
      await session.cancel();
      assert.equal(session.turn, 'none');
      await talk.reader.next('prompt:complete');
      await eventually('the stop', () => assert.ok(isStopped));
      assert.equal(changes.at(-1), 'none');
      assert.equal(changes.includes('own'), false, changes.join(' '));
      opened.play?.(greet);
      await session.sendPrompt({ text: 'hello' });
      await talk.reader.next('prompt:complete', 2);
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
];
