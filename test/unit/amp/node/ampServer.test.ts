import * as assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { WebSocket } from 'ws';
import { AmpServer } from '../../../../src/amp/node/ampServer';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { disabledTrafficTap, TrafficLog } from '../../../../src/wire/common/traffic';
import { FakeEditor } from '../../../fake/fakeEditor';
import { nobodyToAsk } from '../../../fake/nobodyToAsk';
import { eventually } from '../../../support/eventually';
import { AmpHarness } from './support/ampHarness';
import { readLockfiles } from './support/readLockfiles';

describe('AmpServer', () => {
  let harness: AmpHarness | undefined;
  const start = async (...args: Parameters<typeof AmpHarness.start>): Promise<AmpHarness> =>
    (harness = await AmpHarness.start(...args));

  afterEach(async () => {
    await harness?.close();
    harness = undefined;
  });

  describe('its lockfile', () => {
    it('exists after the start, and has the fields of both dialects', async () => {
      const { server, lockfileFolder, token } = await start();
      assert.deepEqual(await readLockfiles(lockfileFolder), [
        {
          port: server.port,
          authToken: token,
          pid: process.pid,
          workspaceFolders: ['/ws'],
          ideName: 'Visual Studio Code',
        },
      ]);
      assert.match(token, /^[0-9a-f]{64}$/u);
    });

    it('is there before the next turn of the event loop, in which other extensions would start', async () => {
      const folder = await mkdtemp(path.join(tmpdir(), 'backline-turn-'));
      const server = newServer(path.join(folder, 'amp', 'ide'));
      let hasTurned = false;
      const turn = setImmediate(() => {
        hasTurned = true;
      });
      try {
        await server.start();
        assert.equal(hasTurned, false);
        assert.equal((await readLockfiles(path.join(folder, 'amp', 'ide'))).length, 1);
      } finally {
        clearImmediate(turn);
        await server.stop();
        await rm(folder, { recursive: true });
      }
    });

    it('is rewritten when the workspace folders change', async () => {
      const { editor, lockfileFolder, token } = await start();
      editor.setFolders('/ws', '/two with ü');
      await eventually('the other lockfile', async () => {
        const [lockfile] = await readLockfiles(lockfileFolder);
        assert.deepEqual(lockfile?.workspaceFolders, ['/ws', '/two with ü']);
        assert.equal(lockfile.authToken, token);
      });
    });

    it('is removed after the stop, also if folders changed at the last moment', async () => {
      const { editor, server, lockfileFolder } = await start();
      editor.setFolders('/late');
      await server.stop();
      assert.deepEqual(await readLockfiles(lockfileFolder), []);
    });

    it('is removed immediately on dispose', async () => {
      const { server, lockfileFolder } = await start();
      server.dispose();
      assert.deepEqual(await readdir(lockfileFolder), []);
    });
  });

  describe('its port', () => {
    it('is the first free one of the range', async () => {
      const [range, release] = await blockTwoPorts();
      try {
        const { server } = await start(undefined, { portRange: range });
        assert.equal(server.port, range.first + 2);
      } finally {
        await release();
      }
    });

    it('is any free one when the range is full', async () => {
      const [range, release] = await blockTwoPorts();
      try {
        const { server } = await start(undefined, { portRange: { first: range.first, last: range.first + 1 } });
        assert.ok(server.port !== undefined && (server.port < range.first || server.port > range.first + 1));
      } finally {
        await release();
      }
    });

    it('is not one that another live editor has announced, although it is free', async () => {
      const [range, release] = await blockTwoPorts();
      const folder = await mkdtemp(path.join(tmpdir(), 'backline-taken-'));
      const taken = path.join(folder, `${range.first + 2}.json`);
      const theirs = JSON.stringify({
        port: range.first + 2,
        authToken: 'theirs',
        pid: process.ppid,
        workspaceFolders: [],
        ideName: 'nvim',
      });
      await writeFile(taken, theirs);
      const server = newServer(folder, range);
      try {
        await server.start();
        assert.equal(server.port, range.first + 3);
        await server.stop();
        assert.equal(await readFile(taken, 'utf8'), theirs);
      } finally {
        server.dispose();
        await release();
        await rm(folder, { recursive: true });
      }
    });
  });

  it('serves two windows side by side, each with a token of its own', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'backline-two-'));
    const servers = [newServer(folder), newServer(folder)];
    try {
      await Promise.all(servers.map((server) => server.start()));
      const lockfiles = await readLockfiles(folder);
      assert.equal(new Set(lockfiles.map(({ port }) => port)).size, 2);
      assert.equal(new Set(lockfiles.map(({ authToken }) => authToken)).size, 2);
      await servers[0]?.stop();
      assert.equal((await readLockfiles(folder)).length, 1);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
      await rm(folder, { recursive: true });
    }
  });

  it('leaves nothing behind when it cannot write its lockfile, and says what to do', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'backline-blocked-'));
    await writeFile(path.join(folder, 'amp'), 'a file where the folder should be');
    const server = newServer(path.join(folder, 'amp', 'ide'));
    try {
      await assert.rejects(server.start(), /Make sure that you own .*amp.*ide and can write to it/u);
      assert.equal(server.port, undefined);
      await assertNothingListens();
    } finally {
      await server.stop();
      await rm(folder, { recursive: true });
    }
  });

  it('stops listening if the lockfile cannot be written', async () => {
    const [range, release] = await blockTwoPorts();
    const folder = await mkdtemp(path.join(tmpdir(), 'backline-blocked-'));
    await mkdir(path.join(folder, `${range.first + 2}.json`));
    const server = newServer(folder, range);
    try {
      await assert.rejects(server.start(), /Make sure that you own .* and can write to it/u);
      await release();
      await assertNothingListens();
      assert.deepEqual(await readdir(folder), [`${range.first + 2}.json`]);
    } finally {
      await server.stop();
      await rm(folder, { recursive: true });
    }
  });

  it('can be stopped before, while and after it starts', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'backline-stop-'));
    try {
      const never = newServer(folder);
      await never.stop();
      await never.stop();

      const early = newServer(folder);
      const starting = early.start();
      await early.stop();
      await assert.rejects(starting, /stopped while it was starting/u);

      const disposed = newServer(folder);
      const startingToo = disposed.start();
      await mkdir(path.join(folder, 'x'));
      disposed.dispose();
      await startingToo.catch(() => undefined);
      assert.deepEqual(await readdir(folder), ['x']);
      await assertNothingListens();
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('knows its clients', async () => {
    const { server } = await start();
    let changes = 0;
    server.onDidChangeStatus(() => changes++);
    assert.deepEqual(server.clients, []);
    const client = await harness?.connect();
    await client?.ask('ping', { message: 'x' });
    assert.deepEqual(
      server.clients.map(({ id }) => id),
      [1],
    );
    const changed = new Promise<void>((resolve) => server.onDidChangeStatus(() => resolve()));
    client?.socket.close();
    await changed;
    assert.deepEqual(server.clients, []);
    assert.equal(changes, 2);
  });

  it('reports that no files are visible, then closes with code 1001', async () => {
    const editor = new FakeEditor({ '/ws/a.ts': '' });
    editor.select('/ws/a.ts');
    const { server, connect } = await startWithConnect(editor);
    const client = await connect();
    await client.until(() => client.newest('selectionDidChange'));
    await server.stop();
    assert.equal((await client.closed).code, 1001);
    assert.deepEqual(client.newest('visibleFilesDidChange'), { uris: [] });
    assert.deepEqual(Object.keys(client.notifications.at(-1) ?? {}), ['visibleFilesDidChange', 'method']);
  });

  it('sends prompts to every client and counts them', async () => {
    const { server, connect } = await startWithConnect();
    assert.equal(server.appendToPrompt('nobody'), 0);
    const clients = [await connect(), await connect()];
    await Promise.all(clients.map((client) => client.ask('ping', { message: 'x' })));
    assert.equal(server.appendToPrompt('@a.ts#L1-2'), 2);
    for (const client of clients) {
      await client.until(() => client.newest('appendToPrompt'));
      assert.deepEqual(client.newest('appendToPrompt'), { message: '@a.ts#L1-2' });
    }
  });

  it('sends no prompts to the newer CLI, which would drop them and say nothing', async () => {
    const { server, token } = await start();
    const newer = new WebSocket(`ws://127.0.0.1:${server.port}?auth=${token}`, { headers: { 'user-agent': 'undici' } });
    await once(newer, 'open');
    const older = await harness?.connect();
    await older?.ask('ping', { message: 'x' });
    assert.deepEqual(new Set(server.clients.map(({ mayReadPrompts }) => mayReadPrompts)), new Set([false, true]));
    assert.equal(server.appendToPrompt('@a.ts'), 1);
    newer.terminate();
  });

  it('reports messages, without their contents, while the tap is open', async () => {
    const traffic = new TrafficLog(
      () => 0,
      100,
      () => undefined,
    );
    const { connect } = await startWithConnect(new FakeEditor({ '/ws/a.ts': 'ü' }), traffic);
    const client = await connect();
    await client.ask('ping', { message: 'not recorded' });
    const watching = traffic.startRecording();
    await client.ask('readFile', { path: 'none.ts' });
    await client.askDocument('readFile', { path: 'none.ts' });
    await client.ask('ping', { message: 'ü' });
    const seen = traffic.recordedEntries.map(({ direction, method, peer, error }) => [direction, method, peer, error]);
    assert.deepEqual(seen, [
      ['in', 'readFile', 'client 1', undefined],
      ['out', 'readFile', 'client 1', undefined],
      ['in', 'readFile', 'client 1', undefined],
      ['out', 'readFile', 'client 1', -32_602],
      ['in', 'ping', 'client 1', undefined],
      ['out', 'ping', 'client 1', undefined],
    ]);
    const answer = '{"serverResponse":{"id":"4","ping":{"message":"ü"}}}';
    assert.equal(traffic.recordedEntries.at(-1)?.bytes, Buffer.byteLength(answer));
    watching.dispose();
  });

  async function startWithConnect(
    editor?: FakeEditor,
    traffic = disabledTrafficTap,
  ): Promise<{ server: AmpServer; connect: AmpHarness['connect'] }> {
    const started = await start(editor, { traffic });
    return { server: started.server, connect: () => started.connect() };
  }
});

function newServer(lockfileFolder: string, portRange = { first: 1, last: 0 }): AmpServer {
  const editor = new FakeEditor();
  return new AmpServer({
    editor,
    protectedEdits: nobodyToAsk(editor),
    policy: () => ({}),
    log: nullLogger,
    clock: systemClock,
    traffic: disabledTrafficTap,
    portRange,
    lockfileFolders: [lockfileFolder],
    ideName: 'Visual Studio Code',
    pid: process.pid,
    version: '1.2.3',
  });
}

/** Whatever this process listened on is closed; a handle that is being closed takes a few turns of the loop to go. */
async function assertNothingListens(): Promise<void> {
  const listening = (): string[] => process.getActiveResourcesInfo().filter((kind) => kind === 'TCPServerWrap');
  await eventually('nothing listens', () => assert.deepEqual(listening(), []));
}

/** A range of free ports but for the first two, which this process holds until `release`. */
async function blockTwoPorts(): Promise<[range: { first: number; last: number }, release: () => Promise<void>]> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    const servers = Array.from({ length: 4 }, () => createServer());
    const bound = await Promise.all(
      servers.map(async (server, i) => {
        server.listen(first + i, '127.0.0.1');
        return await once(server, 'listening').then(
          () => true,
          () => false,
        );
      }),
    );
    const close = async (some: typeof servers): Promise<void> => {
      await Promise.all(some.map((server) => new Promise((resolve) => server.close(resolve))));
    };
    if (bound.every(Boolean)) {
      await close(servers.slice(2));
      return [{ first, last: first + 9 }, () => close(servers.slice(0, 2))];
    }
    await close(servers);
  }
  throw new Error('No four free ports in a row were found.');
}
