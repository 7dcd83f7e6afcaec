import assert from 'node:assert/strict';
import type { Conforming, Need, Opened, OpenOptions } from './agent';
import { leadRandomly } from './randomSchedule';
import { scenarios } from './scenarios';
import { Talk } from './talk';

/**
 * Runs every scenario over a backend, and lets none of its readers hear what is not the normal form. A scenario that the
 * backend cannot do is a test as well: what it says it cannot do is not there.
 */
export function conforms(conforming: Conforming): void {
  const { cannot, cwd, title } = conforming;

  describe(`sessions of ${title}`, () => {
    let opened: Opened;
    let talks: Talk[];

    async function open(options: OpenOptions = {}): Promise<Talk> {
      opened = await conforming.open(options);
      return await openSession(options);
    }

    async function openSession({ deadlineMs }: OpenOptions = {}): Promise<Talk> {
      const limit = deadlineMs === undefined ? {} : { approvalTimeoutMs: deadlineMs };
      const talk = new Talk(opened, await opened.backend.createSession({ cwd: cwd(), ...limit }));
      talks.push(talk);
      return talk;
    }

    /** In the test itself: a hook that fails ends the tests after it. */
    async function during(work: () => Promise<unknown>): Promise<void> {
      talks = [];
      try {
        await work();
      } finally {
        for (const { session } of talks) session.dispose();
        const readers = talks.flatMap((talk) => talk.readers);
        for (const reader of readers) await reader.untilEnd();
        await opened.close();
      }
      for (const { violations } of talks.flatMap((talk) => talk.readers)) assert.deepEqual(violations, []);
    }

    for (const scenario of scenarios) {
      const { title: name, needs = [], deadlineMs } = scenario;
      const missing = needs.flatMap((need) => (cannot[need] === undefined ? [] : [need]));
      const [first] = missing;
      if (first === undefined) {
        const options = deadlineMs === undefined ? {} : { deadlineMs };
        it(name, () => during(async () => scenario.run(await open(options))));
        continue;
      }
      it(`${name}: cannot be, ${cannot[first] ?? ''}`, () =>
        during(async () => {
          const talk = await open();
          await scenario.refused?.(talk);
          await hasNone(talk, missing);
        }));
    }

    for (const seed of [1, 2, 3, 4]) {
      it(`prompts, answers and cancels in random order, seed ${seed}`, () =>
        during(async () => {
          await open();
          await leadRandomly(seed, opened, cannot, openSession);
        }));
    }
  });
}

/** Nothing that is said to be missing is there after all. */
async function hasNone(talk: Talk, missing: readonly Need[]): Promise<void> {
  const { opened } = talk;
  assert.ok(!missing.includes('history') || !opened.takeUpHistory);
  assert.ok(!missing.includes('takenUp') || !opened.takeUp);
  assert.ok(!missing.includes('others') || !opened.beginOther);
  if (!opened.play) return;
  let there: readonly Need[] = [];
  await talk.turn('hello', async (agent) => {
    there = missing.filter((need) => need in agent);
    await agent.say('Hello.');
  });
  assert.deepEqual(there, []);
}
