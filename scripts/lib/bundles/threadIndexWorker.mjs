import { workerBundle } from './workerBundle.mjs';

/** The program of the workers that read Amp's threads. */
export function threadIndexWorkerBundle() {
  return workerBundle({ 'thread-index-worker': 'src/threads/node/worker/program/threadWorkerMain.ts' });
}
