import * as assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';
import { encodeTextFrame, SharedFrames, writeTextFrame } from '../../../../src/amp/node/textFrame';
import { AmpHarness, upgradeRequest } from './support/ampHarness';

/** Of every form of length, and beside the borders between them; `é` is two bytes. */
const texts = [0, 1, 125, 126, 127, 16_380, 16_381, 16_384, 16_385, 65_535, 65_536, 65_537]
  .map((length) => 'x'.repeat(length))
  .concat(
    'é'.repeat(62),
    'é'.repeat(63),
    'é'.repeat(32_767),
    'é'.repeat(32_768),
    '\u0000 😀 \u2028',
    '\u0000 \u007f',
    'é',
    '\u0080\u00ff',
  );

const endOfHead = '\r\n\r\n';

describe('a text frame', () => {
  it('is what RFC 6455 says: final, text, unmasked, its length in the shortest form', () => {
    for (const text of texts) {
      const [frame, payload] = [encodeTextFrame(text), Buffer.from(text)];
      const { length } = payload;
      const head =
        length < 126
          ? [0x81, length]
          : length < 65_536
            ? [0x81, 126, length >> 8, length & 255]
            : [0x81, 127, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 255, length & 255];
      assert.deepEqual([...frame.subarray(0, head.length)], head, `${length} bytes`);
      assert.ok(frame.subarray(head.length).equals(payload), `${length} bytes`);
      const stream = new PassThrough({ highWaterMark: 100_000 });
      writeTextFrame(stream, text);
      const written: unknown = stream.read();
      assert.ok(Buffer.isBuffer(written) && frame.equals(written), `${length} bytes`);
    }
  });

  it('reaches a WebSocket client whole and in order, between frames that ws has made', async () => {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
    await once(server, 'listening');
    server.on('connection', (socket, { socket: stream }) => {
      for (const text of texts) {
        writeTextFrame(stream, text);
        socket.ping();
        socket.send('between');
      }
      socket.close();
    });
    const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const received: string[] = [];
    client.on('message', (data: Buffer) => received.push(data.toString()));
    const [code] = (await once(client, 'close')) as [number];
    assert.equal(code, 1005);
    assert.ok(JSON.stringify(received) === JSON.stringify(texts.flatMap((text) => [text, 'between'])));
    await new Promise((resolve) => server.close(resolve));
  });

  it('of a notification is made once for all clients', () => {
    const frames = new SharedFrames();
    const [one, other] = [{ json: '{"a":1}' }, { json: '{"a":1}' }];
    assert.equal(frames.frameOf(one), frames.frameOf(one));
    assert.notEqual(frames.frameOf(one), frames.frameOf(other));
    assert.ok(frames.frameOf(other).equals(encodeTextFrame('{"a":1}')));
  });

  it('is all that a bare socket sees of the server after the upgrade', async () => {
    const harness = await AmpHarness.start();
    const socket = await harness.dial();
    const expected = Buffer.concat(
      [
        { pluginMetadata: { version: '1.2.3' }, method: { pluginMetadata: { version: '1.2.3' } } },
        { visibleFilesDidChange: { uris: [] }, method: { visibleFilesChanged: { files: [] } } },
      ].map((serverNotification) => encodeTextFrame(JSON.stringify({ serverNotification }))),
    );
    let received = '';
    const isThere = (): boolean => received.length - received.indexOf(endOfHead) - endOfHead.length >= expected.length;
    socket.setEncoding('latin1').write(upgradeRequest(`/?auth=${harness.token}`));
    while (!received.includes(endOfHead) || !isThere()) received += String(await once(socket, 'data'));
    assert.equal(received.slice(received.indexOf(endOfHead) + endOfHead.length), expected.toString('latin1'));
    await harness.close();
  });
});
