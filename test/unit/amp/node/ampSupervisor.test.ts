import assert from 'node:assert/strict';
import type { FailureCounts } from '../../../../src/amp/common/failureRateMonitor';
import { AmpSupervisor, type SupervisedServer } from '../../../../src/amp/node/ampSupervisor';
import { Emitter } from '../../../../src/base/common/event';
import { nullLogger } from '../../../../src/base/common/log';
import type { PortRange } from '../../../../src/platform/common/settings';

class FakeServer implements SupervisedServer {
  port: number | undefined;
  clients: unknown[] = [];
  isDisposed = false;
  startError: Error | undefined;
  stopError: Error | undefined;
  readonly prompts: string[] = [];
  readonly changed = new Emitter<void>((error) => assert.fail(String(error)));
  readonly onDidChangeStatus = this.changed.event;
  failureCountsIfFailing: FailureCounts | undefined;

  constructor(readonly range: PortRange) {}

  async start(): Promise<void> {
    await Promise.resolve();
    if (this.startError) throw this.startError;
    this.port = this.range.first;
  }

  async stop(): Promise<void> {
    await Promise.resolve();
    this.port = undefined;
    if (this.stopError) throw this.stopError;
  }

  appendToPrompt(message: string): number {
    return this.prompts.push(message);
  }

  dispose(): void {
    this.isDisposed = true;
  }
}

describe('the supervisor of the Amp server', () => {
  let servers: FakeServer[];
  let wanted: PortRange | undefined;
  let startError: Error | undefined;
  let changes: string[];
  let supervisor: AmpSupervisor;

  const live = (): FakeServer[] => servers.filter((server) => !server.isDisposed);

  beforeEach(() => {
    [servers, wanted, startError, changes] = [[], { first: 8000, last: 8100 }, undefined, []];
    supervisor = new AmpSupervisor({
      desiredPortRange: () => wanted,
      createServer: (range) => {
        const server = new FakeServer(range);
        server.startError = startError;
        servers.push(server);
        return server;
      },
      onDidChangeState: () => changes.push(supervisor.status.kind),
      log: nullLogger,
    });
  });

  it('serves when asked to, and says so', async () => {
    await supervisor.syncWithSettings();
    assert.deepEqual(supervisor.status, { kind: 'serving', port: 8000, clientCount: 0 });
    assert.deepEqual(changes, ['starting', 'serving']);
  });

  it('keeps the server if its settings have not changed', async () => {
    await supervisor.syncWithSettings();
    await supervisor.syncWithSettings();
    assert.equal(servers.length, 1);
  });

  it('ends the server when it is switched off, and starts one when it is switched on again', async () => {
    await supervisor.syncWithSettings();
    wanted = undefined;
    await supervisor.syncWithSettings();
    assert.deepEqual([supervisor.status, live().length], [{ kind: 'off' }, 0]);
    wanted = { first: 9000, last: 9000 };
    await supervisor.syncWithSettings();
    assert.deepEqual(supervisor.status, { kind: 'serving', port: 9000, clientCount: 0 });
  });

  it('has one server, of the newest range, after a burst of changes', async () => {
    const all = [supervisor.syncWithSettings()];
    for (const first of [1, 2, 3, 4]) {
      wanted = { first, last: 9999 };
      all.push(supervisor.syncWithSettings());
    }
    await Promise.all(all);
    assert.deepEqual(supervisor.status, { kind: 'serving', port: 4, clientCount: 0 });
    assert.deepEqual([live().length, servers.length <= 2], [1, true]);
  });

  it('starts a new server on restart, even when the old one does not end well', async () => {
    await supervisor.syncWithSettings();
    const [old] = servers;
    assert.ok(old);
    old.stopError = new Error('no');
    await supervisor.restart();
    assert.deepEqual([old.isDisposed, live().length, supervisor.status.kind], [true, 1, 'serving']);
  });

  it('explains why a server could not start, leaves none behind, and can try again', async () => {
    startError = new Error('Make /x a folder that you can write to.');
    await supervisor.syncWithSettings();
    assert.deepEqual(supervisor.status, { kind: 'failed', message: startError.message });
    assert.equal(live().length, 0);
    startError = undefined;
    await supervisor.restart();
    assert.equal(supervisor.status.kind, 'serving');
  });

  it('counts clients as they come', async () => {
    await supervisor.syncWithSettings();
    const [server] = servers;
    assert.ok(server);
    server.clients.push('a client');
    server.changed.fire();
    assert.deepEqual(supervisor.status, { kind: 'serving', port: 8000, clientCount: 1 });
    assert.equal(changes.length, 3);
  });

  it('reports failing requests and their recovery', async () => {
    await supervisor.syncWithSettings();
    const [server] = servers;
    assert.ok(server);
    server.failureCountsIfFailing = { failedCount: 3, totalCount: 4 };
    server.changed.fire();
    assert.deepEqual(supervisor.status, {
      kind: 'serving',
      port: 8000,
      clientCount: 0,
      failureCounts: server.failureCountsIfFailing,
    });
    server.failureCountsIfFailing = undefined;
    server.changed.fire();
    assert.deepEqual(supervisor.status, { kind: 'serving', port: 8000, clientCount: 0 });
    assert.equal(changes.length, 4);
  });

  it('passes prompts on to the server, if there is one', async () => {
    assert.equal(supervisor.appendToPrompt('@a.ts'), 0);
    await supervisor.syncWithSettings();
    assert.equal(supervisor.appendToPrompt('@a.ts'), 1);
    assert.deepEqual(servers[0]?.prompts, ['@a.ts']);
  });

  it('leaves nothing when it is stopped while a server starts, and starts nothing afterwards', async () => {
    const starting = supervisor.syncWithSettings();
    await supervisor.stop();
    await starting;
    await supervisor.restart();
    assert.deepEqual([live().length, supervisor.status.kind], [0, 'off']);
  });
});
