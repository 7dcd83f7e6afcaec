import assert from 'node:assert/strict';
import type { SessionEvent } from '../../../../../src/session/common/sessionEvents';
import type { Need, Script } from './agent';
import type { Talk } from './talk';

/** What a backend is led through. */
export interface Scenario {
  readonly title: string;
  readonly needs?: readonly Need[];
  readonly deadlineMs?: number;
  run(talk: Talk): Promise<void>;
  /** What the port says where a need is not met. */
  refused?(talk: Talk): Promise<void>;
}

export const greet: Script = async (agent) => {
  await agent.say('Hello ');
  await agent.say('there.');
};

export const askOnce: Script = async (agent) => {
  await agent.say('May I? ');
  await agent.ask?.('a');
};

/** What the demo agent does as `askOnce` does. */
export const askPrompt = 'rename colour to color in a.ts';

export const answerOf = (events: readonly SessionEvent[]) =>
  events.filter(({ event }) => event === 'approval:granted' || event === 'approval:denied').map(({ event }) => event);

export const callsEnd = (events: readonly SessionEvent[]) =>
  events.flatMap((event) => {
    if (event.event === 'tool:post') return [event.data.result.success ? 'success' : 'failure'];
    if (event.event === 'tool:error') return [event.data.unfinished ? 'unfinished' : 'failure'];
    return [];
  });

/** The turn is stopped at that event and ends; to stop it again does nothing. Returns why it ended. */
export async function cancelAt(
  talk: Talk,
  event: 'content_block:delta' | 'tool:pre' | 'approval:required',
): Promise<string | undefined> {
  await talk.reader.next(event);
  await talk.session.cancel();
  assert.equal(talk.session.turn, 'none');
  const end = await talk.reader.endOf();
  await talk.session.cancel();
  assert.ok(end.event === 'prompt:complete', JSON.stringify(end.data));
  return end.data.stop_reason;
}
