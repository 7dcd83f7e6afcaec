import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as z from 'zod';
import { nullLogger } from '../../../../../src/base/common/log';
import { ThreadWorkerOwner } from '../../../../../src/threads/node/worker/threadWorkerOwner';
import type { WorkerConnection } from '../../../../../src/threads/node/worker/workerConnection';
import { FakeClock } from '../../../../fake/fakeClock';
import { until } from '../../../../support/eventually';

describe('the owner of the worker of threads', () => {
  let folder: string;
  let clock: FakeClock;
  let owner: ThreadWorkerOwner;
  const workerFile = (): string => path.join(folder, 'worker.js');
  /** How many workers were started. */
  const starts = (): number => readFileSync(path.join(folder, 'starts'), 'utf8').length;
  /** `raw` of the entry `die` ends the worker, of `wait` is never answered, of any other says how many workers there were. */
  const ask = (connection: WorkerConnection, entryId = ''): Promise<number> =>
    connection.sendRequest({ method: 'raw', thread: 1, entryId }, z.number());

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'backline-owner-'));
    clock = new FakeClock();
    appendFileSync(path.join(folder, 'starts'), '');
    writeFileSync(
      workerFile(),
      `const fs = require('node:fs');
      const { parentPort } = require('node:worker_threads');
      const starts = ${JSON.stringify(path.join(folder, 'starts'))};
      fs.appendFileSync(starts, 'x');
      const count = fs.readFileSync(starts, 'utf8').length;
      parentPort.on('message', ({ id, request }) => {
        if (request.entryId === 'die') process.exit(7);
        if (request.entryId === 'wait' && count === 1) return;
        parentPort.postMessage({ kind: 'done', id, value: count });
      });`,
    );
    owner = new ThreadWorkerOwner({ workerFile: workerFile(), clock, log: nullLogger });
  });
  afterEach(() => {
    owner.dispose();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  });

  it('starts no worker before it is asked, and one for all who ask', async () => {
    assert.equal(starts(), 0);
    assert.deepEqual(await Promise.all([owner.runWithWorker(ask), owner.runWithWorker(ask)]), [1, 1]);
  });

  it('ends it when nobody has asked for a minute, and starts another one for the next', async () => {
    await owner.runWithWorker(ask);
    clock.advance(59_999);
    assert.equal(await owner.runWithWorker(ask), 1);
    clock.advance(60_000);
    assert.equal(await owner.runWithWorker(ask), 2);
  });

  it('leaves it alone while somebody needs what it has in memory', async () => {
    const holding = owner.keepAlive();
    await owner.runWithWorker(ask);
    clock.advance(3_600_000);
    assert.equal(await owner.runWithWorker(ask), 1);
    holding.dispose();
    clock.advance(60_000);
    assert.equal(await owner.runWithWorker(ask), 2);
  });

  it('starts another one when it has ended, later and later when none of them answers', async () => {
    const die = (): Promise<number> => owner.runWithWorker((connection) => ask(connection, 'die'));
    await assert.rejects(die(), { code: 'unreadable', message: /exited with code 7/ });
    await assert.rejects(die(), { code: 'unreadable' });
    assert.equal(starts(), 2);
    const third = owner.runWithWorker(ask);
    await until('the pause', () => clock.pending === 1);
    clock.advance(249);
    assert.equal(starts(), 2);
    clock.advance(1);
    assert.equal(await third, 3);
    await assert.rejects(die());
    assert.equal(await owner.runWithWorker(ask), 4);
  });

  it('asks once more when it was asked something else as well, which may have ended it', async () => {
    const waiting = owner.runWithWorker((connection) => ask(connection, 'wait'));
    await assert.rejects(owner.runWithWorkerOnce((connection) => ask(connection, 'die')));
    assert.equal(await waiting, 2);
  });

  it('refuses in words what comes after the end, and what waits for a worker then', async () => {
    for (let time = 0; time < 2; time++)
      await assert.rejects(owner.runWithWorkerOnce((connection) => ask(connection, 'die')));
    const waiting = owner.runWithWorker(ask);
    await until('the pause', () => clock.pending === 1);
    owner.dispose();
    await assert.rejects(waiting, { code: 'cancelled' });
    await assert.rejects(owner.runWithWorker(ask), { code: 'cancelled' });
    assert.equal(clock.pending, 0);
  });
});
