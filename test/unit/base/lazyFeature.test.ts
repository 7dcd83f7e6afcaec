import assert from 'node:assert/strict';
import { LazyFeature, type RunningFeature } from '../../../src/base/common/feature';

class Loaded implements RunningFeature {
  readonly seen: string[] = [];

  stop(): Promise<void> {
    this.seen.push('stop');
    return Promise.resolve();
  }

  dispose(): void {
    this.seen.push('dispose');
  }
}

describe('LazyFeature', () => {
  it('loads nothing before it is used, and then once for all', async () => {
    let loads = 0;
    const late = new LazyFeature(() => {
      loads++;
      return Promise.resolve(new Loaded());
    });
    assert.equal(late.featureIfLoaded, undefined);
    assert.equal(loads, 0);
    const [first, second] = await Promise.all([late.getOrLoad(), late.getOrLoad()]);
    assert.equal(loads, 1);
    assert.equal(first, second);
    assert.equal(late.featureIfLoaded, first);
  });

  it('retries after a failure', async () => {
    const outcomes = [Promise.reject(new Error('no disk')), Promise.resolve(new Loaded())];
    const late = new LazyFeature(async () => await (outcomes.shift() ?? Promise.reject(new Error('too often'))));
    await assert.rejects(late.getOrLoad(), /no disk/);
    assert.equal(late.featureIfLoaded, undefined);
    assert.equal(await late.getOrLoad(), late.featureIfLoaded);
  });

  it('stops and disposes the running feature', async () => {
    const running = new Loaded();
    const late = new LazyFeature(() => Promise.resolve(running));
    await late.getOrLoad();
    await late.stop();
    late.dispose();
    assert.deepEqual(running.seen, ['stop', 'dispose']);
  });

  it('stops a feature that is still loading', async () => {
    const running = new Loaded();
    const { promise, resolve } = Promise.withResolvers<Loaded>();
    const late = new LazyFeature(() => promise);
    const using = late.getOrLoad();
    const stopped = late.stop();
    resolve(running);
    await Promise.all([using, stopped]);
    assert.deepEqual(running.seen, ['stop']);
  });

  it('disposes a feature immediately that is loaded after dispose, and loads no more', async () => {
    const running = new Loaded();
    const { promise, resolve } = Promise.withResolvers<Loaded>();
    const late = new LazyFeature(() => promise);
    const using = late.getOrLoad();
    late.dispose();
    resolve(running);
    await using;
    assert.deepEqual(running.seen, ['dispose']);

    const unused = new LazyFeature(() => Promise.reject(new Error('loaded')));
    await unused.stop();
    unused.dispose();
    await assert.rejects(unused.getOrLoad(), /has stopped/);
  });
});
