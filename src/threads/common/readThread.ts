import { wrongShape, type ReadFrom } from './heads';
import { mapThread, type MappedThread } from './mapping/mapThread';
import { ThreadDocument } from './schema';
import { ThreadError } from './threadPorts';

/**
 * A whole thread, of parsed JSON. `previous` is the reading before, of the same thread.
 * @throws ThreadError `unreadable` for JSON that is no thread.
 */
export function readThread(json: unknown, from: ReadFrom, previous?: MappedThread): MappedThread {
  const document = ThreadDocument.safeParse(json).data;
  if (!document) throw new ThreadError('unreadable', wrongShape);
  return mapThread(document, from, previous);
}
