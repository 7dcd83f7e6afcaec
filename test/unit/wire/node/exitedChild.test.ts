import assert from 'node:assert/strict';
import { ChildProcess } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { ConnectionClosedError } from '../../../../src/wire/common/connectionErrors';
import type { StreamClosed } from '../../../../src/wire/common/messageStream';
import { ChildProcessStream } from '../../../../src/wire/node/childProcessStream';
import { FakeClock } from '../../../fake/fakeClock';

const drainMs = 500;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A child whose pipes and end the test decides. */
function streamTo(state: { exitCode: number | null; signalCode: NodeJS.Signals | null }) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const child = Object.assign(new ChildProcess(), { stdin, stdout, ...state });
  const clock = new FakeClock();
  const stream = new ChildProcessStream(child, { clock, onListenerError: assert.ifError });
  const closes: StreamClosed[] = [];
  stream.onDidClose((closed) => closes.push(closed));
  const messages: object[] = [];
  const listen = (): unknown => stream.onMessage((message) => messages.push(message));
  return { child, clock, closes, listen, messages, stdout, stream };
}

describe('the stream to a child whose grandchild keeps the output open', () => {
  for (const state of [
    { exitCode: 0, signalCode: null },
    { exitCode: null, signalCode: 'SIGKILL' },
  ] as const) {
    it(`ends once nothing came for a while after ${JSON.stringify(state)}`, async () => {
      const { clock, closes, listen, messages, stdout } = streamTo(state);
      listen();
      await turn();
      stdout.write('{"a":1}\n');
      await turn();
      clock.advance(drainMs);
      await turn();
      assert.deepEqual([closes, messages], [[], [{ a: 1 }]], 'something came meanwhile');
      clock.advance(drainMs);
      await turn();
      assert.deepEqual(closes, [{ reason: 'ended' }]);
      assert.equal(clock.pending, 0);
    });
  }

  it('does not end while a read is about to happen', async () => {
    const { clock, closes, listen } = streamTo({ exitCode: 0, signalCode: null });
    listen();
    clock.advance(drainMs);
    await turn();
    assert.deepEqual(closes, []);
    clock.advance(drainMs);
    await turn();
    assert.deepEqual(closes, [{ reason: 'ended' }]);
  });

  it('waits for the end of a child that runs', async () => {
    const { child, clock, closes, listen } = streamTo({ exitCode: null, signalCode: null });
    listen();
    await turn();
    clock.advance(10 * drainMs);
    await turn();
    assert.deepEqual([closes, clock.pending], [[], 0]);
    child.emit('exit', 0, null);
    clock.advance(drainMs);
    await turn();
    assert.deepEqual(closes, [{ reason: 'ended' }]);
  });
});

describe('the stream to a child', () => {
  it('keeps what comes before somebody listens, and lets the child wait', async () => {
    const { listen, messages, stdout } = streamTo({ exitCode: null, signalCode: null });
    stdout.write('{"a":1}\n');
    await turn();
    assert.ok(stdout.isPaused());
    listen();
    await turn();
    assert.deepEqual(messages, [{ a: 1 }]);
    assert.ok(!stdout.isPaused());
  });

  it('keeps what comes before somebody listens even if the child has closed its output', async () => {
    const { closes, listen, messages, stdout } = streamTo({ exitCode: null, signalCode: null });
    stdout.end('{"a":1}\n');
    await turn();
    await turn();
    listen();
    await turn();
    await turn();
    assert.deepEqual([messages, closes], [[{ a: 1 }], [{ reason: 'ended' }]]);
  });

  it('delivers a limited number in a turn, and what is no message apart', async () => {
    const { listen, messages, stdout, stream } = streamTo({ exitCode: null, signalCode: null });
    const noises: unknown[] = [];
    stream.onNoise(({ excerpt }) => noises.push(excerpt));
    stdout.write(`hello\n${'{"a":1}\n'.repeat(100)}`);
    await turn();
    listen();
    await turn();
    assert.ok(messages.length <= 63, `${messages.length} after the noise`);
    while (messages.length < 100) await turn();
    assert.deepEqual([noises, new Set(messages.map((message) => JSON.stringify(message))).size], [['hello'], 1]);
  });

  it('keeps the reason of its first end', async () => {
    const { closes, listen, stdout, stream } = streamTo({ exitCode: null, signalCode: null });
    listen();
    stdout.end();
    while (closes.length === 0) await turn();
    stream.dispose();
    await assert.rejects(
      stream.send({}),
      (error) => error instanceof ConnectionClosedError && error.closed.reason === 'ended',
    );
  });

  it('reports that it is closed, whatever is sent', async () => {
    const { stream } = streamTo({ exitCode: null, signalCode: null });
    stream.dispose();
    await assert.rejects(stream.send({ big: 1n }), ConnectionClosedError);
  });
});
