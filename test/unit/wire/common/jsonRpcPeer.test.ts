import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TimeoutError } from '../../../../src/base/common/errors';
import { nullLogger } from '../../../../src/base/common/log';
import { ConnectionClosedError, RpcError } from '../../../../src/wire/common/connectionErrors';
import { JsonRpcPeer, type RequestHandler } from '../../../../src/wire/common/jsonRpcPeer';
import { duplexPair, type DuplexEnd } from '../../../fake/acp/duplex';
import { FakeClock } from '../../../fake/fakeClock';

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const never = (): Promise<never> => new Promise<never>(() => undefined);

function peerOn(
  stream: DuplexEnd,
  handlers: Record<string, RequestHandler> = {},
  { writesVersion = false, clock = new FakeClock(), log = nullLogger } = {},
): JsonRpcPeer {
  const options = { stream, handlers: new Map(Object.entries(handlers)), writesVersion, clock, log };
  const peer = new JsonRpcPeer(options);
  peer.start();
  return peer;
}

/** One real end, and the bare wire at the other. */
function peerAndWire(handlers?: Record<string, RequestHandler>): {
  peer: JsonRpcPeer;
  near: DuplexEnd;
  far: DuplexEnd;
} {
  const [near, far] = duplexPair();
  return { peer: peerOn(near, handlers), near, far };
}

describe('JsonRpcPeer', () => {
  it('asks and answers at both ends at once', async () => {
    const [left, right] = duplexPair();
    const double: RequestHandler = (params) => Promise.resolve(Number(params) * 2);
    const a = peerOn(left, { double });
    const b = peerOn(right, { double });
    const answers = await Promise.all([a.request('double', 1), b.request('double', 2), a.request('double', 3)]);
    assert.deepEqual(answers, [2, 4, 6]);
  });

  it('counts ids from 0, writes empty params and results as null, and no jsonrpc member', async () => {
    const [left, right] = duplexPair();
    peerOn(right, { ping: () => Promise.resolve(undefined) });
    assert.equal(await peerOn(left).request('ping', undefined), null);
    assert.deepEqual(left.sent, [{ id: 0, method: 'ping', params: null }]);
    assert.deepEqual(right.sent, [{ id: 0, result: null }]);
  });

  it('logs an answer to nothing, and no other one', async () => {
    const [left, right] = duplexPair();
    const logged: string[] = [];
    const peer = peerOn(left, {}, { log: { ...nullLogger, debug: (text: string) => void logged.push(text) } });
    peerOn(right, { ping: () => Promise.resolve(1) });
    await peer.request('ping', undefined);
    await settled();
    assert.deepEqual(logged, []);
    await right.send({ id: 99, result: 1 });
    await settled();
    assert.deepEqual(logged, ['Ignored an unexpected message (keys: id, result)']);
  });

  it('writes the jsonrpc member when told to', async () => {
    const [left, right] = duplexPair();
    peerOn(right, {}, { writesVersion: true });
    await assert.rejects(peerOn(left, {}, { writesVersion: true }).request('ping', {}));
    assert.deepEqual([left.sent[0]?.['jsonrpc'], right.sent[0]?.['jsonrpc']], ['2.0', '2.0']);
  });

  it('answers requests side by side, each with its own id', async () => {
    const [left, right] = duplexPair();
    const releases: (() => void)[] = [];
    peerOn(right, {
      slow: () => new Promise((resolve) => releases.push(() => resolve('slow'))),
      fast: () => Promise.resolve('fast'),
    });
    const peer = peerOn(left);
    const slow = peer.request('slow', {});
    assert.equal(await peer.request('fast', {}), 'fast');
    releases.forEach((release) => release());
    assert.equal(await slow, 'slow');
  });

  describe('errors of handlers', () => {
    const failing: Record<string, RequestHandler> = {
      coded: () => Promise.reject(new RpcError(-32002, 'Not there', { uri: 'x' })),
      plain: () => Promise.reject(new Error('broken')),
      sync: () => {
        throw new Error('at once');
      },
      circular: () => {
        const value: Record<string, unknown> = {};
        value['self'] = value;
        return Promise.resolve(value);
      },
    };
    const cases: readonly [string, number, RegExp][] = [
      ['unknown', -32601, /^Method not found - 'unknown'$/],
      ['coded', -32002, /^Not there$/],
      ['plain', -32603, /^broken$/],
      ['sync', -32603, /^at once$/],
      ['circular', -32603, /circular/],
    ];
    for (const [method, code, message] of cases) {
      it(`answers '${method}' with ${code}, and never a result beside it`, async () => {
        const [left, right] = duplexPair();
        peerOn(right, failing);
        await assert.rejects(peerOn(left).request(method, {}), (error) => {
          assert.ok(error instanceof RpcError);
          assert.equal(error.code, code);
          assert.match(error.message, message);
          assert.deepEqual(error.data, method === 'coded' ? { uri: 'x' } : undefined);
          return true;
        });
        assert.equal(right.sent.length, 1);
        assert.ok(!('result' in (right.sent[0] ?? {})));
      });
    }
  });

  describe('the end of a request', () => {
    it('comes at the time-out, and a late answer is ignored', async () => {
      const [near, far] = duplexPair();
      const clock = new FakeClock();
      const peer = peerOn(near, {}, { clock });
      const request = peer.request('slow', {}, { timeoutMs: 100 });
      clock.advance(100);
      await assert.rejects(request, TimeoutError);
      await far.send({ id: 0, result: 'late' });
      await settled();
      assert.equal(near.sent.length, 1);
    });

    it('leaves no timer behind', async () => {
      const [left, right] = duplexPair();
      peerOn(right, { ping: () => Promise.resolve(1) });
      const clock = new FakeClock();
      await peerOn(left, {}, { clock }).request('ping', {}, { timeoutMs: 100 });
      assert.equal(clock.pending, 0);
    });

    it('comes with the signal and its reason', async () => {
      const { peer } = peerAndWire();
      const controller = new AbortController();
      const request = peer.request('slow', {}, { signal: controller.signal });
      const reason = new Error('the user stopped it');
      controller.abort(reason);
      await assert.rejects(request, reason);
      await assert.rejects(peer.request('slow', {}, { signal: controller.signal }), (error) => error === reason);
    });

    it('is an error, whatever the reason of the signal is', async () => {
      const { peer } = peerAndWire();
      const reason = new Error('stopped');
      for (const [given, isSame] of [
        [reason, true],
        ['stopped', false],
      ] as const) {
        const controller = new AbortController();
        const request = peer.request('slow', {}, { signal: controller.signal });
        controller.abort(given);
        await assert.rejects(
          request,
          (error) => error instanceof Error && error.message === 'stopped' && (error === reason) === isSame,
        );
      }
    });

    it('comes when the other side ends the stream, with the reason', async () => {
      const { peer, far } = peerAndWire();
      const requests = [peer.request('a', {}), peer.request('b', {})];
      far.dispose();
      for (const request of requests) {
        await assert.rejects(
          request,
          (error) => error instanceof ConnectionClosedError && error.closed.reason === 'ended',
        );
      }
      await assert.rejects(peer.request('c', {}), ConnectionClosedError);
    });

    it('comes when the transport fails, with its words', async () => {
      const { peer, near } = peerAndWire();
      const request = peer.request('a', {});
      near.fail(new Error('agent exited with code 1'));
      await assert.rejects(request, /agent exited with code 1/);
    });

    it('comes when the peer is disposed here', async () => {
      const { peer } = peerAndWire();
      const request = peer.request('a', {});
      peer.dispose();
      await assert.rejects(
        request,
        (error) => error instanceof ConnectionClosedError && error.closed.reason === 'disposed',
      );
    });

    it('comes at once when the peer was disposed before, though its stream is open', async () => {
      const { near, peer } = peerAndWire();
      peer.dispose();
      await assert.rejects(peer.request('a', {}), ConnectionClosedError);
      assert.deepEqual(near.sent, []);
    });

    it('keeps the first reason of several', async () => {
      const { near, peer } = peerAndWire();
      near.fail(new Error('agent exited'));
      peer.dispose();
      await assert.rejects(
        peer.request('a', {}),
        (error) => error instanceof ConnectionClosedError && error.closed.reason === 'failed',
      );
    });

    it('comes when the request cannot be written', async () => {
      const { peer } = peerAndWire();
      await assert.rejects(peer.request('a', { big: 1n }), TypeError);
    });
  });

  describe('answers of strange peers', () => {
    const cases: readonly [string, object, unknown][] = [
      ['a missing result as null', { id: 0 }, null],
      ['a null error beside a result', { id: 0, result: 1, error: null }, 1],
      ['extra members', { id: 0, result: 1, jsonrpc: '2.0', more: true }, 1],
    ];
    for (const [name, answer, expected] of cases) {
      it(`takes ${name}`, async () => {
        const { peer, far } = peerAndWire();
        const request = peer.request('a', {});
        await far.send(answer);
        assert.equal(await request, expected);
      });
    }

    for (const error of ['text', { message: 'no code' }, 7]) {
      it(`rejects with an error that is ${JSON.stringify(error)}`, async () => {
        const { peer, far } = peerAndWire();
        const request = peer.request('a', {});
        await far.send({ id: 0, error });
        await assert.rejects(request, RpcError);
      });
    }

    it('takes the first of two answers and ignores the other', async () => {
      const { peer, near, far } = peerAndWire();
      const request = peer.request('a', {});
      await Promise.all([far.send({ id: 0, result: 'first' }), far.send({ id: 0, result: 'second' })]);
      assert.equal(await request, 'first');
      await settled();
      assert.equal(near.sent.length, 1);
    });

    it('ignores an answer to nothing without answering it', async () => {
      const { near, far } = peerAndWire();
      await far.send({ id: 7, result: 1 });
      await far.send({ id: 8, error: { code: 1, message: 'x' } });
      await far.send({ method: 'notification' });
      await settled();
      assert.deepEqual(near.sent, []);
    });

    it('refuses what is neither request nor answer when it has an id', async () => {
      const { near, far } = peerAndWire();
      await far.send({ id: 7, params: {} });
      await far.send({ id: 'x', method: 5 });
      await settled();
      assert.deepEqual(
        near.sent.map(({ id, error }) => [id, (error as { code: number }).code]),
        [
          [7, -32600],
          ['x', -32600],
        ],
      );
    });
  });

  it('aborts what is being answered when the stream closes', async () => {
    let signal: AbortSignal | undefined;
    const { far } = peerAndWire({
      hang: (_params, context) => {
        signal = context.signal;
        return never();
      },
    });
    await far.send({ id: 0, method: 'hang', params: null });
    await settled();
    assert.equal(signal?.aborted, false);
    far.dispose();
    await settled();
    assert.equal(signal.aborted, true);
  });

  it('survives any message and answers it at most once', async () => {
    const member = fc.oneof(
      fc.constantFrom<unknown>(0, 1, 'x', null, 'ok', 'fail', 'unknown', {}),
      fc.jsonValue() as fc.Arbitrary<unknown>,
    );
    const message = fc.record(
      { id: member, method: member, params: member, result: member, error: member },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(message, async (inbound) => {
        const { peer, near, far } = peerAndWire({
          ok: () => Promise.resolve(1),
          fail: () => Promise.reject(new Error('no')),
        });
        const request = peer.request('mine', {}).catch(() => undefined);
        await far.send(inbound);
        await settled();
        const answers = near.sent.slice(1);
        assert.ok(answers.length <= 1);
        for (const answer of answers) assert.notEqual('result' in answer, 'error' in answer);
        if (typeof inbound.method === 'string' && typeof inbound.id === 'number') assert.equal(answers.length, 1);
        peer.dispose();
        await request;
      }),
      { numRuns: 300 },
    );
  });
});
