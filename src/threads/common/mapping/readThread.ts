import { wrongShape } from '../heads/heads';
import type { ReadFrom } from '../threadReader';
import { readExport } from './exportedThread';
import { mapThread, type MappedThread } from './mapThread';
import { ThreadDocument } from '../model/threadSchema';
import { ThreadError } from '../threadPorts';

/**
 * A whole thread, of parsed JSON: a document of Amp, or what Backline exported. `previous` is the reading before, of the same thread.
 * @throws ThreadError `unreadable` for JSON that is no thread.
 */
export function readThread(json: unknown, from: ReadFrom, previous?: MappedThread): MappedThread {
  const document = ThreadDocument.safeParse(json).data;
  if (document) return mapThread(document, from, previous);
  const exported = readExport(json, from, previous);
  if (!exported) throw new ThreadError('unreadable', wrongShape);
  return exported;
}
