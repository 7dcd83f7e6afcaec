import { tmpdir } from 'node:os';
import type { Clock } from '../../base/common/async';
import type { Logger } from '../../base/common/log';
import { ThreadLibrary } from '../common/threadLibrary';
import { AmpCli } from './cli/ampCli';
import type { AmpPlaces } from './ampFolder/ampData';
import { CliSource } from './cli/cliSource';
import { ExportedFiles } from './exportedFiles';
import { ThreadIndex } from './index/threadIndex';
import { LocalThreadSource } from './localThreadSource';
import { PrivateFolder } from './cli/privateFolder';
import { commandRunner, type Command } from './cli/runCommand';
import { ThreadWorkerOwner } from './worker/threadWorkerOwner';
import { WorkerThreadReader } from './worker/workerThreadReader';

interface AmpThreadsOptions {
  readonly places: AmpPlaces;
  /** More folders with threads, absolute, as the settings have them now. */
  readonly moreFolders: () => readonly string[];
  /** The amp CLI; undefined when there is none on this machine. */
  readonly findCommand: () => Promise<Command | undefined>;
  /** Where the index is kept, absolute. */
  readonly indexFolder: string;
  /** `dist/thread-index-worker.js`, absolute. */
  readonly workerFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface AmpThreads {
  /** Of all sources; disposing it disposes them. */
  readonly library: ThreadLibrary;
  readonly local: LocalThreadSource;
  readonly files: ExportedFiles;
  readonly account: CliSource;
}

/** The sources of Amp's threads, joined. Nothing is read, watched or asked before the library is. */
export function ampThreads(options: AmpThreadsOptions): AmpThreads {
  const { places, moreFolders, findCommand, indexFolder, workerFile, clock, log } = options;
  const worker = new ThreadWorkerOwner({ workerFile, clock, log });
  const reader = new WorkerThreadReader({ worker, clock });
  const index = new ThreadIndex({ folder: indexFolder, worker, clock, log });
  const local = new LocalThreadSource({ places, index, reader, clock, log });
  const files = new ExportedFiles({ reader, clock, log });
  const folder = new PrivateFolder(tmpdir());
  const account = new CliSource({
    cli: new AmpCli(findCommand, commandRunner(clock), folder),
    reader,
    clock,
    log,
    folder,
  });
  const library = new ThreadLibrary({
    sources: [files, local, account],
    owned: [reader, worker],
    begin: () => local.use(moreFolders()),
    look: () => account.activate(),
    clock,
    log,
  });
  return { library, local, files, account };
}
