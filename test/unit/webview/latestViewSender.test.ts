import assert from 'node:assert/strict';
import { LatestViewSender } from '../../../src/webview/common/latestViewSender';

describe('LatestViewSender', () => {
  it('sends the view that was loaded last, and none of an earlier load that ends later', async () => {
    const loads: PromiseWithResolvers<string>[] = [];
    const sent: string[] = [];
    const load = (): Promise<string> => {
      const next = Promise.withResolvers<string>();
      loads.push(next);
      return next.promise;
    };
    const sender = new LatestViewSender(load, (view) => sent.push(view));
    const [early, late] = [sender.loadAndSend(), sender.loadAndSend()];
    loads[1]?.resolve('late');
    await late;
    loads[0]?.resolve('early');
    await early;
    assert.deepEqual(sent, ['late']);
  });
});
