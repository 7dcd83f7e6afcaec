import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  nextSteerState,
  nothingJoins,
  type SteerEffect,
  type SteerInput,
  type SteerOutcome,
} from '../../../../src/chat/common/sending/steerState';

/** Where a prompt is, as the effects say it. */
type Place = 'queued' | 'held' | 'transcript' | 'composer';

/** A queue, an agent and its turns, for the reducer alone. */
class World {
  private state = nothingJoins;
  private isTurnOpen = true;
  private count = 0;
  readonly placeById = new Map<string, Place>();
  /** How often the agent was asked to take each prompt. */
  readonly askedById = new Map<string, number>();
  private readonly preparing = new Set<string>();
  private readonly asking = new Set<string>();
  private readonly late = new Set<string>();
  /** The agent has them and has not refused them since. */
  private readonly accepted = new Set<string>();
  /** In the order in which the agent was asked. */
  readonly asked: string[] = [];

  send(): void {
    const id = `p${++this.count}`;
    this.placeById.set(id, 'queued');
    if (this.isTurnOpen) this.apply({ type: 'wanted', id });
  }

  prepare(): void {
    const [id] = this.preparing;
    if (id === undefined) return;
    this.preparing.delete(id);
    this.apply({ type: 'prepared', id });
  }

  answer(outcome: SteerOutcome): void {
    const [id] = outcome.kind === 'dismissed' ? this.preparing : this.asking;
    if (id === undefined) return;
    if (outcome.kind === 'accepted') this.accepted.add(id);
    this.asking.delete(id);
    this.preparing.delete(id);
    this.apply({ type: 'decided', id, outcome });
    const places = {
      joined: ['transcript', 'composer'],
      accepted: ['queued', 'held', 'composer'],
      dismissed: ['composer'],
      unknown: ['held'],
    };
    const allowed = outcome.kind === 'noTurn' || outcome.kind === 'refused' ? ['queued'] : places[outcome.kind];
    assert.ok(allowed.includes(this.placeById.get(id) ?? ''), `${outcome.kind}: ${this.placeById.get(id)}`);
  }

  /** The agent reads a prompt that it has, also before it has answered, or much later. */
  read(): void {
    const id = [...this.accepted, ...this.asking].find((one) => this.isUnsettled(one));
    if (id === undefined) return;
    this.asking.delete(id);
    this.apply({ type: 'read', id });
    assert.equal(this.placeById.get(id), 'transcript');
    this.apply({ type: 'decided', id, outcome: { kind: 'accepted' } });
    this.apply({ type: 'late', id });
    assert.equal(this.placeById.get(id), 'transcript', 'it stays there');
  }

  endTurn(end: 'over' | 'broken'): void {
    if (!this.isTurnOpen) return;
    const unread = [...this.accepted].filter((id) => this.isUnsettled(id));
    const ofEarlierTurns = new Set([...this.late, ...unread.filter((id) => this.placeById.get(id) === 'held')]);
    this.isTurnOpen = false;
    this.apply({ type: 'turnEnded', end });
    if (end === 'over') return;
    for (const id of unread.filter((one) => !ofEarlierTurns.has(one)))
      assert.equal(this.placeById.get(id), 'composer', 'the agent drops what it has not read');
  }

  beginTurn(): void {
    this.isTurnOpen = true;
  }

  passTime(): void {
    for (const id of [...this.late]) this.apply({ type: 'late', id });
    this.late.clear();
  }

  /** The user removes a prompt that is not on its way. */
  take(): void {
    const id = [...this.placeById].find(
      ([one, place]) => (place === 'queued' || place === 'held') && !this.isAsked(one),
    )?.[0];
    if (id === undefined) return;
    this.placeById.set(id, 'composer');
    this.apply({ type: 'taken', id });
  }

  isAsked(id: string): boolean {
    const { current, unread } = this.state;
    return (current?.id === id && current.isAsked) || unread.some((one) => one.id === id);
  }

  get isIdle(): boolean {
    const { current, unread, waiting } = this.state;
    return current === undefined && waiting.length === 0 && unread.length === 0;
  }

  private isUnsettled(id: string): boolean {
    return ['queued', 'held'].includes(this.placeById.get(id) ?? '');
  }

  private apply(input: SteerInput): void {
    const { effects, state } = nextSteerState(this.state, input);
    this.state = state;
    for (const effect of effects) this.perform(effect);
  }

  private perform(effect: SteerEffect): void {
    switch (effect.type) {
      case 'prepare':
        assert.equal(this.placeById.get(effect.id), 'queued');
        this.preparing.add(effect.id);
        return;
      case 'abort':
        this.preparing.delete(effect.id);
        return;
      case 'ask':
        assert.equal(this.asking.size <= 1 || this.asking.has(effect.id), true);
        this.askedById.set(effect.id, (this.askedById.get(effect.id) ?? 0) + 1);
        this.asking.add(effect.id);
        this.asked.push(effect.id);
        return;
      case 'startWaiting':
        this.late.add(effect.id);
        return;
      case 'sendQueue':
        return;
      default:
        this.move(effect);
    }
  }

  private move({ id, type }: Extract<SteerEffect, { type: 'join' | 'release' | 'hold' | 'giveBack' }>): void {
    const place = this.placeById.get(id);
    assert.ok(place === 'queued' || place === 'held', `${id} is moved from ${place}`);
    this.placeById.set(
      id,
      { join: 'transcript', release: 'queued', hold: 'held', giveBack: 'composer' }[type] as Place,
    );
  }
}

const reason = 'No.';
const outcomes: SteerOutcome[] = [
  { kind: 'joined' },
  { kind: 'accepted' },
  { kind: 'noTurn' },
  { kind: 'refused', reason },
  { kind: 'unknown', reason },
  { kind: 'dismissed' },
];
const step = fc.oneof(
  fc.constant('send' as const),
  fc.constant('prepare' as const),
  fc.constant('read' as const),
  fc.constant('take' as const),
  fc.constant('passTime' as const),
  fc.constant('beginTurn' as const),
  fc.constantFrom('over' as const, 'broken' as const),
  fc.constantFrom(...outcomes),
);

describe('prompts that are to join a turn, in whatever order things happen', () => {
  it('are each asked for once, in their order, and nothing stays under way', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const world = new World();
        for (const one of steps) {
          if (typeof one === 'object') world.answer(one);
          else if (one === 'over' || one === 'broken') world.endTurn(one);
          else world[one]();
        }
        world.beginTurn();
        world.endTurn('over');
        world.passTime();
        assert.ok(world.isIdle, 'nothing is under way');
        const numbers = world.asked.map((id) => Number(id.slice(1)));
        assert.deepEqual(
          numbers,
          [...numbers].sort((one, other) => one - other),
          'in their order',
        );
        for (const [id, count] of world.askedById) assert.equal(count, 1, `${id} was asked for ${count} times`);
      }),
      { numRuns: 2000 },
    );
  });

  it('are held if the agent does not say whether it has them, and a late answer settles that', () => {
    const ask = [{ type: 'wanted', id: 'a' } as const, { type: 'prepared', id: 'a' } as const];
    const run = (...inputs: SteerInput[]): string[] => {
      let state = nothingJoins;
      return [...ask, ...inputs].flatMap((input) => {
        const step = nextSteerState(state, input);
        state = step.state;
        return step.effects.flatMap((effect) => ('id' in effect ? `${effect.type} ${effect.id}` : []));
      });
    };
    const begun = ['prepare a', 'ask a'];
    const joined: SteerInput = { type: 'decided', id: 'a', outcome: { kind: 'joined' } };
    const late: SteerInput = { type: 'late', id: 'a' };
    const ended = (end: 'over' | 'broken'): SteerInput => ({ type: 'turnEnded', end });
    assert.deepEqual(run(ended('over'), late), [...begun, 'startWaiting a', 'hold a']);
    assert.deepEqual(run(ended('over'), late, joined), [...begun, 'startWaiting a', 'hold a', 'join a']);
    assert.deepEqual(run(ended('over'), joined, late), [...begun, 'startWaiting a', 'join a']);
    assert.deepEqual(run(ended('broken'), joined), [...begun, 'startWaiting a', 'giveBack a']);
    const second: SteerInput = { type: 'wanted', id: 'b' };
    const unknown: SteerInput = { type: 'decided', id: 'a', outcome: { kind: 'unknown', reason } };
    assert.deepEqual(run(second, unknown, joined), [...begun, 'hold a', 'release b', 'join a']);
    assert.deepEqual(run(second, joined), [...begun, 'join a', 'prepare b']);
    assert.deepEqual(run({ type: 'taken', id: 'a' }, joined), [...begun, 'join a'], 'it is too late to take it back');
    const accepted: SteerInput = { type: 'decided', id: 'a', outcome: { kind: 'accepted' } };
    const read: SteerInput = { type: 'read', id: 'a' };
    assert.deepEqual(
      run(second, accepted, read),
      [...begun, 'prepare b', 'join a'],
      'the next one need not wait for that',
    );
    assert.deepEqual(run(read, accepted, late), [...begun, 'join a'], 'it is read before the answer');
    assert.deepEqual(run(accepted, ended('broken'), read), [...begun, 'giveBack a']);
    assert.deepEqual(run(ended('broken'), accepted, read), [...begun, 'startWaiting a', 'giveBack a']);
    assert.deepEqual(run(accepted, ended('over'), read, late), [...begun, 'startWaiting a', 'join a']);
    assert.deepEqual(run(accepted, ended('over'), late, read), [...begun, 'startWaiting a', 'hold a', 'join a']);
    assert.deepEqual(run(accepted, ended('over'), ended('broken'), late), [...begun, 'startWaiting a', 'hold a']);
    assert.deepEqual(run(accepted, late), begun, 'its turn still runs');
  });
});
