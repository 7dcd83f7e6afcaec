import assert from 'node:assert/strict';
import { realpathSync } from 'node:fs';
import * as path from 'node:path';
import { systemClock } from '../../../../src/base/node/systemClock';
import { TerminalService } from '../../../../src/acp/node/process/terminalService';
import { CallActivity } from '../../../../src/chat/common/changes/changeAuthors';
import { ObservedWrites } from '../../../../src/editor/common/writeObserver';
import { FakeEditor } from '../../../fake/fakeEditor';
import { TestWorkspace } from '../../changes/support/workspace';
import { changeLines, DiskWindow } from '../support/diskWindow';

describe('a silent command that Backline runs for an agent', () => {
  let workspace: TestWorkspace;
  let window: DiskWindow;
  beforeEach(async () => {
    workspace = new TestWorkspace();
    workspace.write({ 'a.txt': 'a\n' });
    window = await DiskWindow.open(workspace);
  });
  afterEach(async () => {
    await window.close();
    await workspace.dispose();
  });

  function terminals(writes: ObservedWrites): TerminalService {
    return new TerminalService({
      editor: new FakeEditor({}, [realpathSync(workspace.folder)]),
      clock: systemClock,
      cwd: realpathSync(workspace.folder),
      env: { PATH: process.env['PATH'] ?? '' },
      maxTerminals: 2,
      authorize: () => Promise.resolve({ isGranted: true }),
      onDidChange: () => undefined,
      writes,
    });
  }

  it('has made its change, though no event has told of it', async () => {
    for (const backend of window.backends.backends) backend.runsCommand = false;
    const chat = await window.create();
    await window.begin(chat);
    const writer = { backendId: 'one', sessionId: window.backends.backends[0]?.last.id ?? '' };
    const service = terminals(new ObservedWrites(window.writeObserver, writer));
    const { terminalId } = await service.create({ command: 'cp', args: ['a.txt', 'b.txt'] });
    await service.waitForExit(terminalId);
    await window.end(chat);
    await chat.restores.whenTurnRecorded();
    assert.deepEqual(changeLines(chat, workspace.folder), ['created b.txt']);
    assert.equal(chat.fileChanges.list[0]?.author, 'command');
    await service.close();
  });

  it('does not count before it starts, when it is refused or when it cannot start', async () => {
    const activity = new CallActivity();
    let begun = 0;
    const observer = {
      beforeWrite: () => Promise.resolve(),
      afterWrite: () => Promise.resolve(),
      afterFailedWrite: () => Promise.resolve(),
      beginCommand: () => {
        begun++;
        return activity.beginCommand();
      },
    };
    const service = terminals(new ObservedWrites(observer, { backendId: 'one', sessionId: 's' }));
    const hasWriter = (): boolean => activity.beginScan().calls().hasWriter;
    await assert.rejects(service.create({ command: path.join(workspace.folder, 'missing') }));
    hasWriter();
    assert.equal(hasWriter(), false);
    const { terminalId } = await service.create({ command: 'sleep', args: ['600'] });
    assert.ok(begun > 0);
    assert.equal(hasWriter(), true);
    assert.equal(hasWriter(), true, 'it still runs');
    await service.kill(terminalId);
    await service.waitForExit(terminalId);
    assert.equal(hasWriter(), true, 'it ran after the last scan began');
    assert.equal(hasWriter(), false);
    await service.close();
  });
});
