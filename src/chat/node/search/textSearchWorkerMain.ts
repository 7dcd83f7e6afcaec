import { parentPort, workerData } from 'node:worker_threads';
import type * as z from 'zod/mini';
import { messageOf } from '../../../base/common/errors';
import { NodeFiles } from '../../../base/node/filePort';
import { systemClock } from '../../../base/node/systemClock';
import { ConversationIndexer } from './conversationIndexer';
import { TextSearchCall, TextSearchPlace, type TextSearchAnswer } from './textSearch';

/** Entry point of the worker that reads and searches the texts of conversations. */

const port = parentPort;
if (!port) throw new Error('This program must run in a worker thread.');
const post = (answer: z.infer<typeof TextSearchAnswer> | { readonly warning: string }): void =>
  port.postMessage(answer);
const indexer = new ConversationIndexer({
  ...TextSearchPlace.parse(workerData),
  files: new NodeFiles(),
  clock: systemClock,
  warn: (warning) => post({ warning }),
});
port.on('message', (message: unknown) => void answer(message));

async function answer(message: unknown): Promise<void> {
  const { id, query } = TextSearchCall.parse(message);
  try {
    if (query !== undefined) post({ id, found: await indexer.search(query) });
    else {
      await indexer.update();
      post({ id });
    }
  } catch (error) {
    post({ id, error: messageOf(error) });
  }
}
