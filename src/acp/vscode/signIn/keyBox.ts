import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/common/disposable';
import type { AuthKey } from '../../../session/common/sessionBackend';
import { keyProblem } from '../../common/signIn/agentKeys';

const getKey: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('link-external'), tooltip: 'Get a Key' };

/** Asks for a key in a password box that stays open while the user gets one. Undefined if the user cancels. */
export async function askForKey(
  agentTitle: string,
  { advice, name, page, variable }: AuthKey,
): Promise<string | undefined> {
  const store = new DisposableStore();
  const box = store.add(vscode.window.createInputBox());
  box.title = `${name} for ${agentTitle}`;
  box.prompt = [
    ...(advice === undefined ? [] : [advice]),
    `It is kept in VS Code’s secret storage, and only ${agentTitle} gets it, as ${variable}.`,
  ].join(' ');
  box.placeholder = `Paste the ${name}`;
  box.password = true;
  box.ignoreFocusOut = true;
  if (page !== undefined) box.buttons = [getKey];
  try {
    return await new Promise((resolve) => {
      store.add(
        box.onDidTriggerButton(() => {
          if (page !== undefined) void vscode.env.openExternal(vscode.Uri.parse(page, true));
        }),
      );
      store.add(
        box.onDidChangeValue(() => {
          box.validationMessage = undefined;
        }),
      );
      store.add(
        box.onDidAccept(() => {
          const problem = keyProblem(box.value);
          if (problem === undefined) resolve(box.value.trim());
          else box.validationMessage = problem;
        }),
      );
      store.add(box.onDidHide(() => resolve(undefined)));
      box.show();
    });
  } finally {
    store.dispose();
  }
}

/** Asks for the environment variable in which an agent expects a key. */
export async function askForVariable(
  agentTitle: string,
  check: (variable: string) => boolean,
): Promise<string | undefined> {
  const variable = await vscode.window.showInputBox({
    title: `Key for ${agentTitle}`,
    prompt: 'The environment variable that the agent takes its key from. Its documentation names it.',
    placeHolder: 'EXAMPLE_API_KEY',
    ignoreFocusOut: true,
    validateInput: (value) => (check(value.trim()) ? undefined : 'No key can be stored for this variable.'),
  });
  return variable?.trim();
}
