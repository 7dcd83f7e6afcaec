import * as vscode from 'vscode';
import type { Messages } from '../../platform/vscode/messages';
import type { Credentials } from '../common/server/credentials';
import type { ServerTokens } from '../common/server/serverTokens';

/** The command `backline.amplifier.setApiKey`: sets the key, replaces or removes it, and says what becomes of it. */
export async function manageApiKey(credentials: Credentials, messages: Messages): Promise<void> {
  const isSet = await credentials.isSet();
  const action = isSet ? await chooseAction('Amplifier API Key', 'A key is stored') : 'set';
  if (action === 'remove') {
    await credentials.set('');
    await credentials.forgetConfirmations();
    messages.info('API key removed. Servers that you confirmed must be confirmed again.');
    return;
  }
  if (action === undefined) return;
  const key = await askForSecret({
    title: 'Amplifier API Key',
    prompt: 'For the model provider. It stays in VS Code’s secret storage and goes to the Amplifier server only.',
    placeHolder: 'sk-ant-…',
  });
  if (key === undefined) return;
  await credentials.set(key);
  messages.info(
    `API key ${isSet ? 'replaced' : 'stored'}. It is sent to the Amplifier server when a session begins. ` +
      'A server on another machine gets it only over https and after you confirm.',
  );
}

/**
 * The command `backline.amplifier.setToken`: the same for the token that a server asks its clients for. Resolves with whether
 * anything has changed. @throws Error for a server that no token is sent to
 */
export async function manageToken(tokens: ServerTokens, server: URL, messages: Messages): Promise<boolean> {
  const { origin } = server;
  const isSet = (await tokens.for(server)) !== undefined;
  const action = isSet ? await chooseAction('Amplifier Server Token', `A token for ${origin} is stored`) : 'set';
  if (action === 'remove') {
    await tokens.set(server, '');
    messages.info(`The token for ${origin} is removed.`);
    return true;
  }
  if (action === undefined) return false;
  const token = await askForSecret({
    title: 'Amplifier Server Token',
    prompt: `What ${origin} asks its clients for. It stays in VS Code’s secret storage and goes to this server only.`,
    placeHolder: 'The token that the server showed when it started',
  });
  if (token === undefined) return false;
  await tokens.set(server, token);
  messages.info(`The token for ${origin} is ${isSet ? 'replaced' : 'stored'}.`);
  return true;
}

/** Asks the user whether the API key may go to a server that is not on this machine. */
export async function confirmServer(origin: string): Promise<boolean> {
  const send = 'Send the Key';
  const detail = 'It is sent whenever a session begins there. Only continue if you trust this server.';
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

/** Without showing what is typed. */
async function askForSecret(texts: {
  title: string;
  prompt: string;
  placeHolder: string;
}): Promise<string | undefined> {
  return await vscode.window.showInputBox({
    ...texts,
    password: true,
    ignoreFocusOut: true,
    validateInput: (value) => (/^\s*\S+\s*$/u.test(value) ? undefined : 'It must not contain spaces.'),
  });
}
