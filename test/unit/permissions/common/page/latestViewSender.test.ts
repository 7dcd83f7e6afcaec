import assert from 'node:assert/strict';
import { LatestViewSender } from '../../../../../src/webview/common/latestViewSender';

describe('LatestViewSender', () => {
  it('sends the newest view only, also when an older one is loaded after it', async () => {
    const loads: ((view: string) => void)[] = [];
    const sent: string[] = [];
    const newest = new LatestViewSender<string>(
      () => new Promise((resolve) => loads.push(resolve)),
      (view) => sent.push(view),
    );
    const first = newest.loadAndSend();
    const second = newest.loadAndSend();
    loads[1]?.('second');
    await second;
    loads[0]?.('first');
    await first;
    assert.deepEqual(sent, ['second']);
    const third = newest.loadAndSend();
    loads[2]?.('third');
    await third;
    assert.deepEqual(sent, ['second', 'third']);
  });
});
