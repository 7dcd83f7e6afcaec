import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, rm } from 'node:fs/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { WebSocket } from 'ws';
import * as z from 'zod';
import { AmpClient, gaveUp, ownLockfile, type FoundLockfile } from '../support/ampClient';
import { eventually } from '../../support/eventually';
import { inWorkspace, writeInWorkspace } from '../support/workspace';

const mebibyte = 1024 * 1024;
const Response = z.object({
  serverResponse: z.looseObject({
    id: z.union([z.string(), z.number(), z.null()]),
    error: z.object({ code: z.number(), message: z.string() }).optional(),
  }),
});
type Response = z.infer<typeof Response>['serverResponse'];

/** A client that sends what it likes. */
class RudeClient {
  readonly responses: Response[] = [];

  private constructor(readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const { success, data: message } = Response.safeParse(JSON.parse(data.toString('utf8')));
      if (success) this.responses.push(message.serverResponse);
    });
    socket.on('error', () => undefined);
  }

  static async connect({ port, authToken }: FoundLockfile): Promise<RudeClient> {
    const client = new RudeClient(new WebSocket(`ws://127.0.0.1:${port}?auth=${authToken}`));
    await once(client.socket, 'open');
    return client;
  }

  /** The answer to what `send` sends. */
  async answerTo(send: () => void): Promise<Response> {
    const known = this.responses.length;
    send();
    return await eventually('an answer', () => this.responses[known] ?? assert.fail());
  }

  async closeCode(): Promise<number> {
    return z.number().parse((await once(this.socket, 'close'))[0]);
  }
}

function readFileRequest(id: number, path: string): string {
  return JSON.stringify({ clientRequest: { id, readFile: { path } } });
}

/** What the process holds once what nobody needs has been collected. */
function residentBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc()');
  return process.memoryUsage().rss;
}

describe('the Amp server in VS Code, mistreated', () => {
  let lockfile: FoundLockfile;
  let polite: AmpClient;
  let rude: RudeClient;
  let residentAtFirst: number;

  before(async () => {
    lockfile = await ownLockfile();
    await writeInWorkspace('amp/faults/small.txt', 'hello\n');
    await writeInWorkspace('amp/faults/large.txt', 'x'.repeat(mebibyte));
    polite = await AmpClient.connect(lockfile);
    await assertServed(polite);
    residentAtFirst = residentBytes();
  });
  beforeEach(async () => {
    rude = await RudeClient.connect(lockfile);
  });
  afterEach(async () => {
    rude.socket.terminate();
    await assertServed(polite);
  });
  after(async () => {
    polite.close();
    await rm(inWorkspace('amp', 'faults'), { recursive: true });
  });

  it('answers each of 10,000 requests that come at once', async () => {
    let ids = Array.from({ length: 10_000 }, (_, id) => id);
    while (ids.length > 0) {
      const known = rude.responses.length;
      for (const id of ids) {
        rude.socket.send(
          id % 2
            ? readFileRequest(id, 'amp/faults/small.txt')
            : `{"clientRequest":{"id":${id},"ping":{"message":"x"}}}`,
        );
      }
      await eventually('every answer', () => assert.equal(rude.responses.length, known + ids.length));
      const answers = rude.responses.slice(known);
      assert.deepEqual(
        answers.map(({ id }) => Number(id)).sort((a, b) => a - b),
        ids,
      );
      const failed = answers.filter(({ error }) => error);
      assert.deepEqual(
        failed.filter(({ error }) => !error?.message.includes(gaveUp)),
        [],
      );
      // What a busy machine had no time for is asked again, as its answer says.
      ids = failed.map(({ id }) => Number(id)).sort((a, b) => a - b);
    }
  });

  it('closes with 1009 who sends a frame of 33 MiB', async () => {
    rude.socket.send(Buffer.alloc(33 * mebibyte, 0x20));
    assert.equal(await rude.closeCode(), 1009);
  });

  it('is not kept busy by an id that no double can hold in a frame of 8 MiB', async () => {
    const items = '1,'.repeat(4 * mebibyte);
    const frame = `{"clientRequest":{"id":1e300,"ping":{"message":[${items}0]}}}`;
    let busy = process.threadCpuUsage();
    const refusal = await eventually('the refusal', async () => {
      const before = process.threadCpuUsage();
      const [answer] = await Promise.all([rude.answerTo(() => rude.socket.send(frame)), assertServed(polite)]);
      busy = process.threadCpuUsage(before);
      assert.ok(!answer.error?.message.includes(gaveUp), 'a busy machine had no time for it');
      return answer;
    });
    assert.deepEqual([refusal.id, refusal.error?.code], [1e300, -32_602]);
    // Of this thread, whatever else the machine does.
    const busyMs = (busy.user + busy.system) / 1000;
    assert.ok(busyMs < 3_000, `busy for ${busyMs} ms`);
  });

  it('serves others while a client never reads what it has asked for', async () => {
    rude.socket.pause();
    for (let id = 0; id < 200; id++) rude.socket.send(readFileRequest(id, 'amp/faults/large.txt'));
    for (let i = 0; i < 20; i++) await assertServed(polite);
  });

  it('forgets 500 clients that connect and go', async () => {
    for (let wave = 0; wave < 20; wave++) {
      const clients = await Promise.all(Array.from({ length: 25 }, () => RudeClient.connect(lockfile)));
      for (const [i, { socket }] of clients.entries()) {
        socket.send(readFileRequest(i, 'amp/faults/large.txt'));
        if (i % 2) socket.close();
        else socket.terminate();
      }
      await eventually('all of them gone', () => {
        assert.ok(clients.every(({ socket }) => socket.readyState === WebSocket.CLOSED));
      });
    }
  });

  it('serves requests in binary and in fragmented frames', async () => {
    const request = Buffer.from('{"clientRequest":{"id":"ü","ping":{"message":"ü"}}}');
    const served = { id: 'ü', ping: { message: 'ü' } };
    assert.deepEqual(await rude.answerTo(() => rude.socket.send(request, { binary: true })), served);
    const inFragments = await rude.answerTo(() => {
      for (let i = 0; i < request.length; i++) {
        rude.socket.send(request.subarray(i, i + 1), { binary: false, fin: i === request.length - 1 });
      }
    });
    assert.deepEqual(inFragments, served);
    const noText = await rude.answerTo(() => rude.socket.send(randomBytes(1000), { binary: true }));
    assert.equal(noText.error?.code, -32_700);
  });

  it('refuses what is not JSON, is no request, or has wrong params', async () => {
    for (const [text, code] of [
      ['', -32_700],
      ['{"clientRequest":', -32_700],
      ['[]', -32_600],
      ['{"clientRequest":{"ping":{"message":"x"}}}', -32_600],
      ['{"clientRequest":{"id":1}}', -32_600],
      ['{"clientRequest":{"id":1,"noSuch":{}}}', -32_601],
      ['{"clientRequest":{"id":1,"readFile":{"path":7}}}', -32_602],
      [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, -32_600],
    ] as const) {
      const { error } = await rude.answerTo(() => rude.socket.send(text));
      assert.equal(error?.code, code, text.slice(0, 60));
    }
  });

  it('lets none of 300 guesses of the token in', async () => {
    const guess = (): Promise<string> =>
      new Promise((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${lockfile.port}?auth=${randomBytes(32).toString('hex')}`);
        socket.on('open', () => resolve('let in'));
        socket.on('error', ({ message }) => resolve(message));
      });
    for (let wave = 0; wave < 6; wave++) {
      const outcomes = await Promise.all(Array.from({ length: 50 }, guess));
      assert.deepEqual([...new Set(outcomes)], ['Unexpected server response: 401']);
    }
  });

  it('says in its result what it cannot read', async () => {
    await mkdir(inWorkspace('amp', 'faults', 'folder'));
    const fifo = inWorkspace('amp', 'faults', 'fifo');
    execFileSync('mkfifo', [fifo]);
    const deleted = await writeInWorkspace('amp/faults/deleted.txt', 'x');
    await polite.ask('readFile', { path: deleted });
    await rm(deleted);
    for (const path of [inWorkspace('amp', 'faults', 'folder'), fifo, deleted]) {
      const { success, message } = await polite.ask('readFile', { path });
      assert.equal(success, false, path);
      assert.match(String(message), new RegExp(path));
    }
  });

  it('gives a file of 20 MB, one with CRLF, and one that is not quite UTF-8', async () => {
    const text = 'a line of twenty b\r\n'.repeat(1_000_000);
    const huge = await polite.ask('readFile', { path: await writeInWorkspace('amp/faults/huge.txt', text) });
    assert.ok(huge['content'] === text);
    const crlf = await polite.ask('readFile', { path: await writeInWorkspace('amp/faults/crlf.txt', 'a\r\nb\r\n') });
    assert.equal(crlf['content'], 'a\r\nb\r\n');
    const broken = await writeInWorkspace('amp/faults/broken.txt', Buffer.from([0x61, 0xff, 0x62, 0xc3]));
    const { success, content } = await polite.ask('readFile', { path: broken });
    assert.equal(success, true);
    assert.equal(content, 'a\uFFFDb\uFFFD');
  });

  it('has kept nothing of all that, and serves whoever comes next', async () => {
    const fresh = await AmpClient.connect(await ownLockfile());
    await assertServed(fresh);
    fresh.close();
    await eventually('memory as at first', () => {
      const grownMiB = Math.round((residentBytes() - residentAtFirst) / mebibyte);
      assert.ok(grownMiB < 300, `${grownMiB} MiB more than at first: ${JSON.stringify(process.memoryUsage())}`);
    });
  });

  async function assertServed(client: AmpClient): Promise<void> {
    const { content } = await client.ask('readFile', { path: 'amp/faults/small.txt' });
    assert.equal(content, 'hello\n');
  }
});
