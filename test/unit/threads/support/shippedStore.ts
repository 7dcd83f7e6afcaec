import * as path from 'node:path';
import type { Clock } from '../../../../src/base/common/async';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { ampPlaces } from '../../../../src/threads/node/ampFolder/ampData';
import { ThreadIndex } from '../../../../src/threads/node/index/threadIndex';
import { IndexedStore } from '../../../../src/threads/node/indexedStore';
import { ReaderHere } from './readerHere';
import type { ThreadFolder } from './threadFolder';

/** The threads of the folder as they ship, listed by the index in a worker; not yet watched. Dispose it. */
export function shippedStore(folder: ThreadFolder, workerFile: string, clock: Clock = systemClock): IndexedStore {
  const index = path.join(folder.home, 'index');
  return new IndexedStore({
    places: ampPlaces({}, folder.home),
    index: new ThreadIndex({ folder: index, workerFile, clock: systemClock, log: nullLogger }),
    reader: new ReaderHere(),
    clock,
    log: nullLogger,
  });
}
