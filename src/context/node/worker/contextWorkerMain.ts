import { AsyncLocalStorage } from 'node:async_hooks';
import { MessagePort, workerData } from 'node:worker_threads';
import type { ProviderWorkerBatch, WorkerStart } from '../providerWorkerMessages';
import { WorkerProgress } from '../workers/workerProgress';
import { ModuleLoadGuard } from './loadGuard';
import { installModuleHooks } from './moduleHooks';
import { insertOutputMarks } from './outputMarks';
import { ProviderWorker } from './providerWorker';

/** Entry point of a worker. It runs providers and answers the requests that arrive on its port. */

const memoryMs = 5_000;

const { port, progress: memory, isShared, isGuarded, folder } = readWorkerStart(workerData);
const progress = new WorkerProgress(memory);
/** The provider whose code runs, also in its timers and promises. */
const context = new AsyncLocalStorage<number>();
const guard = isGuarded ? new ModuleLoadGuard() : undefined;
const providerNow = (): number | undefined => context.getStore() ?? worker.loadingProvider;
// Uncaught errors of the provider are reported, and the worker continues.
process.on('unhandledRejection', (thrown) => worker.reportUncaught(thrown, providerNow()));
process.on('uncaughtException', (thrown) => worker.reportUncaught(thrown, providerNow()));
if (isShared) insertOutputMarks(providerNow);
const worker = new ProviderWorker({
  progress,
  guard,
  runAs: (provider, work) => context.run(provider, work),
  post: (messages, transfer) => port.postMessage(messages, transfer),
});
installModuleHooks({ folder, guard, onFile: (url) => worker.recordLoadedFile(url, providerNow()) });
setInterval(() => worker.reportMemory(), memoryMs).unref();
progress.recordHeartbeat();
port.on('message', (batch: ProviderWorkerBatch) => worker.handleBatch(batch));

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
