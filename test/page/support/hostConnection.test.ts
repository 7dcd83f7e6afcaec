import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { HostConnection } from '../../../src/webview/browser/hostConnection';
import { defineNotification } from '../../../src/webview/common/protocol';

const didCount = defineNotification('test/didCount', z.object({ count: z.int() }));

describe('what a host tells a page', () => {
  it('is heard in its shape; of another shape it is said that it came', () => {
    const window = new EventTarget();
    const connection = new HostConnection({ postMessage: () => undefined });
    const heard: unknown[] = [];
    connection.setNotificationListener(
      didCount,
      ({ count }) => heard.push(count),
      () => heard.push('unreadable'),
    );
    connection.start(window);
    for (const count of [1, 2 ** 60, 2]) {
      const data = { method: didCount.method, params: { count }, at: 0 };
      window.dispatchEvent(new MessageEvent('message', { data }));
    }
    assert.deepEqual(heard, [1, 'unreadable', 2]);
  });
});
