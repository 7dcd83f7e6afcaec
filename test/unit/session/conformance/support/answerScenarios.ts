import assert from 'node:assert/strict';
import { callsEnd, greet, type Scenario } from './scenario';

export const answerScenarios: readonly Scenario[] = [
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
];
