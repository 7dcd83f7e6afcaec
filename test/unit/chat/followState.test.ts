import assert from 'node:assert/strict';
import {
  followOff,
  nextFollowState,
  type FollowEffect,
  type FollowInput,
  type FollowState,
} from '../../../src/chat/common/follow/followState';
import { touchedPlace } from '../../../src/chat/common/follow/touchedPlaces';
import { event } from './support/transcriptRecorder';

const toggled: FollowInput = { type: 'toggled' };
const begins: FollowInput = { type: 'turn', isRunning: true };
const ends: FollowInput = { type: 'turn', isRunning: false };
const opened: FollowInput = { type: 'opened' };
const rested: FollowInput = { type: 'rested' };
const acted: FollowInput = { type: 'acted' };
const touched = (path: string): FollowInput => ({ type: 'touched', place: { path } });
const allInputs = [toggled, begins, ends, opened, rested, acted, touched('/a')];

function after(...inputs: readonly FollowInput[]): { state: FollowState; effects: FollowEffect[] } {
  const effects: FollowEffect[] = [];
  let state: FollowState = followOff;
  for (const input of inputs) {
    const step = nextFollowState(state, input);
    ({ state } = step);
    if (step.effect) effects.push(step.effect);
  }
  return { state, effects };
}

const openedPaths = (...inputs: readonly FollowInput[]): string[] =>
  after(...inputs).effects.flatMap((effect) => (effect.type === 'open' ? [effect.place.path] : []));

describe('nextFollowState', () => {
  it('is off at first and then ignores everything', () => {
    assert.deepEqual(after(begins, touched('/a'), opened, rested, acted), { state: followOff, effects: [] });
  });

  it('opens the places that a running turn touches', () => {
    assert.deepEqual(openedPaths(toggled, touched('/a')), [], 'no turn runs');
    assert.deepEqual(openedPaths(toggled, begins, touched('/a')), ['/a']);
    assert.deepEqual(openedPaths(toggled, begins, ends, touched('/a')), []);
  });

  it('opens one editor at a time with a pause after it, and skips to the newest place', () => {
    const busy = [toggled, begins, touched('/a'), touched('/b'), touched('/c')];
    assert.deepEqual(openedPaths(...busy), ['/a']);
    assert.deepEqual(openedPaths(...busy, opened), ['/a']);
    assert.deepEqual(openedPaths(...busy, opened, touched('/d'), rested), ['/a', '/d']);
    assert.deepEqual(openedPaths(...busy, opened, rested, opened, rested, touched('/e')), ['/a', '/c', '/e']);
  });

  it('shows the last place even if the turn has ended meanwhile', () => {
    const inputs = [toggled, begins, touched('/a'), touched('/b'), ends, opened, rested];
    assert.deepEqual(openedPaths(...inputs), ['/a', '/b']);
    assert.equal(after(...inputs, opened, rested, ends).state.kind, 'idle');
  });

  it('turns off when the user acts during a turn, in every state, but not between turns', () => {
    const on = [toggled, begins];
    for (const inputs of [on, [...on, touched('/a')], [...on, touched('/a'), touched('/b'), opened]]) {
      assert.deepEqual(after(...inputs, acted).state, followOff);
      assert.deepEqual(openedPaths(...inputs, acted, opened, rested, touched('/z')), openedPaths(...inputs));
    }
    assert.equal(after(toggled, acted).state.kind, 'idle');
    assert.equal(after(...on, ends, acted).state.kind, 'idle');
  });

  it('never opens a second editor before the first is open, for any sequence of inputs', () => {
    let seed = 1;
    const random = (limit: number): number => (seed = (seed * 48_271) % 2_147_483_647) % limit;
    for (let run = 0; run < 300; run++) {
      let state: FollowState = followOff;
      let isOpening = false;
      for (let count = 0; count < 30; count++) {
        const input = allInputs[random(allInputs.length)] ?? toggled;
        if (input.type === 'opened' && !isOpening) continue;
        const { effect, state: next } = nextFollowState(state, input);
        if (input.type === 'opened' || next.kind === 'off') isOpening = false;
        if (effect?.type === 'open') {
          assert.ok(!isOpening);
          isOpening = true;
        }
        state = next;
      }
    }
  });
});

describe('touchedPlace', () => {
  const call = { tool_name: 'read', operation: 'read', call_id: 'c' };
  const result = { success: true };

  it('is the last location of the call, with a 0-based line', () => {
    const locations = [{ path: '/ws/a' }, { path: '/ws/b', line: 7 }];
    assert.deepEqual(touchedPlace(event('tool:pre', { ...call, input: {}, locations })), { path: '/ws/b', line: 6 });
    assert.deepEqual(touchedPlace(event('tool:post', { ...call, result, locations: [{ path: '/ws/a' }] })), {
      path: '/ws/a',
    });
  });

  it('else is its diff or the path of its input, if any', () => {
    const content = [{ type: 'diff' as const, path: '/ws/c', old_text: 'a', new_text: 'b' }];
    assert.deepEqual(touchedPlace(event('tool:post', { ...call, result, content })), { path: '/ws/c', text: 'b' });
    assert.deepEqual(touchedPlace(event('tool:pre', { ...call, input: { file_path: '/ws/d' } })), { path: '/ws/d' });
    assert.equal(touchedPlace(event('tool:pre', { ...call, input: { command: 'ls' } })), undefined);
    assert.equal(touchedPlace(event('prompt:submit', { prompt: 'Go' })), undefined);
  });
});
