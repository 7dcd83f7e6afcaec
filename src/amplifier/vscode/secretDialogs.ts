import * as vscode from 'vscode';
import type { Messages } from '../../platform/vscode/messages';
import type { ApiKeyStore } from '../common/server/apiKeyStore';
import type { ServerTokens } from '../common/server/serverTokens';

/** The command `backline.amplifier.setApiKey`: sets, replaces or removes the key. */
export async function manageApiKey(credentials: ApiKeyStore, messages: Messages): Promise<void> {
  const isSet = await credentials.hasKey();
  const action = isSet ? await chooseAction('Amplifier API Key', 'An API key is stored') : 'set';
  if (action === 'remove') {
    await credentials.setKey('');
    await credentials.forgetConfirmations();
    messages.info('API key removed. You need to confirm servers again before a new key is sent to them.');
    return;
  }
  if (action === undefined) return;
  const key = await askForSecret({
    title: 'Amplifier API Key',
    prompt:
      'Your key for the model provider. It is kept in VS Code’s secret storage and only sent to the Amplifier server.',
    placeHolder: 'sk-ant-…',
  });
  if (key === undefined) return;
  await credentials.setKey(key);
  messages.info(
    `API key ${isSet ? 'replaced' : 'stored'}. It is sent to the Amplifier server when a session starts. Servers on other ` +
      'machines receive it only over https and after you confirm.',
  );
}

/** `backline.amplifier.setToken`. Returns whether the token has changed. @throws Error for an insecure server */
export async function manageToken(tokens: ServerTokens, server: URL, messages: Messages): Promise<boolean> {
  const { origin } = server;
  const isSet = (await tokens.tokenFor(server)) !== undefined;
  const action = isSet ? await chooseAction('Amplifier Server Token', `A token for ${origin} is stored`) : 'set';
  if (action === 'remove') {
    await tokens.setToken(server, '');
    messages.info(`Token for ${origin} removed.`);
    return true;
  }
  if (action === undefined) return false;
  const token = await askForSecret({
    title: 'Amplifier Server Token',
    prompt: `The access token for ${origin}. It is kept in VS Code’s secret storage and only sent to this server.`,
    placeHolder: 'The token that the server showed when it started',
  });
  if (token === undefined) return false;
  await tokens.setToken(server, token);
  messages.info(`Token for ${origin} ${isSet ? 'replaced' : 'stored'}.`);
  return true;
}

export async function confirmSendingApiKey(origin: string): Promise<boolean> {
  const send = 'Send the Key';
  const detail = 'The key is sent whenever a session starts there. Only continue if you trust this server.';
  const choice = await vscode.window.showWarningMessage(
    `Send your API key to ${origin}?`,
    { modal: true, detail },
    send,
  );
  return choice === send;
}

async function chooseAction(title: string, placeHolder: string): Promise<'set' | 'remove' | undefined> {
  const items = [
    { label: '$(edit) Replace', action: 'set' as const },
    { label: '$(trash) Remove', action: 'remove' as const },
  ];
  return (await vscode.window.showQuickPick(items, { title, placeHolder }))?.action;
}

async function askForSecret(texts: {
  title: string;
  prompt: string;
  placeHolder: string;
}): Promise<string | undefined> {
  return await vscode.window.showInputBox({
    ...texts,
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (/^\s*\S+\s*$/u.test(value) ? undefined : 'The value must not contain spaces.'),
  });
}
