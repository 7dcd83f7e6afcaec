import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { maxProvidersPerWorker, type OwnWorkerReason } from '../../../src/context/common/workers/poolState';
import { PoolModel } from './support/poolModel';

const providers = fc.integer({ min: 1, max: 6 });
const reasons = fc.constantFrom<OwnWorkerReason>('ended', 'memory', 'blocked');
const someone = fc.option(providers, { nil: undefined });

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
  fc.tuple(fc.nat(), someone).map(
    ([at, running]): Action =>
      (model) =>
        model.apply({ kind: 'timedOut', question: pick(model.open, at) ?? 0, running }),
  ),
  fc.tuple(fc.nat(), providers).map(
    ([at, provider]): Action =>
      (model) =>
        model.apply({ kind: 'blocked', worker: pick([...model.running.keys()], at) ?? 0, provider }),
  ),
  fc.tuple(fc.nat(), reasons, someone, fc.boolean(), fc.array(providers, { maxLength: 3 })).map(
    ([at, reason, running, isProven, pending]): Action =>
      (model) =>
        model.apply({
          kind: 'ended',
          worker: pick([...model.running.keys()], at) ?? 0,
          reason,
          suspects: { running, isProven, pending },
        }),
  ),
  fc.tuple(fc.nat(), fc.array(providers, { maxLength: 2 })).map(
    ([at, who]): Action =>
      (model) =>
        model.apply({
          kind: 'interfered',
          worker: pick([...model.running.keys()], at) ?? 0,
          reason: 'globals',
          providers: who,
        }),
  ),
  fc.tuple(fc.nat(), fc.array(providers, { maxLength: 4 })).map(
    ([at, half]): Action =>
      (model) =>
        model.apply({ kind: 'overloaded', worker: pick([...model.running.keys()], at) ?? 0, half }),
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

  it('never again sends a question of a suspect to a worker that is shared', () => {
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

  it('never runs a provider in two shared workers, nor in the wrong one of two', () => {
    fc.assert(
      fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
        play(actions, ({ state }) => {
          const shared = [...state.workers.values()].filter(({ owner }) => owner === undefined);
          assert.ok(shared.length <= 2);
          const members = shared.flatMap((worker) => [...worker.members]);
          assert.equal(new Set(members).size, members.length);
          for (const { isSecondHalf, members: own } of shared)
            for (const provider of own) assert.equal(state.secondHalf.has(provider), isSecondHalf);
        });
      }),
      { numRuns: 500 },
    );
  });

  it('takes at least one provider out of sharing when a shared worker ends by itself', () => {
    fc.assert(
      fc.property(
        fc.array(action, { maxLength: 30 }),
        reasons,
        someone,
        fc.boolean(),
        (actions, reason, running, isProven) => {
          const model = play(actions, () => undefined);
          const shared = [...model.state.workers].find(([, { owner }]) => owner === undefined);
          if (!shared) return;
          const [worker, { members }] = shared;
          const sharing = (): number => [...members].filter((each) => !model.state.ownWorkerReasons.has(each)).length;
          const before = sharing();
          model.apply({ kind: 'ended', worker, reason, suspects: { running, isProven, pending: [] } });
          // A provider that cannot be loaded is still a member, but does not share any more.
          const gone = running !== undefined && members.has(running) && before < members.size ? 0 : 1;
          assert.ok(sharing() <= before - Math.min(gone, before));
        },
      ),
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

  it('starts another shared worker when one is full', () => {
    const model = new PoolModel();
    for (let provider = 1; provider <= maxProvidersPerWorker + 1; provider++) model.ask(provider);
    assert.equal(model.sent.at(-1)?.worker, 2);
    model.apply({ kind: 'answered', questions: [1] });
    model.ask(1);
    assert.equal(model.sent.at(-1)?.worker, 1);
  });

  describe('with a shared worker that has too much to do', () => {
    function divided(half: readonly number[]): PoolModel {
      const model = three();
      model.apply({ kind: 'answered', questions: [1, 2, 3] });
      assert.deepEqual(model.apply({ kind: 'overloaded', worker: 1, half }), []);
      for (const provider of [1, 2, 3]) model.ask(provider);
      return model;
    }
    const workersOf = ({ sent }: PoolModel): number[] => sent.slice(3).map(({ worker }) => worker);

    it('ends it, and then runs its providers in two', () => {
      const model = divided([1, 3]);
      assert.deepEqual(
        [workersOf(model), [...model.running.keys()]],
        [
          [2, 3, 2],
          [2, 3],
        ],
      );
    });

    it('runs a provider that comes later with those that were not moved', () => {
      const model = divided([1, 3]);
      model.ask(4);
      assert.equal(model.sent.at(-1)?.worker, 3);
    });

    it('does not end it while questions are open', () => {
      const model = three();
      model.apply({ kind: 'answered', questions: [1, 2] });
      model.apply({ kind: 'overloaded', worker: 1, half: [1] });
      for (const provider of [1, 2]) model.ask(provider);
      assert.deepEqual(workersOf(model), [1, 1]);
    });

    it('does not divide it if a second one is running, but after that has ended', () => {
      const model = divided([3]);
      model.apply({ kind: 'answered', questions: model.open });
      model.apply({ kind: 'overloaded', worker: 2, half: [1] });
      assert.deepEqual([...model.running.keys()], [2, 3]);
      model.apply({ kind: 'idle', worker: 3 });
      model.apply({ kind: 'overloaded', worker: 2, half: [1] });
      for (const provider of [1, 2, 3]) model.ask(provider);
      assert.deepEqual(workersOf(model).slice(3), [4, 5, 4]);
    });

    it('does nothing if no provider would be left, or moved', () => {
      for (const half of [[], [1, 2, 3], [4]]) assert.deepEqual(workersOf(divided(half)), [1, 1, 1]);
    });

    it('runs all in one again after both were idle', () => {
      const model = divided([3]);
      model.apply({ kind: 'answered', questions: model.open });
      for (const worker of [2, 3]) model.apply({ kind: 'idle', worker });
      for (const provider of [1, 2, 3]) model.ask(provider);
      assert.deepEqual(workersOf(model).slice(3), [4, 4, 4]);
    });

    it('keeps a provider in its half when its code changes', () => {
      const model = divided([2, 3]);
      model.apply({ kind: 'answered', questions: model.open });
      model.apply({ kind: 'unloaded', provider: 3 });
      for (const provider of [1, 2, 3]) model.ask(provider);
      assert.deepEqual(workersOf(model).slice(3), [2, 4, 4]);
    });

    it('still gives a suspect its own worker', () => {
      const model = divided([1, 3]);
      model.apply({ kind: 'blocked', worker: 2, provider: 3 });
      assert.deepEqual([...model.state.ownWorkerReasons], [[3, 'blocked']]);
      for (const provider of [1, 3]) model.ask(provider);
      assert.deepEqual(workersOf(model).slice(3), [4, 5]);
      assert.equal(model.state.workers.get(5)?.owner, 3);
    });
  });

  it('fails the question of a provider that has certainly ended the worker, and asks the others again', () => {
    const model = three();
    const again = model.apply({
      kind: 'ended',
      worker: 1,
      reason: 'ended',
      suspects: { running: 2, isProven: true, pending: [1, 3] },
    });
    assert.deepEqual([again, model.outcomes.get(2)], [[1, 3], ['failed']]);
    for (const provider of [1, 3, 2]) model.ask(provider);
    assert.deepEqual(
      model.sent.slice(3).map(({ worker }) => worker),
      [2, 2, 3],
    );
  });

  it('asks a suspect again too, alone, when it is not proven', () => {
    const model = three();
    const suspects = { running: undefined, isProven: false, pending: [1, 2] };
    assert.deepEqual(model.apply({ kind: 'ended', worker: 1, reason: 'memory', suspects }), [1, 2, 3]);
    assert.deepEqual(
      [...model.state.ownWorkerReasons],
      [
        [1, 'memory'],
        [2, 'memory'],
      ],
    );
  });

  it('blames the one that runs when another waits for it in vain', () => {
    const model = three();
    assert.deepEqual(model.apply({ kind: 'timedOut', question: 3, running: 1 }), [1, 2, 3]);
    assert.deepEqual([...model.state.ownWorkerReasons], [[1, 'blocked']]);
  });

  it('blames a provider that does not answer, and fails its question', () => {
    const model = three();
    assert.deepEqual(model.apply({ kind: 'timedOut', question: 3, running: undefined }), [1, 2]);
    assert.deepEqual([model.outcomes.get(3), [...model.state.ownWorkerReasons]], [['failed'], [[3, 'hung']]]);
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

  it('leaves a worker to a provider that changed globals before anybody else was there', () => {
    const model = new PoolModel();
    model.ask(1);
    assert.deepEqual(model.apply({ kind: 'interfered', worker: 1, reason: 'globals', providers: [1] }), []);
    model.ask(2);
    assert.deepEqual([model.state.workers.get(1)?.owner, model.sent.at(-1)?.worker], [1, 2]);
  });

  it('does not forget a suspect when it is unloaded', () => {
    const model = three();
    model.apply({ kind: 'blocked', worker: 1, provider: 2 });
    model.apply({ kind: 'unloaded', provider: 2 });
    assert.deepEqual([...model.state.ownWorkerReasons], [[2, 'blocked']]);
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
