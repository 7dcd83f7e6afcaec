import { notThreadProblem } from '../heads/heads';
import type { DocumentOrigin } from '../threadReader';
import { mapExport } from './exportedThread';
import { mapThread, type MappedThread } from './mapThread';
import { ThreadDocument } from '../model/threadSchema';
import { ThreadError } from '../threadPorts';

/**
 * Maps parsed JSON, which is a document of Amp or an export of Backline. `previous` is the previous read of the same
 * thread.
 * @throws ThreadError `unreadable` for other JSON
 */
export function mapThreadJson(json: unknown, from: DocumentOrigin, previous?: MappedThread): MappedThread {
  const document = ThreadDocument.safeParse(json).data;
  if (document) return mapThread(document, from, previous);
  const exported = mapExport(json, from, previous);
  if (!exported) throw new ThreadError('unreadable', notThreadProblem);
  return exported;
}
