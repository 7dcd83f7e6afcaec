import { parentPort, workerData } from 'node:worker_threads';
import { workerStart } from '../providerWorkerMessages';
import { LoadGuard } from './loadGuard';
import { installModuleHooks } from './moduleHooks';
import { ProviderWorker } from './providerWorker';

/** The program of a worker: one provider, asked over the port. */

/** How often memory is looked at between answers. */
const memoryMs = 5_000;

const port = parentPort;
if (!port) throw new Error('This is the program of a worker. Start it as one.');
const start = workerStart.parse(workerData);
const guard = start.isGuarded ? new LoadGuard() : undefined;
const worker = new ProviderWorker(start, guard, (message, transfer = []) => port.postMessage(message, transfer));
installModuleHooks({ folder: start.folder, guard, onFile: (url) => worker.noteFile(url) });
// What a provider forgot to catch is told, and is no reason to end what works.
process.on('unhandledRejection', (thrown) => worker.trouble(thrown));
process.on('uncaughtException', (thrown) => worker.trouble(thrown));
setInterval(() => worker.tellMemory(), memoryMs).unref();
port.on('message', (message: unknown) => void worker.handle(message));
