import assert from 'node:assert/strict';
import { isBackendError } from '../../../../../src/session/common/sessionBackend';
import { turns } from '../../../../support/turns';
import type { Conforming, Opened, Script } from './agent';
import type { Talk } from './talk';

const turnsPerSchedule = 6;
/** For an agent with a mind of its own. */
const prompts = ['hello', '/slow 5', 'rename colour to color in a.ts', 'summarize a.ts', '/fail error', '/plan'];

/** Prompts, and answers and stops at random what an agent does at random. Every turn ends, and every question is answered. */
export async function leadRandomly(
  seed: number,
  opened: Opened,
  cannot: Conforming['cannot'],
  openSession: () => Promise<Talk>,
): Promise<void> {
  const random = randomOf(seed);
  let talk = await openSession();
  for (let turn = 0, nth = 1; turn < turnsPerSchedule; turn++, nth++) {
    if (talk.reader.hasEnded) {
      talk = await openSession();
      nth = 1;
    }
    opened.play?.(randomScript(random, cannot));
    try {
      await talk.session.sendPrompt({ text: prompts[random(prompts.length)] ?? '' });
    } catch (error) {
      // The end of the turn before may be that of the session.
      assert.ok(isBackendError(error) && ['busy', 'closed'].includes(error.code), String(error));
      await talk.reader.untilEnd();
      turn--;
      continue;
    }
    await lead(talk, nth, random);
    assert.notEqual(talk.session.turn, 'own');
  }
  await talk.session.close();
  await talk.reader.untilEnd();
  const { length: asked } = talk.reader.all('approval:required');
  assert.equal(talk.reader.all('approval:granted').length + talk.reader.all('approval:denied').length, asked);
}

/** Until the turn has ended: one that does not end by itself is stopped. */
async function lead(talk: Talk, nth: number, random: Random): Promise<void> {
  const { reader, session } = talk;
  for (let round = 0; !reader.hasTurnEnded(nth) && !reader.hasEnded; round++) {
    await turns(1 + random(5));
    const question = reader.all('approval:required').at(-1);
    if (question && random(3) === 0) {
      const option = question.options[random(question.options.length)] ?? '';
      await session.answerApproval(question.approval_id, option).catch((error: unknown) => {
        assert.ok(isBackendError(error), String(error));
      });
    }
    if (round > 20 || random(20) === 0) await session.cancel();
  }
}

type Random = (below: number) => number;

function randomScript(random: Random, cannot: Conforming['cannot']): Script {
  const steps = Array.from({ length: 1 + random(8) }, (_, index) => stepOf(random, `c${index}`, cannot));
  return async (agent) => {
    for (const step of steps) {
      await step(agent);
      if (random(2) === 0) await turns(1);
    }
    // What was asked is told before the turn ends.
    await turns();
  };
}

function stepOf(random: Random, call: string, cannot: Conforming['cannot']): Script {
  const wanted: readonly Script[] = [
    (agent) => agent.say(`Words of ${call}. `),
    async (agent) => agent.endBlock?.(),
    async (agent) => agent.think?.(`Thoughts of ${call}.`),
    async (agent) => agent.use?.(call),
    async (agent) => agent.misuse?.(call),
    async (agent) => agent.begin?.(call),
    async (agent) => agent.ask?.(call),
    (agent) => {
      if (cannot.leaveOpen === undefined) void agent.ask?.(call);
      return Promise.resolve();
    },
    (agent) => (random(4) === 0 ? agent.untilStopped() : Promise.resolve()),
    (agent) => (random(8) === 0 && cannot.failTurn === undefined ? fail() : agent.say('Still here. ')),
  ];
  return wanted[random(wanted.length)] ?? assert.fail();
}

function fail(): never {
  throw new Error('It broke.');
}

/** The same numbers for the same seed (mulberry32). */
function randomOf(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}
