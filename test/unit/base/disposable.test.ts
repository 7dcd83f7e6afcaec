import assert from 'node:assert/strict';
import { DisposableStore, toDisposable } from '../../../src/base/common/disposable';
import { Emitter } from '../../../src/base/common/event';

describe('DisposableStore', () => {
  it('disposes last in, first out, and once', () => {
    const seen: string[] = [];
    const store = new DisposableStore();
    store.add(toDisposable(() => seen.push('first')));
    store.add(toDisposable(() => seen.push('second')));
    store.dispose();
    store.dispose();
    assert.deepEqual(seen, ['second', 'first']);
  });

  it('disposes each item once, even if one disposes the store', () => {
    let count = 0;
    const store = new DisposableStore();
    store.add({ dispose: () => count++ });
    store.add({
      dispose: () => {
        count++;
        store.dispose();
      },
    });
    store.dispose();
    assert.equal(count, 2);
  });

  it('disposes items immediately that are added after dispose', () => {
    const store = new DisposableStore();
    store.dispose();
    let disposed = false;
    store.add(toDisposable(() => (disposed = true)));
    assert.equal(disposed, true);
  });

  it('disposes all items if one throws, and reports the error', () => {
    let disposed = false;
    const store = new DisposableStore();
    store.add(toDisposable(() => (disposed = true)));
    store.add(
      toDisposable(() => {
        throw new Error('stuck');
      }),
    );
    assert.throws(() => store.dispose(), AggregateError);
    assert.equal(disposed, true);
  });

  it('does not dispose removed items', () => {
    const store = new DisposableStore();
    const item = store.add(toDisposable(() => assert.fail('disposed')));
    store.removeWithoutDisposing(item);
    store.dispose();
  });
});

describe('toDisposable', () => {
  it('calls its function once', () => {
    let count = 0;
    const item = toDisposable(() => count++);
    item.dispose();
    item.dispose();
    assert.equal(count, 1);
  });
});

describe('Emitter', () => {
  const fail = (error: unknown): never => assert.fail(String(error));

  it('notifies the other listeners if one throws', () => {
    const errors: unknown[] = [];
    const emitter = new Emitter<number>((error) => errors.push(error));
    const seen: number[] = [];
    emitter.event(() => {
      throw new Error('bad listener');
    });
    emitter.event((value) => seen.push(value));
    emitter.fire(1);
    assert.deepEqual(seen, [1]);
    assert.equal(errors.length, 1);
  });

  it('counts the same function twice when it listened twice', () => {
    const emitter = new Emitter<number>(fail);
    let calls = 0;
    const listener = (): void => {
      calls++;
    };
    const first = emitter.event(listener);
    emitter.event(listener);
    emitter.fire(1);
    first.dispose();
    emitter.fire(2);
    assert.equal(calls, 3);
  });

  it('is silent after dispose', () => {
    const emitter = new Emitter<number>(fail);
    emitter.event(() => assert.fail('called'));
    emitter.dispose();
    emitter.fire(1);
  });
});
