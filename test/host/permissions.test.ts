import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { BackendEntry } from '../../src/session/common/backendRegistry';
import { Emitter } from '../../src/base/common/event';
import { nullLogger } from '../../src/base/common/log';
import { StatusBoard } from '../../src/base/common/feature';
import { systemClock } from '../../src/base/node/systemClock';
import { commandIds, settingIds } from '../../src/manifest';
import { ruleKey } from '../../src/permissions/common/rules/permissionRules';
import { askForRule } from '../../src/permissions/vscode/newRule';
import { PermissionsController } from '../../src/permissions/vscode/permissionsController';
import { Commands } from '../../src/platform/vscode/commands';
import { Settings } from '../../src/platform/vscode/settings';
import { standingOf } from '../fake/fakePermissions';
import { eventually } from '../support/eventually';
import { closeAll, inWorkspace } from './support/workspace';

const throwIt = (error: unknown): never => {
  throw error;
};
const demo: BackendEntry = { id: 'demo-agent', title: 'Demo agent', source: 'demo', description: '' };
const rule = { effect: 'allow', kind: 'read', pathGlob: '/ws/**', scope: 'always' } as const;

describe('the permissions', () => {
  const settings = new Settings(nullLogger);
  const setting = () => vscode.workspace.getConfiguration().inspect(settingIds.permissions)?.globalValue;
  const reset = () =>
    vscode.workspace.getConfiguration().update(settingIds.permissions, undefined, vscode.ConfigurationTarget.Global);

  afterEach(reset);

  function controllerOf(standing = standingOf([rule], () => settings.permissions().user)): PermissionsController {
    return new PermissionsController({
      log: nullLogger,
      status: new StatusBoard(throwIt),
      commands: new Commands(nullLogger),
      settings,
      clock: systemClock,
      standing,
      agents: { list: () => Promise.resolve([demo]), onDidChange: new Emitter<void>(throwIt).event },
      otherAgents: [
        { id: 'amp', title: 'Amp', kinds: ['read', 'edit'] },
        { id: demo.id, title: 'Not listed twice' },
      ],
      editor: { folders: [], onDidChangeFolders: new Emitter<void>(throwIt).event },
      extensionUri: vscode.Uri.file('/nowhere'),
    });
  }

  it('are written to the setting of the user, and taken out of it again', async () => {
    const controller = controllerOf();
    await controller.setPolicy('demo-agent', 'run', 'deny');
    await controller.setPolicy('*', 'edit', 'ask');
    assert.deepEqual(setting(), { 'demo-agent': { run: 'deny' }, '*': { edit: 'ask' } });
    const { policy } = await controller.loadView();
    assert.deepEqual(
      policy.map(({ title, cells }) => [title, cells.run?.choice, cells.edit?.choice]),
      [
        ['All agents', 'inherit', 'ask'],
        ['Demo agent', 'deny', 'inherit'],
        ['Amp', undefined, 'inherit'],
      ],
    );
    await controller.setPolicy('demo-agent', 'run', 'inherit');
    await controller.setPolicy('*', 'edit', 'inherit');
    assert.equal(setting(), undefined);
  });

  it('list the rules and what open conversations remember, and take them back', async () => {
    const standing = standingOf([rule]);
    const controller = controllerOf(standing);
    let isRevoked = false;
    const granted = { ...rule, scope: 'session' } as const;
    const who = { agentId: 'demo', agentTitle: 'Demo' };
    const grant = { kind: 'rule', ...who, rule: granted, revoke: () => (isRevoked = true) } as const;
    standing.grants.add(grant);
    standing.grants.add({ kind: 'remembered', ...who, effect: 'deny', optionLabel: 'Deny All' });
    const { rules } = await controller.loadView();
    assert.deepEqual(
      rules.map(({ canRemove, effect, lasts, title }) => [effect, title, lasts, canRemove]),
      [
        ['allow', 'Read files', 'always', true],
        ['allow', 'Read files', 'conversation', true],
        ['deny', 'Deny All', 'conversation', false],
      ],
    );
    assert.equal(rules[0]?.id, ruleKey(rule));
    for (const { id } of rules) await controller.removeRule(id);
    assert.deepEqual(standing.rules.rules, []);
    assert.ok(isRevoked);
  });

  it('are shown in a tab, once', async () => {
    const tabs = () =>
      vscode.window.tabGroups.all.flatMap((group) => group.tabs).filter(({ label }) => label === 'Permissions');
    await vscode.commands.executeCommand(commandIds.permissionsShow);
    await eventually('the tab', () => assert.equal(tabs().length, 1));
    await vscode.commands.executeCommand(commandIds.permissionsShow);
    assert.equal(tabs().length, 1);
    await closeAll();
    assert.equal(tabs().length, 0);
  });

  it('get a new rule from the answers to its questions', async () => {
    // Accepting before VS Code has filled the list is answering nothing, after which there is no rule: once more then.
    await eventually('a rule', async () => {
      const asking = askForRule({ folder: inWorkspace(), agents: [] });
      let isDone = false;
      void asking.then(() => (isDone = true));
      await eventually('the end of the questions', async () => {
        // VS Code does not tell when it has filled the list.
        await new Promise((resolve) => setTimeout(resolve, 200));
        await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem');
        assert.ok(isDone);
      });
      assert.deepEqual(await asking, {
        effect: 'allow',
        kind: 'read',
        pathGlob: `${inWorkspace()}/**`,
        scope: 'always',
      });
    });
  });
});
