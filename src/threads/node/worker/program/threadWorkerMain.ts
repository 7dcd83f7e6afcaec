import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../../../base/node/systemClock';
import { ThreadWorker } from './threadWorker';

/** The program of the workers that read threads. */

const port = parentPort;
if (!port) throw new Error('This is the program of a worker. Start it as one.');
const worker = new ThreadWorker(systemClock, (message) => port.postMessage(message));
port.on('message', (message: unknown) => void worker.handle(message));
