import assert from 'node:assert/strict';
import { readFile, rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { settingIds } from '../../src/manifest';
import { Settings } from '../../src/platform/vscode/settings';
import { MemoryLogger } from '../unit/amplifier/node/clientHarness';
import { AmpClient, lockfiles, ownLockfile } from './support/ampClient';
import { eventually } from '../support/eventually';
import { inWorkspace, setSetting, writeInWorkspace } from './support/workspace';

const { Global, Workspace } = vscode.ConfigurationTarget;

describe('the setting backline.exclude', () => {
  const marker = '*.settings-marker';
  const refused = /backline\.exclude/;
  let client: AmpClient;

  async function read(name: string): Promise<unknown> {
    return client.askAsDocumented('readFile', { path: inWorkspace('settings', name) });
  }

  /** Once this resolves, the setting that has the marker in it counts. */
  async function counts(): Promise<void> {
    await eventually('the setting', () => assert.rejects(read('a.settings-marker'), refused));
  }

  before(async () => {
    for (const name of ['.env', '.env.example', 'a.settings-marker', 'a.sql']) {
      await writeInWorkspace(`settings/${name}`, `${name}\n`);
    }
    client = await AmpClient.connect(await ownLockfile());
  });

  afterEach(async () => {
    await setSetting(settingIds.exclude, undefined, Workspace);
    await setSetting(settingIds.exclude, undefined, Global);
    await eventually('the default', () => read('a.settings-marker'));
  });

  after(async () => {
    client.close();
    await rm(inWorkspace('settings'), { recursive: true });
  });

  it('lets no agent open a secret by writing the settings of the workspace', async () => {
    const file = inWorkspace('.vscode', 'settings.json');
    const before = await readFile(file, 'utf8').catch(() => undefined);
    const wanted = { '.env*': false, '**/settings/.env': false, '!.env*': true, [marker]: true };
    const fullContent = JSON.stringify({ [settingIds.exclude]: wanted });
    try {
      await client.askAsDocumented('editFile', { path: file, fullContent });
      await counts();
      await assert.rejects(read('.env'), refused);
    } finally {
      // Through the editor, which has the file open since the edit.
      await client.askAsDocumented('editFile', { path: file, fullContent: before ?? '{}' });
    }
  });

  it('lets the user make an exception', async () => {
    await setSetting(settingIds.exclude, { '**/.env.example': false, [marker]: true }, Global);
    await counts();
    await read('.env.example');
    await assert.rejects(read('.env'), refused);
  });

  it('lets the user switch a default off, which a workspace can switch on again', async () => {
    await setSetting(settingIds.exclude, { '.env*': false, [marker]: true }, Global);
    await counts();
    await read('.env');
    await setSetting(settingIds.exclude, { '.env*': true }, Workspace);
    await eventually('the workspace', () => assert.rejects(read('.env'), refused));
  });

  it('goes by the other entries when one is wrong, and says so', async () => {
    await setSetting(settingIds.exclude, { '*.sql': 'yes', [marker]: true }, Global);
    await counts();
    await assert.rejects(read('a.sql'), refused);
    const log = new MemoryLogger();
    new Settings(log).exclude();
    assert.equal(log.lines.length, 1);
    assert.match(log.lines[0] ?? '', /"\*\.sql"/);
  });
});

describe('the setting backline.amp.enabled', () => {
  it('stays off in a workspace that switches it on, when the user has it off', async () => {
    const own = async (): Promise<number> => (await lockfiles()).filter(({ pid }) => pid === process.pid).length;
    await ownLockfile();
    try {
      await setSetting(settingIds.ampEnabled, true, Workspace);
      await setSetting(settingIds.ampEnabled, false, Global);
      await eventually('the end', async () => assert.equal(await own(), 0));
    } finally {
      await setSetting(settingIds.ampEnabled, undefined, Global);
      await setSetting(settingIds.ampEnabled, undefined, Workspace);
    }
    await ownLockfile();
  });
});
