import * as vscode from 'vscode';
import type { PermissionRule } from '../common/rules/permissionRules';
import { globOfFolder, globProblem } from '../common/rules/ruleGlobs';
import type { AgentUnderPolicy } from '../common/page/permissionsView';

interface NewRuleDefaults {
  /** Absolute path of the default folder for the rule. */
  readonly folder: string;
  readonly agents: readonly AgentUnderPolicy[];
}

/** Asks the user for a new rule. Returns undefined if the user cancels. */
export async function askForRule({ agents, folder }: NewRuleDefaults): Promise<PermissionRule | undefined> {
  const what = await vscode.window.showQuickPick(ruleTemplates, {
    title: 'Add Rule',
    placeHolder: 'Select what the rule does',
  });
  if (!what) return undefined;
  const everyone: AgentPick = { label: 'All agents' };
  const picks = [everyone, ...agents.map(({ id, title }): AgentPick => ({ label: title, agent: id }))];
  const asking = { title: what.label, placeHolder: 'Select an agent' };
  const who = agents.length === 0 ? everyone : await vscode.window.showQuickPick(picks, asking);
  if (!who) return undefined;
  const rule = { ...what.rule, ...(who.agent === undefined ? {} : { agent: who.agent }), scope: 'always' as const };
  if (what.needsCommand) {
    const line = await vscode.window.showInputBox({
      title: what.label,
      prompt: 'Program and arguments, separated by single spaces. The rule applies in any folder',
      validateInput: (typed) => (typed.trim() === '' ? 'Enter a command.' : undefined),
    });
    return line === undefined ? undefined : { ...rule, command: line.trim().split(' ') };
  }
  const pathGlob = await vscode.window.showInputBox({
    title: what.label,
    prompt: 'Absolute path or glob',
    value: globOfFolder(folder),
    validateInput: globProblem,
  });
  if (pathGlob === undefined) return undefined;
  return { ...rule, pathGlob: pathGlob.trim() };
}

interface AgentPick extends vscode.QuickPickItem {
  readonly agent?: string;
}

interface RuleTemplatePick extends vscode.QuickPickItem {
  readonly rule: Pick<PermissionRule, 'effect' | 'kind'>;
  readonly needsCommand?: boolean;
}

const ruleTemplates: readonly RuleTemplatePick[] = [
  { label: 'Allow reading', rule: { effect: 'allow', kind: 'read' } },
  { label: 'Allow editing', rule: { effect: 'allow', kind: 'edit' } },
  { label: 'Deny editing', rule: { effect: 'deny', kind: 'edit' } },
  { label: 'Deny deleting', rule: { effect: 'deny', kind: 'delete' } },
  { label: 'Deny a command', rule: { effect: 'deny' }, needsCommand: true },
  { label: 'Deny everything', description: 'for matching files', rule: { effect: 'deny' } },
];
