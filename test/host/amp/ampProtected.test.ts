import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { AmpPolicy } from '../../../src/amp/common/ampPolicy';
import { ProtectedEditApprovals } from '../../../src/amp/common/protectedEditApprovals';
import { AmpServer } from '../../../src/amp/node/ampServer';
import { ProtectedEditQuestions } from '../../../src/amp/vscode/protectedEditQuestions';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import { disabledTrafficTap } from '../../../src/wire/common/traffic';
import { eventually } from '../../support/eventually';
import { AmpClient, lockfiles } from '../support/ampClient';
import { AdapterUnderTest } from '../support/editorAdapter';
import { closeAll, inWorkspace, writeInWorkspace } from '../support/workspace';

interface Notification {
  readonly message: string;
  readonly buttons: readonly string[];
  readonly press: (button: string | undefined) => void;
}

describe('Amp and protected files, over a WebSocket and in the real editor', () => {
  /** Each test has a folder of its own: VS Code may keep the text of a file that is removed and made again. */
  let folder: string;
  let testCount = 0;
  let subject: AdapterUnderTest;
  let desk: ProtectedEditApprovals;
  let server: AmpServer;
  let client: AmpClient;
  let home: string;
  let file: string;
  let notifications: Notification[];
  let policy: AmpPolicy;

  beforeEach(async () => {
    subject = new AdapterUnderTest();
    home = await mkdtemp(path.join(tmpdir(), 'backline-guarded-'));
    notifications = [];
    policy = {};
    folder = `guarded${++testCount}`;
    const questions = new ProtectedEditQuestions({
      editor: subject.adapter,
      log: nullLogger,
      showMessage: (message, ...buttons) =>
        new Promise((press) => {
          notifications.push({ message, buttons, press });
        }),
    });
    desk = new ProtectedEditApprovals({
      editor: subject.adapter,
      clock: systemClock,
      log: nullLogger,
      askUser: (edit) => questions.ask(edit),
      reportWritten: (edit) => questions.reportWritten(edit),
    });
    server = new AmpServer({
      editor: subject.adapter,
      protectedEdits: desk,
      policy: () => policy,
      log: nullLogger,
      clock: systemClock,
      traffic: disabledTrafficTap,
      // No port of this range can be bound, so it is a free one.
      portRange: { first: 1, last: 0 },
      lockfileFolders: [path.join(home, '.local', 'share', 'amp', 'ide')],
      ideName: 'Visual Studio Code',
      pid: process.pid,
      version: '0.0.0',
    });
    await server.start();
    const [lockfile] = await lockfiles(home);
    assert.ok(lockfile);
    client = await AmpClient.connect(lockfile);
    file = await writeInWorkspace(`${folder}/.vscode/tasks.json`, '{}\n');
  });

  afterEach(async () => {
    client.close();
    await server.stop();
    server.dispose();
    desk.dispose();
    await closeAll();
    subject.dispose();
    await rm(home, { recursive: true, force: true });
    await rm(inWorkspace(folder), { recursive: true, force: true });
  });

  const write = async (fullContent: string): Promise<string> => {
    const { success, message } = await client.ask('editFile', { path: file, fullContent });
    return success === true ? 'done' : String(message);
  };
  const onDisk = (): Promise<string> => readFile(file, 'utf8');
  /** Amp gets its answer in time, also before a slow save has ended. */
  const isSaved = (text: string): Promise<void> =>
    eventually('the file', async () => assert.equal(await onDisk(), text));
  const last = async (count: number): Promise<Notification> =>
    await eventually('the notification', () => {
      const found = notifications[count - 1];
      assert.ok(found, `${notifications.length} of ${count}`);
      return found;
    });
  const diffs = (): readonly vscode.Tab[] =>
    vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .filter(({ input }) => input instanceof vscode.TabInputTextDiff);

  it('refuses the edit, asks, and lets the next try pass once it is allowed', async () => {
    assert.match(await write('[]\n'), /is protected: VS Code runs tasks from this file\. The user is being asked/);
    assert.equal(await onDisk(), '{}\n');
    const { message, buttons, press } = await last(1);
    assert.match(message, new RegExp(`Amp wants to change ${folder}/\\.vscode/tasks\\.json`));
    assert.deepEqual(buttons, ['Show Change', 'Deny']);
    press('Show Change');
    const shown = await last(2);
    assert.deepEqual(shown.buttons, ['Allow Once', 'Show Change', 'Deny']);
    shown.press('Allow Once');
    await eventually('the edit', async () => assert.equal(await write('[]\n'), 'done'));
    await isSaved('[]\n');
    assert.equal(notifications.length, 2);
    assert.match(await write('[1]\n'), /is being asked/);
    assert.deepEqual((await last(3)).buttons, ['Show Change', 'Deny']);
    assert.equal(await onDisk(), '[]\n');
  });

  it('shows the change, asks again, and closes the diff with the answer', async () => {
    assert.match(await write('[2]\n'), /is being asked/);
    (await last(1)).press('Show Change');
    const second = await last(2);
    await eventually('the diff', () => assert.equal(diffs().length, 1));
    const [input] = diffs().map((tab) => tab.input);
    assert.ok(input instanceof vscode.TabInputTextDiff);
    assert.equal((await vscode.workspace.openTextDocument(input.modified)).getText(), '[2]\n');
    second.press('Deny');
    await eventually('no diff', () => assert.equal(diffs().length, 0));
    assert.match(await write('[2]\n'), /has denied this change/);
    assert.equal(await onDisk(), '{}\n');
  });

  it('does not offer to allow a change that cannot be shown', async () => {
    subject.adapter.showDiff = () => Promise.reject(new Error('no diff'));
    assert.match(await write('[3]\n'), /is being asked/);
    (await last(1)).press('Show Change');
    const { buttons, press } = await last(2);
    assert.deepEqual(buttons, ['Show Change', 'Deny']);
    press('Deny');
    await eventually('the answer', async () => assert.match(await write('[3]\n'), /has denied this change/));
  });

  it('asks before an edit of any file where the policy says so', async () => {
    policy = { edit: 'ask' };
    file = await writeInWorkspace(`${folder}/a.txt`, 'one\n');
    assert.match(await write('two\n'), /asks before each edit by Amp\. The user is being asked/);
    (await last(1)).press('Show Change');
    (await last(2)).press('Allow Once');
    await eventually('the edit', async () => assert.equal(await write('two\n'), 'done'));
    await isSaved('two\n');
    policy = { edit: 'deny' };
    assert.match(await write('three\n'), /does not let Amp edit files/);
    assert.equal(await onDisk(), 'two\n');
  });

  it('asks about a file that is to be made', async () => {
    file = inWorkspace(folder, '.husky', 'pre-commit');
    assert.match(await write('echo\n'), /run when you commit/);
    (await last(1)).press('Show Change');
    (await last(2)).press('Allow Once');
    await eventually('the edit', async () => assert.equal(await write('echo\n'), 'done'));
    assert.equal(await onDisk(), 'echo\n');
  });

  it('makes no link of a name that an agent has chosen', async () => {
    file = inWorkspace(folder, '[Allow](command:workbench.action.quit)', '.husky', 'pre-commit');
    await write('echo\n');
    const { message } = await last(1);
    assert.ok(!message.includes(']('), message);
  });

  it('reports that a client has written the file by itself, and shows the file', async () => {
    await write('[4]\n');
    await last(1);
    await writeFile(file, '[4]\n');
    const { message, buttons, press } = await last(2);
    assert.match(
      message,
      new RegExp(`Amp wrote ${folder}/\\.vscode/tasks\\.json itself after Backline refused the edit`),
    );
    assert.deepEqual(buttons, ['Show File']);
    press('Show File');
    await eventually('the file', () =>
      assert.equal(vscode.window.activeTextEditor?.document.uri.fsPath, vscode.Uri.file(file).fsPath),
    );
  });

  it('asks nothing for a package.json whose version changes, and for its scripts it does', async () => {
    file = await writeInWorkspace(`${folder}/package.json`, '{"version":"1","scripts":{"test":"a"}}\n');
    assert.equal(await write('{"version":"2","scripts":{"test":"a"}}\n'), 'done');
    assert.match(await write('{"version":"2","scripts":{"test":"b"}}\n'), /is protected: package managers run/);
  });
});
