import assert from 'node:assert/strict';
import type * as z from 'zod/mini';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import { threadRequests } from '../../../src/threads/common/page/threadApi';
import type { PageRequestHandler, RequestType } from '../../../src/webview/common/protocol';
import { RequestDispatcher } from '../../../src/webview/common/requestHandlers';

type Request = RequestType<z.ZodMiniType, z.ZodMiniType>;

const huge = 'x'.repeat(1_000_000);
const noRequests: readonly unknown[] = [
  undefined,
  null,
  'hello',
  7,
  [],
  { method: 'chat/send' },
  { id: '1', method: 'chat/send', params: {} },
  { id: 1.5, method: 'chat/send', params: {} },
  { id: 1, method: { toString: 'chat/send' }, params: {} },
];
const noMethods = ['', '__proto__', 'constructor', 'toString', 'chat/', 'chat/Send', huge];
/** What no request that takes something takes. */
const noParams: readonly unknown[] = [undefined, null, 'text', 7, true, [], [{}], () => undefined];

for (const [page, table] of Object.entries({ chat: chatRequests, thread: threadRequests })) {
  describe(`forged messages of the page of the ${page}`, () => {
    const requests: readonly Request[] = Object.values(table);
    const ran: string[] = [];
    const logged: string[] = [];
    const handlers = Object.fromEntries(
      requests.map((request): [string, PageRequestHandler] => [
        request.method,
        request.withHandler((params) => {
          ran.push(`${request.method} ${JSON.stringify(params)}`);
          return {};
        }),
      ]),
    );
    const dispatcher = new RequestDispatcher<Record<string, Request>>(handlers, (_method, error) =>
      logged.push(String(error)),
    );
    beforeEach(() => {
      ran.splice(0);
      logged.splice(0);
    });

    /** Nothing happens but a line in the log, which is not the message itself. */
    async function isRefused(message: unknown): Promise<void> {
      logged.splice(0);
      await dispatcher.dispatch(message);
      assert.deepEqual(ran, []);
      assert.equal(logged.length, 1);
      assert.ok((logged[0] ?? '').length < 300, 'a short line');
    }

    it('that are no requests, or name none, do nothing', async () => {
      for (const message of noRequests) await isRefused(message);
      for (const method of noMethods) await isRefused({ id: 1, method, params: {} });
    });

    it('with params of another shape do nothing', async () => {
      for (const { method } of requests) for (const params of noParams) await isRefused({ id: 1, method, params });
    });

    it('with one value of another type do nothing', async () => {
      for (const { method, params } of requests) {
        const names = namesIn(params);
        for (const name of names) {
          for (const value of [{ toString: 'x' }, [[]], Number.NaN, Symbol.iterator]) {
            const forged = Object.fromEntries(names.map((other) => [other, other === name ? value : 'text']));
            await isRefused({ id: 1, method, params: forged });
          }
        }
      }
    });

    it('reach no prototype, and bring nothing that the request does not have', async () => {
      for (const { method } of requests) {
        const params: unknown = JSON.parse(
          '{"__proto__": {"isForged": true}, "constructor": {"prototype": {}}, "extra": 1}',
        );
        await dispatcher.dispatch({ id: 1, method, params });
      }
      assert.equal(Reflect.get({}, 'isForged'), undefined);
      assert.ok(
        ran.every((line) => line.endsWith(' {}')),
        ran.join('\n'),
      );
    });
  });
}

function namesIn(params: unknown): string[] {
  const shape: unknown = typeof params === 'object' && params && 'shape' in params ? params.shape : undefined;
  return typeof shape === 'object' && shape ? Object.keys(shape) : [];
}
