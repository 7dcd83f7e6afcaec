import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Disposable } from '../../../../src/base/common/disposable';
import { systemClock } from '../../../../src/base/node/systemClock';
import type { StreamClosed } from '../../../../src/wire/common/messageStream';
import { ChildProcessStream } from '../../../../src/wire/node/childProcessStream';
import { FakeClock } from '../../../fake/fakeClock';
import { until } from '../../../support/eventually';

/** A stream to a child that runs this code. Faults of agents are tested with the agent process. */
function streamTo(code: string): { stream: ChildProcessStream; errors: unknown[]; closed: Promise<StreamClosed> } {
  const child = spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'pipe', 'ignore'] });
  const errors: unknown[] = [];
  const stream = new ChildProcessStream(child, { clock: systemClock, onListenerError: (error) => errors.push(error) });
  return { stream, errors, closed: new Promise((resolve) => stream.onDidClose(resolve)) };
}

const lines = (count: number): string => `process.stdout.write('{"a":1}\\n'.repeat(${count}));`;

describe('ChildProcessStream', () => {
  it('gives others a turn during a flood', async () => {
    const { stream, closed } = streamTo(lines(5_000));
    let inTurn = 0;
    let most = 0;
    let all = 0;
    const newTurn = (): void => {
      inTurn = 0;
      if (all < 5_000) setImmediate(newTurn);
    };
    newTurn();
    stream.onMessage(() => {
      all++;
      most = Math.max(most, ++inTurn);
    });
    await closed;
    assert.equal(all, 5_000);
    assert.ok(most <= 128, `${most} messages without a turn for anybody else`);
  });

  it('is not stopped by a listener that throws', async () => {
    const { stream, errors, closed } = streamTo(lines(3));
    stream.onMessage(() => {
      throw new Error('listener');
    });
    assert.deepEqual(await closed, { reason: 'ended' });
    assert.equal(errors.length, 3);
  });

  it('delivers nothing while it is held, and then everything, also if the child has exited', async () => {
    const clock = new FakeClock();
    const child = spawn(process.execPath, ['-e', lines(2_000)], { stdio: ['pipe', 'pipe', 'ignore'] });
    const stream = new ChildProcessStream(child, { clock, onListenerError: assert.ifError });
    const closed = new Promise((resolve) => stream.onDidClose(resolve));
    /** Longer than the stream waits for more output of a child that has exited. */
    const passTime = async (): Promise<void> => {
      for (let turn = 0; turn < 20; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
        clock.advance(100);
      }
    };
    let count = 0;
    let hold = stream.holdReading();
    const other = stream.holdReading();
    stream.onMessage(() => {
      count++;
      if (count === 1_000) hold = stream.holdReading();
    });
    await once(child, 'exit');
    await passTime();
    assert.equal(count, 0);
    hold.dispose();
    hold.dispose();
    await passTime();
    assert.equal(count, 0);
    other.dispose();
    await until('the first half', () => count === 1_000);
    await passTime();
    assert.equal(count, 1_000);
    hold.dispose();
    assert.deepEqual(await closed, { reason: 'ended' });
    assert.equal(count, 2_000);
  });

  it('lets a child wait that writes more than a pipe takes while it is held', async () => {
    const line = JSON.stringify({ a: 'x'.repeat(100_000) });
    const code = `let n = 0;
      const next = () => ++n <= 100 && process.stdout.write(${JSON.stringify(`${line}\n`)}, () => { process.stderr.write('.'); next(); });
      next();`;
    const child = spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'pipe', 'pipe'] });
    const stream = new ChildProcessStream(child, { clock: systemClock, onListenerError: assert.ifError });
    const closed = new Promise((resolve) => stream.onDidClose(resolve));
    let written = 0;
    let count = 0;
    child.stderr.on('data', (dots: Buffer) => (written += dots.length));
    let hold: Disposable | undefined;
    stream.onMessage(() => {
      count++;
      if (count === 10) hold = stream.holdReading();
    });
    await until('the hold', () => hold !== undefined);
    for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(count, 10);
    assert.ok(written < 20, `${written} lines are written`);
    hold?.dispose();
    await closed;
    assert.equal(count, 100);
  });

  it('delivers nothing after it was disposed, even from within a listener', async () => {
    const { stream, closed } = streamTo(lines(100));
    let count = 0;
    stream.onMessage(() => {
      count++;
      stream.dispose();
    });
    assert.deepEqual(await closed, { reason: 'disposed' });
    await new Promise((resolve) => setImmediate(resolve));
    assert.equal(count, 1);
  });

  it('ends the input of the child when it is disposed', async () => {
    const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'pipe', 'ignore'] });
    const exit = once(child, 'exit');
    new ChildProcessStream(child, { clock: systemClock, onListenerError: () => undefined }).dispose();
    assert.deepEqual(await exit, [0, null]);
  });

  it('delivers a batch message by message, and sends the answers to its requests together', async () => {
    const batch = [
      { jsonrpc: '2.0', id: 1, method: 'a' },
      { jsonrpc: '2.0', method: 'told' },
      { jsonrpc: '2.0', id: 'two', method: 'b' },
    ];
    const { stream } = streamTo(`
      process.stdin.on('data', (bytes) => console.log(JSON.stringify({ read: String(bytes) })));
      console.log(${JSON.stringify(JSON.stringify(batch))})`);
    const messages: unknown[] = [];
    let onMessage = (): void => undefined;
    const received = async (count: number): Promise<void> => {
      while (messages.length < count) await new Promise<void>((resolve) => (onMessage = resolve));
    };
    stream.onMessage((message) => {
      messages.push(message);
      onMessage();
    });
    await received(3);
    assert.deepEqual(messages, batch);
    const second = { jsonrpc: '2.0', id: 'two', result: {} };
    const first = { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'No' } };
    await stream.send(second);
    await stream.send(first);
    await received(4);
    assert.deepEqual(messages[3], { read: `${JSON.stringify([second, first])}\n` });
    stream.dispose();
  });

  it('closes once', async () => {
    const { stream, closed } = streamTo('');
    const reasons: string[] = [];
    stream.onDidClose(({ reason }) => reasons.push(reason));
    stream.onMessage(() => undefined);
    await closed;
    stream.dispose();
    assert.deepEqual(reasons, ['ended']);
  });

  it('rejects what cannot be written as JSON and stays open', async () => {
    const { stream } = streamTo('process.stdin.pipe(process.stdout)');
    await assert.rejects(stream.send({ big: 1n }), TypeError);
    const echo = new Promise((resolve) => stream.onMessage(resolve));
    await stream.send({ id: 1 });
    assert.deepEqual(await echo, { id: 1 });
    stream.dispose();
  });

  it('fails a message to a child that is gone', async () => {
    const child = spawn(process.execPath, ['-e', ''], { stdio: ['pipe', 'pipe', 'ignore'] });
    const stream = new ChildProcessStream(child, { clock: systemClock, onListenerError: () => undefined });
    await once(child, 'exit');
    await assert.rejects(stream.send({ text: 'x'.repeat(1024 * 1024) }), /closed/);
    stream.dispose();
  });
});
