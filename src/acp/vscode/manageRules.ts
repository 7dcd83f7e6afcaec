import * as vscode from 'vscode';
import type { Messages } from '../../platform/vscode/messages';
import { describeRule, type PermissionRule } from '../common/permissionRules';
import type { UserRules } from '../node/userRules';

export interface ManageRulesOptions {
  readonly rules: UserRules;
  readonly messages: Messages;
  /** Where a new rule is offered to apply; absolute. */
  readonly folder: string;
  /** Those a rule can be about. */
  readonly agents: readonly { readonly id: string; readonly title: string }[];
}

interface RulePick extends vscode.QuickPickItem {
  /** Absent: make a new one. */
  readonly rule?: PermissionRule;
}

/** The command `backline.acp.manageRules`: shows what is always allowed or denied, takes it back, adds to it. */
export async function manageRules(options: ManageRulesOptions): Promise<void> {
  const { rules, messages } = options;
  const picks: RulePick[] = [
    { label: '$(add) Add a rule…' },
    ...rules.rules.map((rule): RulePick => ({ label: describeRule(rule), description: 'choose to remove', rule })),
  ];
  const picked = await vscode.window.showQuickPick(picks, {
    title: 'Rules for Agents',
    placeHolder: 'Where no rule speaks, agents ask. Answering "always" to a command makes a rule too',
  });
  if (!picked) return;
  if (!picked.rule) {
    const rule = await askForRule(options);
    if (!rule) return;
    await rules.add(rule);
    messages.info(`New rule for agents: ${describeRule(rule)}.`);
    return;
  }
  await rules.remove(picked.rule);
  messages.info(`Removed: ${describeRule(picked.rule)}. Agents ask again.`);
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
