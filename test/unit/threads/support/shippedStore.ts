import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { ampPaths } from '../../../../src/threads/node/ampFolder/ampData';
import { LocalThreadSource } from '../../../../src/threads/node/localThreadSource';
import { OwnIndex } from './indexBench';
import { ReaderHere } from './readerHere';
import type { ThreadFolder } from './threadFolder';

/** The threads of the folder as they ship, listed by the index in a worker; not yet watched. Dispose it. */
export function shippedStore(folder: ThreadFolder, workerFile: string): LocalThreadSource {
  const ports = { clock: systemClock, log: nullLogger };
  const index = new OwnIndex({ folder: path.join(folder.home, 'index'), workerFile, ...ports });
  return new LocalThreadSource({ paths: ampPaths({}, folder.home), index, reader: new ReaderHere(), ...ports });
}
