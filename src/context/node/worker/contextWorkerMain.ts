import { AsyncLocalStorage } from 'node:async_hooks';
import { MessagePort, workerData } from 'node:worker_threads';
import type { ProviderWorkerBatch, WorkerStart } from '../providerWorkerMessages';
import { RunningProviderNote } from '../workers/runningProviderNote';
import { ModuleFileOwners } from './moduleFileOwners';
import { GlobalsSnapshot } from './globalsSnapshot';
import { ModuleLoadGuard } from './loadGuard';
import { installModuleHooks } from './moduleHooks';
import { insertOutputMarks } from './outputMarks';
import { ProviderWorker } from './providerWorker';
import { watchRequires } from './requireWatch';

/** Entry point of a worker. It runs providers and answers the requests that arrive on its port. */

const memoryMs = 5_000;

const { port, note: memory, isShared, isCareful, isGuarded, folder } = readWorkerStart(workerData);
const note = new RunningProviderNote(memory);
/** The provider whose code runs, also in its timers and promises. */
const context = new AsyncLocalStorage<number>();
const guard = isGuarded ? new ModuleLoadGuard() : undefined;
const owners = isShared ? new ModuleFileOwners() : undefined;
const providerNow = (): number | undefined => context.getStore() ?? worker.loadingProvider;
// Uncaught errors of the provider are reported, and the worker continues.
process.on('unhandledRejection', (thrown) => worker.reportUncaught(thrown, providerNow()));
process.on('uncaughtException', (thrown) => worker.reportUncaught(thrown, providerNow()));
recordExits();
if (isShared) insertOutputMarks(providerNow);
const worker = new ProviderWorker({
  note,
  guard,
  runAs: (provider, work) => context.run(provider, work),
  // Created only now, because the lines above change globals.
  globals: isShared ? new GlobalsSnapshot() : undefined,
  isCareful,
  post: (messages, transfer) => port.postMessage(messages, transfer),
});
const ownerOf = (url: string | undefined): number | undefined => owners?.ownerOf(url) ?? providerNow();
installModuleHooks({
  folder,
  guard,
  onResolve: recordFile,
  onFile: (url) => worker.recordLoadedFile(url, ownerOf(url)),
});
if (isShared) watchRequires(recordFile);
setInterval(() => worker.reportMemory(), memoryMs).unref();
note.recordHeartbeat();
port.on('message', (batch: ProviderWorkerBatch) => worker.handleBatch(batch));

function recordFile(url: string, importer: string | undefined): void {
  const provider = ownerOf(importer);
  if (provider === undefined || !owners) return;
  try {
    owners.record(url, provider);
  } catch (error) {
    worker.reportSharedFile(provider);
    throw error;
  }
}

/** Removes the port and the shared memory from `workerData`, where providers could find them. */
function readWorkerStart(data: unknown): WorkerStart {
  if (!isWorkerStart(data)) throw new Error('This is the program of a worker. Start it as one.');
  const start = { ...data };
  for (const key of Object.keys(data)) Reflect.deleteProperty(data, key);
  return start;
}

function isWorkerStart(data: unknown): data is WorkerStart {
  return typeof data === 'object' && data !== null && 'port' in data && data.port instanceof MessagePort;
}

function recordExits(): void {
  const exit = process.exit.bind(process);
  process.exit = (code) => {
    note.recordExit(providerNow());
    return exit(code);
  };
}
