import * as vscode from 'vscode';

/** Asks the user whether clients may connect to the embedded server without a token. */
export async function confirmNoToken(isServing: boolean): Promise<boolean> {
  const open = 'Serve Without a Token';
  const detail =
    'Any program of any user on this machine can then use the agents of this window to read and change files and run ' +
    'commands, and can answer their approvals. Web pages can’t connect. This lasts until you stop serving or close the ' +
    `window.${isServing ? ' The current sessions end.' : ''}`;
  const message = 'Serve the agents of this window without a token?';
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, open)) === open;
}
