import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { PoolWorker, WorkerEndReason } from '../../../src/context/common/workers/poolState';
import { PoolModel } from './support/poolModel';
import { describeOwnWorker } from '../../../src/context/common/workers/ownWorkerNote';

const providers = fc.integer({ min: 1, max: 6 });
const reasons = fc.constantFrom<WorkerEndReason>('ended', 'memory', 'blocked', 'hung');

type Action = (model: PoolModel) => readonly number[];

/** Takes one of what there is. */
const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];

const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(providers, fc.boolean()).map(([provider, isOwn]): Action => (model) => {
      model.ask(provider, isOwn && provider === 6);
      return [];
    }),
  },
  {
    weight: 4,
    arbitrary: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }).map((at): Action => (model) => {
      const asked = model.open.filter((id) => model.state.questions.get(id)?.worker !== undefined);
      const questions = [...new Set(at.flatMap((index) => pick(asked, index) ?? []))];
      return model.apply({ kind: 'answered', questions });
    }),
  },
  fc.nat().map(
    (at): Action =>
      (model) =>
        model.apply({ kind: 'cancelled', question: pick(model.open, at) ?? 0 }),
  ),
  fc.nat().map(
    (at): Action =>
      (model) =>
        model.apply({ kind: 'moduleFailed', question: pick(model.open, at) ?? 0 }),
  ),
  fc.nat().map((at): Action => (model) => {
    const question = pick(model.open, at) ?? 0;
    const worker = model.state.questions.get(question)?.worker ?? 0;
    return model.apply({ kind: 'ended', worker, reason: 'hung', question });
  }),
  fc.tuple(fc.nat(), reasons).map(
    ([at, reason]): Action =>
      (model) =>
        model.apply({ kind: 'ended', worker: pick([...model.running.keys()], at) ?? 0, reason }),
  ),
  fc.nat().map(
    (at): Action =>
      (model) =>
        model.apply({ kind: 'idle', worker: pick([...model.running.keys()], at) ?? 0 }),
  ),
  providers.map(
    (provider): Action =>
      (model) =>
        model.apply({ kind: 'unloaded', provider }),
  ),
);

/** Runs the actions, and asks again as the pool's callers do. */
function play(actions: readonly Action[], after: (model: PoolModel) => void): PoolModel {
  const model = new PoolModel();
  for (const act of actions) {
    for (const provider of act(model)) model.ask(provider);
    after(model);
  }
  return model;
}

describe('the pool of workers of providers', () => {
  it('answers, fails, cancels or asks again each question once, whatever happens', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const model = play(actions, ({ outcomes, state }) => {
          for (const [question, each] of outcomes)
            assert.equal(each.length + (state.questions.has(question) ? 1 : 0), 1, `question ${question}`);
        });
        for (const provider of [1, 2, 3, 4, 5, 6]) model.apply({ kind: 'unloaded', provider });
        assert.deepEqual([model.open, [...model.running]], [[], []]);
        assert.ok([...model.outcomes.values()].every(({ length }) => length === 1));
      }),
      { numRuns: 500 },
    );
  });

  it('never again sends a question of a provider to a shared worker after one with it ended by itself', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const blamedBefore = new Set<number>();
        let seen = 0;
        play(actions, (model) => {
          for (const { provider, worker } of model.sent.slice(seen)) {
            const owner = model.state.workers.get(worker)?.owner;
            if (blamedBefore.has(provider) && model.running.has(worker)) assert.equal(owner, provider);
          }
          seen = model.sent.length;
          for (const provider of model.blamed) blamedBefore.add(provider);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('keeps workers that are owned to their owner, and asks each provider one question at a time, in order', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        const model = play(actions, ({ state }) => {
          for (const { owner, members } of state.workers.values())
            if (owner !== undefined) assert.deepEqual([...members], [owner]);
          for (const provider of [1, 2, 3, 4, 5, 6]) {
            const asked = [...state.questions.values()].filter((each) => each.provider === provider);
            assert.ok(asked.filter(({ worker }) => worker !== undefined).length === Math.min(1, asked.length));
            assert.ok(asked.length === 0 || asked[0]?.worker !== undefined);
          }
        });
        for (const provider of [1, 2, 3, 4, 5, 6]) {
          const order = model.sent.filter((each) => each.provider === provider).map(({ question }) => question);
          assert.deepEqual(
            order,
            order.toSorted((a, b) => a - b),
          );
        }
      }),
      { numRuns: 500 },
    );
  });

  it('has at most one shared worker, and none of its providers shares again after it ended by itself', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), reasons, (actions, reason) => {
        const isShared = ({ owner }: PoolWorker): boolean => owner === undefined;
        const model = play(actions, ({ state }) => {
          assert.ok([...state.workers.values()].filter(isShared).length <= 1);
        });
        const [worker, { members }] = [...model.state.workers].find(([, each]) => isShared(each)) ?? [
          0,
          { members: [] },
        ];
        model.apply({ kind: 'ended', worker, reason });
        for (const provider of members) assert.ok(model.state.ownWorkerReasons.has(provider));
      }),
      { numRuns: 500 },
    );
  });

  function three(): PoolModel {
    const model = new PoolModel();
    for (const provider of [1, 2, 3]) model.ask(provider);
    return model;
  }

  it('runs all that behave in one worker', () => {
    const model = three();
    assert.deepEqual(model.sent, [
      { question: 1, provider: 1, worker: 1 },
      { question: 2, provider: 2, worker: 1 },
      { question: 3, provider: 3, worker: 1 },
    ]);
  });

  for (const reason of ['ended', 'memory', 'blocked'] as const)
    it(`asks all again, each in its own worker, after the shared one ended: ${reason}`, () => {
      const model = three();
      assert.deepEqual(model.apply({ kind: 'ended', worker: 1, reason }), [1, 2, 3]);
      assert.deepEqual([...model.state.ownWorkerReasons.values()], [reason, reason, reason]);
      for (const provider of [1, 2, 3, 4]) model.ask(provider);
      assert.deepEqual(
        model.sent.slice(3).map(({ worker }) => [worker, model.state.workers.get(worker)?.owner]),
        [
          [2, 1],
          [3, 2],
          [4, 3],
          [5, undefined],
        ],
      );
      assert.deepEqual(model.apply({ kind: 'ended', worker: 3, reason }), [], 'alone, the cause is known');
      assert.deepEqual(model.outcomes.get(5), ['failed']);
    });

  it('fails the question that was not answered in time, and asks the others again', () => {
    const model = three();
    assert.deepEqual(model.apply({ kind: 'ended', worker: 1, reason: 'hung', question: 3 }), [1, 2]);
    assert.deepEqual([model.outcomes.get(3), [...model.state.ownWorkerReasons.keys()]], [['failed'], [1, 2, 3]]);
  });

  it('fails what the only provider of a shared worker was asked', () => {
    const model = new PoolModel();
    for (let count = 0; count < 2; count++) model.ask(1);
    assert.deepEqual(model.apply({ kind: 'ended', worker: 1, reason: 'ended' }), []);
    assert.deepEqual([...model.outcomes.values()], [['failed'], ['failed']]);
  });

  it('lets the others continue when a module cannot be loaded, and tries it elsewhere until it is unloaded', () => {
    const model = three();
    assert.deepEqual(model.apply({ kind: 'moduleFailed', question: 2 }), []);
    assert.deepEqual(model.activeIn(1), [1, 3]);
    model.ask(2);
    assert.equal(model.sent.at(-1)?.worker, 2);
    model.apply({ kind: 'answered', questions: [1, 3] });
    model.apply({ kind: 'unloaded', provider: 2 });
    assert.deepEqual([[...model.running], [...model.state.ownWorkerReasons]], [[], []]);
  });

  it('fails what a provider was asked that is unloaded, and asks the others of its worker again', () => {
    const model = three();
    assert.deepEqual(model.apply({ kind: 'unloaded', provider: 2 }), [1, 3]);
    assert.deepEqual([model.outcomes.get(2), [...model.state.ownWorkerReasons]], [['failed'], []]);
  });

  it('does not forget why a provider has its own worker when it is unloaded', () => {
    const model = three();
    model.apply({ kind: 'ended', worker: 1, reason: 'blocked' });
    model.apply({ kind: 'unloaded', provider: 2 });
    assert.equal(model.state.ownWorkerReasons.get(2), 'blocked');
  });

  it('says of a provider that was alone that it stopped, and blames no other one', () => {
    const model = new PoolModel();
    model.ask(1);
    model.apply({ kind: 'ended', worker: 1, reason: 'blocked' });
    const note = describeOwnWorker(model.state.ownWorkerReasons.get(1));
    assert.equal(note, 'It now runs in its own worker, because it stopped.');
  });

  it('keeps the first reason', () => {
    const model = three();
    model.apply({ kind: 'moduleFailed', question: 2 });
    model.apply({ kind: 'ended', worker: 1, reason: 'memory' });
    assert.deepEqual([...model.state.ownWorkerReasons.values()], ['unloadable', 'memory', 'memory']);
  });

  it('ends an idle worker, but not one that is asked', () => {
    const model = three();
    model.apply({ kind: 'idle', worker: 1 });
    assert.ok(model.running.has(1));
    model.apply({ kind: 'answered', questions: [1, 2, 3] });
    model.apply({ kind: 'idle', worker: 1 });
    assert.equal(model.running.size, 0);
  });
});
