import assert from 'node:assert/strict';
import * as z from 'zod/mini';
import { defineRequest, NoValue } from '../../../src/webview/common/protocol';
import { RequestDispatcher } from '../../../src/webview/common/requestHandlers';

const requests = {
  double: defineRequest('test/double', z.object({ value: z.number() }), z.object({ value: z.number() })),
  fail: defineRequest('test/fail', NoValue, NoValue),
  forget: defineRequest('test/forget', NoValue, NoValue),
  failOddly: defineRequest('test/failOddly', z.object({ thrown: z.unknown() }), NoValue),
} as const;

describe('the requests of a page', () => {
  const failures: string[] = [];
  const dispatcher = new RequestDispatcher<typeof requests>(
    {
      double: requests.double.withHandler(({ value }) => ({ value: value * 2 })),
      fail: requests.fail.withHandler(() => Promise.reject(Object.assign(new Error('No.'), { details: 'Because.' }))),
      failOddly: requests.failOddly.withHandler(({ thrown }) => {
        throw thrown;
      }),
      forget: requests.forget.withHandler(() => new Set(['what is nobody’s business'])),
    },
    (method) => failures.push(method),
  );
  beforeEach(() => failures.splice(0));

  it('are answered by their id', async () => {
    const answer = await dispatcher.dispatch({ id: 7, method: 'test/double', params: { value: 2 } });
    assert.deepEqual(answer, { id: 7, result: { value: 4 } });
  });

  it('are not told what their handler returns when they ask for nothing', async () => {
    const answer = await dispatcher.dispatch({ id: 8, method: 'test/forget', params: {} });
    assert.deepEqual(answer, { id: 8, result: {} });
  });

  it('are answered by an error when they fail, are unknown or have another shape', async () => {
    const answers = await Promise.all([
      dispatcher.dispatch({ id: 1, method: 'test/fail', params: {} }),
      dispatcher.dispatch({ id: 2, method: 'test/none', params: {} }),
      dispatcher.dispatch({ id: 3, method: 'test/double', params: { value: 'two' } }),
    ]);
    assert.deepEqual(answers[0], { id: 1, error: { message: 'No.', details: 'Because.' } });
    assert.ok(answers.every((answer) => answer && 'error' in answer));
    assert.deepEqual(failures.sort(), ['?', 'test/double', 'test/fail']);
  });

  it('have details only if the error has them as text', async () => {
    for (const thrown of [new Error('No.'), Object.assign(new Error('No.'), { details: 7 }), 'No.']) {
      const answer = await dispatcher.dispatch({ id: 1, method: 'test/failOddly', params: { thrown } });
      assert.deepEqual(answer, { id: 1, error: { message: 'No.' } });
    }
    const answer = await dispatcher.dispatch({ id: 1, method: 'test/failOddly', params: { thrown: null } });
    assert.ok(answer && 'error' in answer && !('details' in answer.error));
  });

  it('are not answered when they are none', async () => {
    assert.equal(await dispatcher.dispatch('hello'), undefined);
    assert.equal(await dispatcher.dispatch({ method: 'test/double' }), undefined);
  });
});
