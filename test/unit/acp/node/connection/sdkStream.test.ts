import assert from 'node:assert/strict';
import { Emitter } from '../../../../../src/base/common/event';
import { nullLogger } from '../../../../../src/base/common/log';
import type { MessageStream, InvalidStreamData } from '../../../../../src/wire/common/messageStream';
import type { TrafficEntry } from '../../../../../src/wire/common/traffic';
import { createSdkStream } from '../../../../../src/acp/node/connection/sdkStream';
import { until } from '../../../../support/eventually';
import { duplexPair } from '../../../../fake/acp/duplex';

function open() {
  const [end, theirs] = duplexPair();
  const noise = new Emitter<InvalidStreamData>(assert.ifError);
  const ours: MessageStream = {
    onMessage: end.onMessage,
    onNoise: noise.event,
    onDidClose: end.onDidClose,
    send: (message) => end.send(message),
    dispose: () => end.dispose(),
  };
  const updates: unknown[] = [];
  const warnings: string[] = [];
  const recorded: TrafficEntry[] = [];
  let timeMs = 0;
  const stream = createSdkStream(ours, {
    log: { ...nullLogger, warn: (message) => warnings.push(message) },
    tap: { isRecording: true, record: (entry) => recorded.push(entry) },
    peer: 'Demo',
    clock: { monotonicNow: () => (timeMs += 5) },
    onUpdate: (params) => updates.push(params),
  });
  return {
    theirs,
    noise,
    updates,
    warnings,
    recorded,
    reader: stream.readable.getReader(),
    writer: stream.writable.getWriter(),
  };
}

const idOf = (message: object | undefined): unknown => (message && 'id' in message ? message.id : undefined);

const request = { jsonrpc: '2.0' as const, id: 0, method: 'session/prompt', params: { prompt: 'a secret' } };

describe('the SDK over our transport', () => {
  it('gets requests and answers, and no updates', async () => {
    const { reader, theirs, updates, writer } = open();
    await writer.write(request);
    await theirs.send({ jsonrpc: '2.0', method: 'session/update', params: { one: 1 } });
    await theirs.send({ id: 7, method: 'fs/read_text_file' });
    await theirs.send({ jsonrpc: '2.0', id: 0, result: {} });
    assert.deepEqual((await reader.read()).value, { jsonrpc: '2.0', id: 7, method: 'fs/read_text_file' });
    assert.deepEqual((await reader.read()).value, { jsonrpc: '2.0', id: 0, result: {} });
    assert.deepEqual(updates, [{ one: 1 }]);
  });

  it('has updates after the answer to steering wait until whoever asked has it, in their order with all else', async () => {
    const { reader, theirs, updates, writer } = open();
    await writer.write({ ...request, method: '_session/steering' });
    const seen: unknown[] = [];
    const reading = (async () => {
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        // As the chat is further away than the reader.
        for (let step = 0; step < 50; step++) await Promise.resolve();
        seen.push(idOf(read.value), updates.length);
      }
    })();
    const update = (params: object) => theirs.send({ jsonrpc: '2.0', method: 'session/update', params });
    const sent = [
      update({ before: 1 }),
      theirs.send({ jsonrpc: '2.0', id: 0, result: { outcome: 'injected' } }),
      update({ after: 2 }),
      theirs.send({ jsonrpc: '2.0', id: 7, method: 'fs/read_text_file' }),
      update({ after: 3 }),
    ];
    await Promise.all(sent);
    await until('all messages', () => updates.length === 3 && seen.length === 4);
    assert.deepEqual(updates, [{ before: 1 }, { after: 2 }, { after: 3 }]);
    assert.deepEqual(seen.slice(0, 3), [0, 1, 7]);
    theirs.dispose();
    await assert.rejects(reading);
  });

  it('does not get answers that nothing asked for, nor objects that are no messages', async () => {
    const { reader, theirs, warnings, writer } = open();
    await writer.write(request);
    for (const id of [0, 0, 9]) await theirs.send({ jsonrpc: '2.0', id, result: id });
    await theirs.send({ level: 'info' });
    await theirs.send({ jsonrpc: '2.0', method: 'last' });
    assert.deepEqual((await reader.read()).value, { jsonrpc: '2.0', id: 0, result: 0 });
    assert.deepEqual((await reader.read()).value, { jsonrpc: '2.0', method: 'last' });
    assert.equal(warnings.length, 3);
  });

  it('tells the traffic log names, sizes and times, and nothing of the contents', async () => {
    const { reader, recorded, theirs, writer } = open();
    await writer.write(request);
    await theirs.send({ jsonrpc: '2.0', id: 0, error: { code: -32000, message: 'a secret' } });
    await reader.read();
    const bytes = Buffer.byteLength(JSON.stringify(request)) + 1;
    assert.deepEqual(recorded[0], { protocol: 'acp', direction: 'out', peer: 'Demo', method: 'session/prompt', bytes });
    const { bytes: size, ...answer } = recorded[1] ?? { bytes: 0 };
    assert.ok(size > 0);
    const expected = {
      protocol: 'acp',
      direction: 'in',
      peer: 'Demo',
      method: 'session/prompt',
      durationMs: 5,
      error: -32000,
    };
    assert.deepEqual(answer, expected);
    assert.doesNotMatch(JSON.stringify(recorded), /secret/);
  });

  it('refuses requests beyond 64, and a second one of the same id, until some are answered', async () => {
    const { reader, theirs, writer } = open();
    const refused: unknown[] = [];
    theirs.onMessage((message) => refused.push(message['error'] ? message['id'] : undefined));
    for (const id of [1, ...Array.from({ length: 65 }, (_, index) => index + 1)]) {
      await theirs.send({ jsonrpc: '2.0', id, method: 'terminal/output' });
    }
    for (let id = 1; id <= 64; id++) assert.equal(idOf((await reader.read()).value), id);
    assert.deepEqual(refused, [1, 65]);
    await writer.write({ jsonrpc: '2.0', id: 3, result: {} });
    await theirs.send({ jsonrpc: '2.0', id: 66, method: 'terminal/output' });
    assert.equal(idOf((await reader.read()).value), 66);
  });

  it('leaves little of noise in the log, and nothing that may be a message', () => {
    const { noise, warnings } = open();
    noise.fire({ kind: 'notJson', bytes: 9, excerpt: ' {"secret' });
    for (let count = 0; count < 9; count++) noise.fire({ kind: 'notJson', bytes: 5, excerpt: 'hello' });
    assert.equal(warnings.length, 6);
    assert.match(warnings[1] ?? '', /\(5 bytes\): hello$/);
    assert.match(warnings[5] ?? '', /: 10 so far$/);
    assert.doesNotMatch(warnings.join(), /secret/);
  });

  it('fails when the stream does', async () => {
    const { reader, theirs } = open();
    theirs.dispose();
    await assert.rejects(reader.read(), { name: 'ConnectionClosedError' });
  });
});
