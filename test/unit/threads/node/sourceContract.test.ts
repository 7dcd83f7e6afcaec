import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { AmpCli } from '../../../../src/threads/node/cli/ampCli';
import { CliSource } from '../../../../src/threads/node/cli/cliSource';
import { OpenedFileSource } from '../../../../src/threads/node/openedFileSource';
import { PrivateTemporaryFolder } from '../../../../src/base/node/privateTemporaryFolder';
import { commandRunner } from '../../../../src/threads/node/cli/runCommand';
import { FakeClock } from '../../../fake/fakeClock';
import { makeIndexBench, type IndexBench } from '../support/indexBench';
import { ReaderHere } from '../support/readerHere';
import { FakeAmp } from '../support/fakeAmp';
import { shippedStore } from '../support/shippedStore';
import { sourceContract, type SourceHarness } from '../support/sourceContract';
import { ThreadFolder } from '../support/threadFolder';

const reader = (): ReaderHere => new ReaderHere();

describe('this machine', () => {
  let bench: IndexBench;
  before(async () => {
    bench = await makeIndexBench();
  });
  after(() => bench.remove());

  sourceContract('the local store', async (): Promise<SourceHarness> => {
    const folder = await ThreadFolder.make();
    const source = shippedStore(folder, bench.workerFile);
    await source.watchFolders([]);
    return {
      source,
      put: (id, document) => folder.put(id, document),
      pass: () => undefined,
      breakStore: async () => {
        await rm(folder.threads, { recursive: true });
        await symlink(folder.threads, folder.threads);
      },
      setCurrent: (id) => writeFile(path.join(folder.data, 'session.json'), JSON.stringify({ lastThreadId: id })),
      close: async () => {
        source.dispose();
        await folder.remove();
      },
    };
  });
});

sourceContract('the amp CLI', async (): Promise<SourceHarness> => {
  const folder = await ThreadFolder.make();
  const amp = await FakeAmp.make(folder.home);
  const clock = new FakeClock();
  const exports = new PrivateTemporaryFolder(path.join(folder.home, 'tmp'), 'threads');
  const find = (): Promise<ReturnType<FakeAmp['command']>> => Promise.resolve(amp.command(folder.threads));
  const cli = new AmpCli(find, commandRunner(systemClock), exports);
  const source = new CliSource({ cli, reader: reader(), clock, log: nullLogger, folder: exports });
  source.startPolling();
  return {
    source,
    put: (id, document) => folder.put(id, document),
    pass: () => clock.advance(10_000),
    breakStore: () => amp.fail({ threads: 'Error: it is broken' }),
    close: async () => {
      source.dispose();
      await folder.remove();
    },
  };
});

sourceContract('opened files', async (): Promise<SourceHarness> => {
  const folder = await ThreadFolder.make();
  await mkdir(folder.threads, { recursive: true });
  const source = new OpenedFileSource({ reader: reader(), clock: systemClock, log: nullLogger });
  return {
    source,
    put: async (id, document) => {
      await folder.put(id, document);
      await source.add(folder.file(id));
    },
    pass: () => undefined,
    breakStore: () => rm(folder.threads, { recursive: true }),
    close: async () => {
      source.dispose();
      await folder.remove();
    },
  };
});
