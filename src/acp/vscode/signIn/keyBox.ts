import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/common/disposable';
import type { AuthKeyVariable } from '../../../session/common/sessionBackend';
import { keyProblem } from '../../common/signIn/agentKeys';
import { keyTexts } from '../../common/signIn/keyTexts';

const getKey: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon('link-external'), tooltip: 'Get a Key' };

/** The agent for which a key is entered. */
interface KeyOwner {
  readonly title: string;
  /** Whether Backline connects to the agent by a URL, so that keys are sent in HTTP headers. */
  readonly hasUrl: boolean;
}

/** Asks for a key in a password box that stays open while the user gets one. Undefined if the user cancels. */
export async function askForKey(
  { hasUrl, title }: KeyOwner,
  { advice, name, page, variable }: AuthKeyVariable,
): Promise<string | undefined> {
  const store = new DisposableStore();
  const box = store.add(vscode.window.createInputBox());
  box.title = `${name} for ${title}`;
  const { keyPrompt } = keyTexts(hasUrl);
  box.prompt = [...(advice === undefined ? [] : [advice]), keyPrompt(title, variable)].join(' ');
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

/** Asks for the environment variable or the secret in which an agent expects a key. */
export async function askForVariable(
  { hasUrl, title }: KeyOwner,
  check: (variable: string) => boolean,
): Promise<string | undefined> {
  const { invalidName, namePlaceholder, namePrompt } = keyTexts(hasUrl);
  const variable = await vscode.window.showInputBox({
    title: `Key for ${title}`,
    prompt: namePrompt,
    placeHolder: namePlaceholder,
    ignoreFocusOut: true,
    validateInput: (value) => (check(value.trim()) ? undefined : invalidName),
  });
  return variable?.trim();
}
