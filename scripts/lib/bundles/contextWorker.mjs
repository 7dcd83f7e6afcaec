import { workerBundle } from './workerBundle.mjs';

/** The program of the workers that context providers run in. */
export function contextWorkerBundle() {
  return workerBundle({ 'context-worker': 'src/context/node/worker/contextWorkerMain.ts' });
}
