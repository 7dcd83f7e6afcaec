import * as vscode from 'vscode';

/** Asks the user whether clients of the embedded server may come in without its token. */
export async function confirmNoToken(isServing: boolean): Promise<boolean> {
  const open = 'Serve Without a Token';
  const detail =
    'Every program of this machine, of every user of it, can then let the agents of this window read and change files and ' +
    'run commands here, and can answer what they ask. Web pages stay out. It lasts until you stop it or close the window.' +
    (isServing ? ' The sessions that are served now end.' : '');
  const message = 'Serve the agents of this window without a token?';
  return (await vscode.window.showWarningMessage(message, { modal: true, detail }, open)) === open;
}
