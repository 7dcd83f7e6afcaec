import './interpretedSchemas';
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../../../base/node/systemClock';
import { ThreadWorker } from './threadWorker';

/** Entry point of the worker that reads threads. */

const port = parentPort;
if (!port) throw new Error('This program must run in a worker thread.');
const worker = new ThreadWorker(systemClock, (message) => port.postMessage(message));
port.on('message', (message: unknown) => void worker.handleMessage(message));
