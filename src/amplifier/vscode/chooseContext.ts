import * as vscode from 'vscode';
import type { ContextCollector } from '../common/context/contextCollector';
import type { ContextKind, ContextSwitches } from '../common/context/contextSwitches';

const titles: Record<ContextKind, string> = {
  openFiles: 'Open files',
  git: 'Git state',
  diagnostics: 'Problems',
  selection: 'Selection',
};

/** The command `backline.amplifier.chooseContext`: selects the context that is sent automatically. */
export async function chooseContext(context: ContextCollector, switches: ContextSwitches): Promise<void> {
  const items = (await context.describeKinds()).map(({ kind, label, isOn }) => ({
    context: kind,
    label: titles[kind],
    description: label,
    picked: isOn,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    title: 'Editor Context for Amplifier',
    placeHolder: 'Select what to send with the first prompt and after changes',
    canPickMany: true,
  });
  if (!picked) return;
  const on = new Set(picked.map((item) => item.context));
  for (const item of items) switches.setEnabled(item.context, on.has(item.context));
}
