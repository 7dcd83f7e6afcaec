import assert from 'node:assert/strict';
import * as path from 'node:path';
import { Emitter } from '../../../../src/base/common/event';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { ThreadLibrary } from '../../../../src/threads/common/threadLibrary';
import type { ThreadHead, ThreadSource } from '../../../../src/threads/common/threadPorts';
import { AmpCli } from '../../../../src/threads/node/cli/ampCli';
import { CliSource } from '../../../../src/threads/node/cli/cliSource';
import { PrivateTemporaryFolder } from '../../../../src/base/node/privateTemporaryFolder';
import { commandRunner } from '../../../../src/threads/node/cli/runCommand';
import { FakeClock } from '../../../fake/fakeClock';
import { head } from '../support/threadHead';
import { FakeAmp } from '../support/fakeAmp';
import { ReaderHere } from '../support/readerHere';
import { until } from '../../../support/eventually';
import { normalId, slowId, thread, ThreadFolder } from '../support/threadFolder';

class LocalHeads implements ThreadSource {
  readonly kind = 'local';
  readonly title = 'This machine';
  readonly state = { kind: 'ready' } as const;
  heads: readonly ThreadHead[] = [];
  lists = 0;
  private readonly changes = new Emitter<void>((error) => assert.fail(String(error)));
  readonly onDidChange = this.changes.event;

  list(): Promise<readonly ThreadHead[]> {
    this.lists++;
    return Promise.resolve(this.heads);
  }

  change(): void {
    this.changes.fire();
  }

  read(): Promise<never> {
    return Promise.reject(new Error('Nothing is read here.'));
  }

  rawJson(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  subscribe(): { dispose: () => void } {
    return { dispose: () => undefined };
  }

  currentHint(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  dispose(): void {
    this.changes.dispose();
  }
}

describe('the list of this machine and the account', () => {
  let folder: ThreadFolder;
  let amp: FakeAmp;
  let clock: FakeClock;
  let local: LocalHeads;
  let account: CliSource;
  let library: ThreadLibrary;

  beforeEach(async () => {
    folder = await ThreadFolder.make();
    amp = await FakeAmp.make(folder.home);
    clock = new FakeClock();
    local = new LocalHeads();
    const exports = new PrivateTemporaryFolder(path.join(folder.home, 'tmp'), 'threads');
    const find = (): Promise<ReturnType<FakeAmp['command']>> => Promise.resolve(amp.command(folder.threads));
    const cli = new AmpCli(find, commandRunner(systemClock), exports);
    account = new CliSource({ cli, reader: new ReaderHere(), clock, log: nullLogger, folder: exports });
    library = new ThreadLibrary({
      sources: [local, account],
      startWatching: () => Promise.resolve(),
      startPolling: () => account.startPolling(),
      clock,
      log: nullLogger,
    });
    await folder.put(slowId, thread(slowId, 4, { created: 1_800_000_000_000, title: 'Renamed' }));
  });
  afterEach(async () => {
    library.dispose();
    await folder.remove();
  });

  const isListed = (id: string) => (): boolean => {
    clock.advance(50);
    return library.find(id)?.source === 'cli';
  };

  it('runs no command after the last one has looked, whatever changes on this machine', async () => {
    await library.waitForFirstList();
    assert.deepEqual(await amp.calls(), []);
    const looking = library.keepUpToDate();
    await until('the threads of the account', isListed(slowId));
    await until('the end of asking', () => {
      clock.advance(50);
      return clock.pending === 1;
    });
    looking.dispose();
    const before = await amp.calls();
    for (let times = 0; times < 5; times++) {
      const lists = local.lists;
      clock.advance(60_000);
      local.change();
      await until('a list', () => {
        clock.advance(200);
        return local.lists > lists;
      });
    }
    // What a list would have begun.
    await account.list();
    assert.deepEqual(await amp.calls(), before);
    assert.ok(library.find(slowId));
  });

  it('asks the account on refresh, even if the list is hidden', async () => {
    await library.refresh();
    await until('the threads of the account', isListed(slowId));
  });

  it('keeps what this machine knows and the account does not say', async () => {
    local.heads = [
      head(slowId, {
        path: '/home/kim/amp/thread.json',
        title: 'Old title',
        branch: 'main',
        hasChanges: true,
        usage: { input: 5 },
        relations: [{ type: 'fork', role: 'parent', threadId: normalId }],
        messageCount: 2,
      }),
    ];
    const looking = library.keepUpToDate();
    await until('the threads of the account', isListed(slowId));
    looking.dispose();
    const { title, messageCount, lastPromptAt, ...kept } = library.find(slowId) ?? head('none');
    assert.deepEqual([title, messageCount, lastPromptAt], ['Renamed', 4, 1_800_000_000_000]);
    const { branch, hasChanges, usage, relations, path: file, folders } = kept;
    assert.deepEqual(
      { branch, hasChanges, usage, file, folders },
      {
        branch: 'main',
        hasChanges: true,
        usage: { input: 5 },
        file: '/home/kim/amp/thread.json',
        folders: ['/home/kim/shop'],
      },
    );
    assert.equal(relations.length, 1);
  });

  it('takes no fault of a file over what the account has', async () => {
    local.heads = [head(slowId, { problem: 'It was cut off.', messageCount: 0 })];
    const looking = library.keepUpToDate();
    await until('the threads of the account', isListed(slowId));
    looking.dispose();
    assert.equal(library.find(slowId)?.problem, undefined);
  });
});
