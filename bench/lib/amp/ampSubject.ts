import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import * as z from 'zod';
import { AmpServer } from '../../../src/amp/node/ampServer';
import { writeTextFrame } from '../../../src/amp/node/textFrame';
import type { Clock } from '../../../src/base/common/async';
import type { Disposable } from '../../../src/base/common/disposable';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { nobodyToAsk } from '../../../test/fake/nobodyToAsk';
import { disabledTrafficTap } from '../../../src/wire/common/traffic';
import { readOnlyLockfile } from './readLockfile';
import { median } from '../benchLine';
import { tellParent } from '../child';
import { DiskEditor } from '../diskEditor';

const Command = z.union([
  z.object({ selections: z.int() }),
  z.object({ sends: z.int(), text: z.string() }),
  z.object({ frames: z.int(), text: z.string() }),
]);

/** Each event comes well after the last one's notifications, so that none are merged: the dearest case. */
const betweenEventsMs = 5;

/**
 * The process of the server under test, and of a bare `ws` server beside it. It reports `{url, peerUrl}`. It answers
 * `{selections: n}`, `{sends: n, text}` and `{frames: n, text}` with `{msPerEvent}`: the median of how long its event loop was
 * busy for one selection, or for sending the text to all clients of the bare server, with `ws` or in frames of our own, without
 * what an empty turn of the loop takes.
 */
export async function runAmpSubject(): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'backline-bench-'));
  const editor = new DiskEditor({}, [folder]);
  const clock = new TimingClock();
  const server = new AmpServer({
    editor,
    protectedEdits: nobodyToAsk(editor),
    policy: () => ({}),
    log: nullLogger,
    clock,
    traffic: disabledTrafficTap,
    portRange: { first: 8000, last: 8100 },
    lockfileFolders: [path.join(folder, 'amp', 'ide')],
    ideName: 'Bench',
    pid: process.pid,
    version: '0.0.0',
  });
  await server.start();
  const { port, authToken } = await readOnlyLockfile(path.join(folder, 'amp', 'ide'));
  const peer = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  const streams = new Set<Duplex>();
  peer.on('connection', (_socket, { socket: stream }) => streams.add(stream));
  await once(peer, 'listening');
  const address = peer.address();
  const peerPort = address !== null && typeof address === 'object' ? address.port : 0;
  tellParent({ url: `ws://127.0.0.1:${port}?auth=${authToken}`, peerUrl: `ws://127.0.0.1:${peerPort}` });

  process.on('message', (message) => {
    const command = Command.parse(message);
    const select = (line: number): void =>
      editor.select('/bench/src/some/file.ts', {
        start: { line, character: 2 },
        end: { line, character: 42 },
        text: 'x'.repeat(40),
      });
    const later = (send: () => void) => (): void => void clock.setTimer(0, send);
    const commanded = (): Promise<{ msPerEvent: number }> => {
      if ('selections' in command) return measureEvents(clock, command.selections, select);
      const { text } = command;
      if ('sends' in command) {
        const sendAll = later(() => peer.clients.forEach((client) => client.send(text)));
        return measureEvents(clock, command.sends, sendAll);
      }
      const writeAll = later(() => streams.forEach((stream) => writeTextFrame(stream, text)));
      return measureEvents(clock, command.frames, writeAll);
    };
    void commanded().then(tellParent);
  });
  process.once('disconnect', () => {
    void server
      .stop()
      .then(() => rm(folder, { recursive: true }))
      .then(() => process.exit());
  });
}

/** `fire` sets a timer that does the work. */
async function measureEvents(
  clock: TimingClock,
  count: number,
  fire: (event: number) => void,
): Promise<{ msPerEvent: number }> {
  const times: number[] = [];
  const idleTimes: number[] = [];
  for (let event = 0; event < count; event++) {
    const done = clock.nextTurn();
    const start = performance.now();
    fire(event);
    const firingMs = performance.now() - start;
    times.push(firingMs + (await done));

    const idle = clock.nextTurn();
    clock.setTimer(betweenEventsMs, () => undefined);
    idleTimes.push(await idle);
  }
  return { msPerEvent: median(times) - median(idleTimes) };
}

/** The system's clock, which can also tell how long a timer kept the event loop busy, with all that followed at once. */
class TimingClock implements Clock {
  private onTurn: ((ms: number) => void) | undefined;

  nextTurn(): Promise<number> {
    return new Promise((resolve) => {
      this.onTurn = resolve;
    });
  }

  now(): number {
    return systemClock.now();
  }

  monotonicNow(): number {
    return systemClock.monotonicNow();
  }

  setTimer(delayMs: number, callback: () => void): Disposable {
    return systemClock.setTimer(delayMs, () => {
      const { onTurn } = this;
      this.onTurn = undefined;
      const start = performance.now();
      callback();
      setImmediate(() => onTurn?.(performance.now() - start));
    });
  }
}
