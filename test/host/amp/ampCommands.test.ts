import assert from 'node:assert/strict';
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { commandIds, settingIds } from '../../../src/manifest';
import { AmpClient, lockfiles, ownLockfile } from '../support/ampClient';
import { eventually } from '../../support/eventually';
import { closeAll, closeTerminals, inWorkspace, setSetting, show, writeInWorkspace } from '../support/workspace';

describe('the Amp server in this window', () => {
  it('announces itself to the CLI, and to nobody else', async () => {
    const lockfile = await ownLockfile();
    assert.equal(lockfile.ideName, 'Visual Studio Code');
    assert.deepEqual(lockfile.workspaceFolders, [inWorkspace()]);
    assert.equal(path.basename(lockfile.file), `${lockfile.port}.json`);
    assert.equal((await stat(lockfile.file)).mode & 0o777, 0o600);
    assert.equal((await stat(path.dirname(lockfile.file))).mode & 0o777, 0o700);
  });

  it('starts anew on restart, with another token, and tells its clients goodbye', async () => {
    const before = await ownLockfile();
    const client = await AmpClient.connect(before);
    await vscode.commands.executeCommand(commandIds.ampRestart);
    await eventually('the goodbye', () => assert.equal(client.closeCode, 1001));
    const after = await ownLockfile();
    assert.notEqual(after.authToken, before.authToken);
    const again = await AmpClient.connect(after);
    assert.deepEqual(await again.ask('ping', { message: 'beepboop' }), { message: 'beepboop' });
    again.close();
  });

  it('moves to another range of ports, and ends when it is switched off', async () => {
    const before = await ownLockfile();
    try {
      await setSetting(settingIds.ampPortRange, '8250-8299');
      await eventually('the new port', async () => {
        const { port } = await ownLockfile();
        assert.ok(port >= 8250 && port <= 8299, String(port));
      });
      await setSetting(settingIds.ampEnabled, false);
      await eventually('the end', async () => {
        const own = (await lockfiles()).filter(({ pid }) => pid === process.pid);
        assert.deepEqual(own, []);
      });
      await vscode.commands.executeCommand(commandIds.ampRestart);
      assert.deepEqual(
        (await lockfiles()).filter(({ pid }) => pid === process.pid),
        [],
        'a restart does not switch it on',
      );
    } finally {
      await setSetting(settingIds.ampEnabled, undefined);
      await setSetting(settingIds.ampPortRange, undefined);
    }
    const after = await eventually('the first range', async () => {
      const lockfile = await ownLockfile();
      assert.ok(lockfile.port < 8250);
      return lockfile;
    });
    assert.notEqual(after.authToken, before.authToken);
  });
});

describe('the Amp terminal', () => {
  const bin = path.join(homedir(), '.local', 'bin');
  const record = (name: string): string => path.join(homedir(), `amp-${name}`);
  const recorded = (name: string): Promise<string> => readFile(record(name), 'utf8');
  const isAmp = ({ name }: vscode.Terminal): boolean => name === 'Amp';
  const terminals = (): vscode.Terminal[] => vscode.window.terminals.filter(isAmp);

  before(async () => {
    // Stands in for the CLI: writes down where and how it runs, and then every key as it comes.
    const script = [
      '#!/bin/sh',
      'stty -icanon -echo; pwd > "$HOME/amp-cwd"; env > "$HOME/amp-env"; : > "$HOME/amp-keys"',
      'echo run >> "$HOME/amp-runs"; exec cat >> "$HOME/amp-keys"',
    ];
    await mkdir(bin, { recursive: true });
    await writeFile(path.join(bin, 'amp'), script.join('\n') + '\n', { mode: 0o755 });
  });

  after(async () => {
    await closeTerminals(isAmp);
    await closeAll();
    await rm(bin, { recursive: true, force: true });
  });

  it('runs the CLI in the folder, set up so that it finds this window alone and reaches it', async () => {
    await vscode.commands.executeCommand(commandIds.ampOpenTerminal);
    await eventually('the CLI', () => recorded('runs'));
    assert.equal((await recorded('cwd')).trim(), inWorkspace());
    const env = new Map(
      (await recorded('env')).split('\n').map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]),
    );
    assert.match(env.get('NO_PROXY') ?? '', /(^|,)localhost,127\.0\.0\.1$/);
    assert.equal(env.get('no_proxy'), env.get('NO_PROXY'));
    for (const editor of ['VSCODE', 'VSCODE_INSIDERS', 'CURSOR', 'WINDSURF']) {
      await assert.rejects(stat(env.get(`${editor}_USER_DATA_DIR`) ?? '/'), { code: 'ENOENT' });
    }
    assert.ok(env.get('PATH')?.split(':').includes(bin));
  });

  it('is shown again rather than made twice', async () => {
    await vscode.commands.executeCommand(commandIds.ampOpenTerminal);
    assert.equal(terminals().length, 1);
    await eventually('the terminal in front', () => assert.equal(vscode.window.activeTerminal, terminals()[0]));
    // The shell makes the file before it writes.
    await eventually('the first run', async () => assert.equal(await recorded('runs'), 'run\n'));
  });

  it('gets the selection as a mention, without Enter, and so does a client that knows how', async () => {
    const client = await AmpClient.connect(await ownLockfile());
    const editor = await show(await writeInWorkspace('amp/mention.txt', 'one\ntwo\nthree\n'));
    editor.selection = new vscode.Selection(0, 1, 2, 0);
    await eventually('the selection', () =>
      assert.match(JSON.stringify(client.latest('selectionDidChange')), /mention\.txt.*"content":"ne\\ntwo\\n"/),
    );
    await vscode.commands.executeCommand(commandIds.ampAddSelection);
    await eventually('the mention', async () => assert.equal(await recorded('keys'), '@amp/mention.txt#L1-2 '));
    await eventually('the message', () =>
      assert.deepEqual(client.latest('appendToPrompt'), { message: '@amp/mention.txt#L1-2' }),
    );
    client.close();
  });

  it('runs the CLI again in the same terminal once it has ended', async () => {
    const [terminal] = terminals();
    terminal?.sendText('\x03', false);
    await eventually('the second run', async () => {
      await vscode.commands.executeCommand(commandIds.ampOpenTerminal);
      assert.equal(await recorded('runs'), 'run\nrun\n');
    });
    assert.equal(terminals().length, 1);
  });

  it('types nothing when there is nothing to mention', async () => {
    const before = await recorded('keys');
    const client = await AmpClient.connect(await ownLockfile());
    await show(await writeInWorkspace('amp/.env', 'SECRET=1\n'));
    await eventually('nothing to see', () => assert.deepEqual(client.latest('visibleFilesDidChange'), { uris: [] }));
    client.close();
    await vscode.commands.executeCommand(commandIds.ampAddSelection);
    await vscode.commands.executeCommand(commandIds.ampOpenTerminal);
    assert.equal(await recorded('keys'), before);
  });
});
