import { parentPort, workerData } from 'node:worker_threads';
import { workerStart } from '../providerWorkerMessages';
import { ModuleLoadGuard } from './loadGuard';
import { installModuleHooks } from './moduleHooks';
import { ProviderWorker } from './providerWorker';

/** Entry point of a worker. It runs one provider and answers the requests that arrive on its port. */

const memoryMs = 5_000;

const port = parentPort;
if (!port) throw new Error('This is the program of a worker. Start it as one.');
const start = workerStart.parse(workerData);
const guard = start.isGuarded ? new ModuleLoadGuard() : undefined;
const worker = new ProviderWorker(start, guard, (message, transfer = []) => port.postMessage(message, transfer));
installModuleHooks({ folder: start.folder, guard, onFile: (url) => worker.recordLoadedFile(url) });
// Uncaught errors of the provider are reported, and the worker continues.
process.on('unhandledRejection', (thrown) => worker.reportUncaught(thrown));
process.on('uncaughtException', (thrown) => worker.reportUncaught(thrown));
setInterval(() => worker.reportMemory(), memoryMs).unref();
port.on('message', (message: unknown) => void worker.handleMessage(message));
