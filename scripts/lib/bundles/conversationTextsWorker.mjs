import { workerBundle } from './workerBundle.mjs';

/** The program of the workers that search the texts of conversations. */
export function conversationTextsWorkerBundle() {
  return workerBundle({ 'conversation-texts-worker': 'src/chat/node/search/textSearchWorkerMain.ts' });
}
