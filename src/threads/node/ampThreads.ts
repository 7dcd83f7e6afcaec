import { tmpdir } from 'node:os';
import type { Clock } from '../../base/common/async';
import type { Logger } from '../../base/common/log';
import { ThreadLibrary } from '../common/threadLibrary';
import { AmpCli } from './cli/ampCli';
import type { AmpPaths } from './ampFolder/ampData';
import { CliSource } from './cli/cliSource';
import { OpenedFileSource } from './openedFileSource';
import { ThreadIndex } from './index/threadIndex';
import { LocalThreadSource } from './localThreadSource';
import { PrivateTemporaryFolder } from '../../base/node/privateTemporaryFolder';
import { commandRunner, type CliCommand } from './cli/runCommand';
import { ThreadWorkerOwner } from './worker/threadWorkerOwner';
import { WorkerThreadReader } from './worker/workerThreadReader';

interface AmpThreadsDeps {
  readonly paths: AmpPaths;
  /** Returns the absolute paths of additional folders with threads, according to the current settings. */
  readonly moreFolders: () => readonly string[];
  /** Finds the Amp CLI. Undefined if it is not installed. */
  readonly findCommand: () => Promise<CliCommand | undefined>;
  /** Absolute path of the folder for the search index. */
  readonly indexFolder: string;
  /** Absolute path of `dist/thread-index-worker.js`. */
  readonly workerFile: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface AmpThreads {
  /** The list that contains the threads of all sources. The library disposes the sources. */
  readonly library: ThreadLibrary;
  readonly local: LocalThreadSource;
  readonly files: OpenedFileSource;
  readonly account: CliSource;
}

/** Creates the sources of Amp's threads and their library. Nothing starts before the library is used. */
export function createAmpThreads({ paths, moreFolders, findCommand, ...deps }: AmpThreadsDeps): AmpThreads {
  const { indexFolder, workerFile, clock, log } = deps;
  const worker = new ThreadWorkerOwner({ workerFile, clock, log });
  const reader = new WorkerThreadReader({ worker, clock });
  const index = new ThreadIndex({ folder: indexFolder, worker, clock, log });
  const local = new LocalThreadSource({ paths, index, reader, clock, log });
  const files = new OpenedFileSource({ reader, clock, log });
  const folder = new PrivateTemporaryFolder(tmpdir(), 'threads');
  const cli = new AmpCli(findCommand, commandRunner(clock), folder);
  const account = new CliSource({ cli, reader, clock, log, folder });
  const library = new ThreadLibrary({
    sources: [files, local, account],
    owned: [reader, worker],
    startWatching: () => local.watchFolders(moreFolders()),
    startPolling: () => account.startPolling(),
    clock,
    log,
  });
  return { library, local, files, account };
}
