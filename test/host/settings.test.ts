import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import * as vscode from 'vscode';
import { settingIds } from '../../src/manifest';
import { PolicySetting } from '../../src/permissions/vscode/policySetting';
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

  it('lets the settings of the workspace open no secret', async () => {
    const wanted = { '.env*': false, '**/settings/.env': false, '!.env*': true, [marker]: true };
    await setSetting(settingIds.exclude, wanted, Workspace);
    await counts();
    await assert.rejects(read('.env'), refused);
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
    new Settings(log).excludeGlobs();
    assert.equal(log.lines.length, 1);
    assert.match(log.lines[0] ?? '', /"\*\.sql"/);
  });
});

describe('the setting backline.protectedFiles', () => {
  const refused = /is protected/;
  let client: AmpClient;

  async function write(name: string): Promise<unknown> {
    const path = inWorkspace('settings', name);
    return client.askAsDocumented('editFile', { path, fullContent: `${Math.random()}\n` });
  }

  before(async () => {
    client = await AmpClient.connect(await ownLockfile());
  });

  afterEach(async () => {
    await setSetting(settingIds.protectedFiles, undefined, Workspace);
    await setSetting(settingIds.protectedFiles, undefined, Global);
    await eventually('the default', () => write('a.run-marker'));
  });

  after(async () => {
    client.close();
    await rm(inWorkspace('settings'), { recursive: true, force: true });
  });

  it('protects out of the box what makes things run', async () => {
    await assert.rejects(write('.vscode/tasks.json'), refused);
    await write('tasks.json');
  });

  it('lets the workspace add files, and switch nothing off', async () => {
    await setSetting(settingIds.protectedFiles, { '*.run-marker': true, '.vscode': false }, Workspace);
    await eventually('the setting', () => assert.rejects(write('a.run-marker'), refused));
    await assert.rejects(write('.vscode/tasks.json'), refused);
  });

  it('lets the user switch a default off', async () => {
    await setSetting(settingIds.protectedFiles, { '*.run-marker': true, '.vscode': false }, Global);
    await eventually('the setting', () => assert.rejects(write('a.run-marker'), refused));
    await write('.vscode/tasks.json');
    await assert.rejects(write('.husky/pre-commit'), refused);
  });
});

describe('the setting backline.permissions', () => {
  const { permissions: id } = settingIds;

  afterEach(async () => {
    await setSetting(id, undefined, Workspace);
    await setSetting(id, undefined, Global);
  });

  it('gives the words of the user and of the workspace apart, and is checked anew after a change', async () => {
    const log = new MemoryLogger();
    const settings = new Settings(log);
    const editor = { onDidChangeFolders: () => ({ dispose: () => undefined }) };
    const policy = new PolicySetting(settings, editor, log);
    settings.start();
    policy.start();
    try {
      assert.deepEqual(policy.policy.forAgent('demo'), {});
      await setSetting(id, { '*': { run: 'allow', read: 'allow' } }, Global);
      await eventually('the word of the user', () =>
        assert.deepEqual(policy.policy.forAgent('demo'), { run: 'allow', read: 'allow' }),
      );
      await setSetting(id, { '*': { run: 'ask', fetch: 'allow' } }, Workspace);
      await eventually('the word of the workspace', () =>
        assert.deepEqual(policy.policy.forAgent('demo'), { run: 'ask', read: 'allow' }),
      );
      assert.match(log.lines.join('\n'), /can only be stricter/);
    } finally {
      policy.dispose();
      settings.dispose();
    }
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

describe('the setting chat.promptFilesLocations of VS Code', () => {
  it('is read as the user and the workspace have it', async () => {
    const settings = new Settings(new MemoryLogger());
    const set = (value: unknown, target: vscode.ConfigurationTarget) =>
      vscode.workspace.getConfiguration('chat').update('promptFilesLocations', value, target);
    const [ofUser, ofWorkspace] = [{ '~/prompts': true }, { 'docs/prompts': true }];
    try {
      await set(ofUser, Global);
      await set(ofWorkspace, Workspace);
      await eventually('both', () => assert.deepEqual(settings.promptFileLocations(), { ofUser, ofWorkspace }));
    } finally {
      await set(undefined, Workspace);
      await set(undefined, Global);
    }
  });
});
