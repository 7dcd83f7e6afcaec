import * as vscode from 'vscode';
import type { PermissionRule } from '../common/rules/permissionRules';
import type { NamedAgent } from '../common/page/permissionsView';

interface NewRuleOptions {
  /** Where a new rule is offered to apply; absolute. */
  readonly folder: string;
  /** Those a rule can be about. */
  readonly agents: readonly NamedAgent[];
}

/** Asks the user what the rule is about. Undefined when a question was dismissed. */
export async function askForRule({ agents, folder }: NewRuleOptions): Promise<PermissionRule | undefined> {
  const what = await vscode.window.showQuickPick(whats, {
    title: 'Add Rule',
    placeHolder: 'Choose what the rule does',
  });
  if (!what) return undefined;
  const everyone: AgentPick = { label: 'All agents' };
  const picks = [everyone, ...agents.map(({ id, title }): AgentPick => ({ label: title, agent: id }))];
  const asking = { title: what.label, placeHolder: 'Choose the agent' };
  const who = agents.length === 0 ? everyone : await vscode.window.showQuickPick(picks, asking);
  if (!who) return undefined;
  const rule = { ...what.rule, ...(who.agent === undefined ? {} : { agent: who.agent }), scope: 'always' as const };
  if (what.isAboutCommand) {
    const line = await vscode.window.showInputBox({
      title: what.label,
      prompt: 'The program and all its arguments, with single spaces. The rule is for any folder',
      validateInput: (typed) => (typed.trim() === '' ? 'Enter a command.' : undefined),
    });
    return line === undefined ? undefined : { ...rule, command: line.trim().split(' ') };
  }
  const pathGlob = await vscode.window.showInputBox({
    title: what.label,
    prompt: 'A path, or a glob over absolute paths',
    value: `${folder.replaceAll('\\', '/')}/**`,
    validateInput: (typed) => (typed.trim() === '' ? 'Enter a path or a glob.' : undefined),
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
