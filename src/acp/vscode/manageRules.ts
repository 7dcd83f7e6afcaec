import * as vscode from 'vscode';
import { DisposableStore } from '../../base/common/disposable';
import type { PermissionRule } from '../../permissions/common/permissionRules';
import { describeRule } from '../../permissions/common/ruleWords';
import type { StandingPermissions } from '../../permissions/common/standingPermissions';
import type { Messages } from '../../platform/vscode/messages';

export interface ManageRulesOptions {
  readonly standing: StandingPermissions;
  readonly messages: Messages;
  /** Where a new rule is offered to apply; absolute. */
  readonly folder: string;
  /** Those a rule can be about. */
  readonly agents: readonly { readonly id: string; readonly title: string }[];
}

interface RulePick extends vscode.QuickPickItem {
  /** Absent where there is nothing to take back. */
  readonly remove?: () => void | Promise<void>;
  readonly isNew?: boolean;
}

const trash: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('trash'), tooltip: 'Remove' };

/** The command `backline.acp.manageRules`: shows what is allowed or denied, takes it back, adds to it. */
export async function manageRules(options: ManageRulesOptions): Promise<void> {
  const { standing, messages } = options;
  if (!(await wantsNewRule(standing))) return;
  const rule = await askForRule(options);
  if (!rule) return;
  await standing.add(rule);
  messages.info(`New rule for agents: ${describeRule(rule)}.`);
}

/** Shows the rules until the list is closed; only a row's button removes one. */
async function wantsNewRule(standing: StandingPermissions): Promise<boolean> {
  const store = new DisposableStore();
  const pick = store.add(vscode.window.createQuickPick<RulePick>());
  pick.title = 'Rules for Agents';
  pick.placeholder = 'Agents ask unless a rule applies. Answering "always" makes a rule';
  pick.matchOnDescription = true;
  pick.keepScrollPosition = true;
  pick.items = rulePicks(standing);
  try {
    return await new Promise((resolve, reject) => {
      store.add(
        pick.onDidTriggerItemButton(({ item }) => {
          const removed = Promise.resolve(item.remove?.());
          removed.then(() => (pick.items = rulePicks(standing)), reject);
        }),
      );
      store.add(
        pick.onDidAccept(() => {
          if (pick.activeItems[0]?.isNew) resolve(true);
        }),
      );
      store.add(pick.onDidHide(() => resolve(false)));
      pick.show();
    });
  } finally {
    store.dispose();
  }
}

export function rulePicks(standing: Pick<StandingPermissions, 'grants' | 'remove' | 'rules'>): RulePick[] {
  const kept = standing.rules.map((rule): RulePick => ({
    label: describeRule(rule),
    buttons: [trash],
    remove: () => standing.remove(rule),
  }));
  const granted = standing.grants.all.map(({ agentTitle, revoke, text }): RulePick => {
    if (revoke) return { label: text, description: agentTitle, buttons: [trash], remove: revoke };
    return {
      label: text,
      description: `Remembered by ${agentTitle}. Restart it or start a new conversation to be asked again`,
    };
  });
  const separator = (label: string): RulePick => ({ label, kind: vscode.QuickPickItemKind.Separator });
  return [
    { label: '$(add) Add a rule…', isNew: true },
    ...(kept.length > 0 ? [separator('always'), ...kept] : []),
    ...(granted.length > 0 ? [separator('in open conversations'), ...granted] : []),
  ];
}

async function askForRule({ agents, folder }: ManageRulesOptions): Promise<PermissionRule | undefined> {
  const what = await vscode.window.showQuickPick(whats, {
    title: 'A Rule for Agents',
    placeHolder: 'What is it about?',
  });
  if (!what) return undefined;
  const everyone: AgentPick = { label: 'Every agent' };
  const picks = [everyone, ...agents.map(({ id, title }): AgentPick => ({ label: title, agent: id }))];
  const asking = { title: what.label, placeHolder: 'Whom is it for?' };
  const who = agents.length === 0 ? everyone : await vscode.window.showQuickPick(picks, asking);
  if (!who) return undefined;
  const rule = { ...what.rule, ...(who.agent === undefined ? {} : { agent: who.agent }), scope: 'always' as const };
  if (what.isAboutCommand) {
    const line = await vscode.window.showInputBox({
      title: what.label,
      prompt: 'Which command? The program and all its arguments, with single spaces, in any folder',
      validateInput: (typed) => (typed.trim() === '' ? 'Name the command.' : undefined),
    });
    return line === undefined ? undefined : { ...rule, command: line.trim().split(' ') };
  }
  const pathGlob = await vscode.window.showInputBox({
    title: what.label,
    prompt: 'Which files? A path, or a glob over absolute paths',
    value: `${folder.replaceAll('\\', '/')}/**`,
    validateInput: (typed) => (typed.trim() === '' ? 'Name the files.' : undefined),
  });
  if (pathGlob === undefined) return undefined;
  return { ...rule, pathGlob: pathGlob.trim() };
}

interface AgentPick extends vscode.QuickPickItem {
  readonly agent?: string;
}

interface WhatPick extends vscode.QuickPickItem {
  readonly rule: Pick<PermissionRule, 'effect' | 'kind'>;
  readonly isAboutCommand?: boolean;
}

const whats: readonly WhatPick[] = [
  { label: 'Allow reading', rule: { effect: 'allow', kind: 'read' } },
  { label: 'Allow editing', rule: { effect: 'allow', kind: 'edit' } },
  { label: 'Deny editing', rule: { effect: 'deny', kind: 'edit' } },
  { label: 'Deny deleting', rule: { effect: 'deny', kind: 'delete' } },
  { label: 'Deny a command', rule: { effect: 'deny' }, isAboutCommand: true },
  { label: 'Deny everything', description: 'that names such a file', rule: { effect: 'deny' } },
];
