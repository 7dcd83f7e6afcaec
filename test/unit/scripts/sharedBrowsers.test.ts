import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { SharedBrowsers } from '../../../scripts/lib/tests/sharedBrowsers.mjs';

class FakeBrowser extends EventEmitter<{ disconnected: []; closed: [] }> {
  close(): Promise<void> {
    this.emit('closed');
    this.emit('disconnected');
    return Promise.resolve();
  }
}

describe('the browsers that test files of a process share', () => {
  let launched: string[];
  let failure: Error | undefined;
  let browsers: SharedBrowsers<FakeBrowser>;

  beforeEach(() => {
    [launched, failure] = [[], undefined];
    browsers = new SharedBrowsers((flags) => {
      launched.push(flags.join(' '));
      return failure ? Promise.reject(failure) : Promise.resolve(new FakeBrowser());
    });
  });

  it('are one for each set of flags', async () => {
    const [first, second] = await Promise.all([browsers.take(['--a']), browsers.take(['--a'])]);
    const other = await browsers.take(['--b']);
    assert.equal(first.browser, second.browser);
    assert.notEqual(first.browser, other.browser);
    assert.deepEqual(launched, ['--a', '--b']);
  });

  it('are closed after their last user, unless another one comes', async () => {
    const first = await browsers.take([]);
    first.giveBack();
    const second = await browsers.take([]);
    assert.equal(second.browser, first.browser);
    const closed = once(second.browser, 'closed');
    second.giveBack();
    await closed;
    assert.notEqual((await browsers.take([])).browser, first.browser);
  });

  it('are launched again after one did not start', async () => {
    failure = new Error('no browser');
    await assert.rejects(browsers.take([]), failure);
    failure = undefined;
    await browsers.take([]);
    assert.equal(launched.length, 2);
  });

  it('are not handed on after a crash, and the end of the old one leaves the new one alone', async () => {
    const crashed = await browsers.take([]);
    crashed.browser.emit('disconnected');
    const next = await browsers.take([]);
    assert.notEqual(next.browser, crashed.browser);
    const closed = once(crashed.browser, 'closed');
    crashed.giveBack();
    await closed;
    assert.equal((await browsers.take([])).browser, next.browser);
  });
});
