import assert from 'node:assert/strict';
import { turns } from '../../../../support/turns';
import { textOf } from './reader';
import { greet, type Scenario } from './scenario';
import { Talk } from './talk';

export const sessionScenarios: readonly Scenario[] = [
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
      assert.equal(talk.session.turn, 'none');
      await assert.rejects(talk.session.sendPrompt({ text: 'hello' }), { code: 'closed' });
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
