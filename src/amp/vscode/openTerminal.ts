import * as vscode from 'vscode';
import type { EditorPort } from '../../editor/common/editorPort';
import type { Messages } from '../../platform/vscode/messages';
import { findInstalledAmp } from '../node/findAmp';
import type { AmpTerminals } from './ampTerminals';

const installCommand = 'npm install -g @ampcode/cli';
const installPage = 'https://ampcode.com/manual';

interface OpenTerminalDeps {
  readonly editor: Pick<EditorPort, 'folders'>;
  readonly terminals: AmpTerminals;
  readonly messages: Messages;
}

const untrusted =
  'Amp runs plugins from the folder, so it doesn’t start in an untrusted workspace. Trust the workspace, then try again.';

/** `backline.amp.openTerminal`. Resolves when the terminal is shown, or the user has seen why it is not. */
export async function openAmpTerminal({ editor, terminals, messages }: OpenTerminalDeps): Promise<void> {
  if (!vscode.workspace.isTrusted) {
    const run = (): Thenable<unknown> => vscode.commands.executeCommand('workbench.trust.manage');
    messages.error(untrusted, { label: 'Manage Workspace Trust', run });
    return;
  }
  const amp = await findInstalledAmp();
  if (!amp) {
    messages.error(
      'Amp CLI not found on PATH, in ~/.local/bin or in ~/.amp/bin. Install it, then run the command again.',
      { label: 'How to Install', run: () => vscode.env.openExternal(vscode.Uri.parse(installPage)) },
      { label: 'Copy npm Command', run: () => vscode.env.clipboard.writeText(installCommand) },
    );
    return;
  }
  if (editor.folders.length < 2) {
    await terminals.openInFolder(amp, editor.folders[0]?.path);
    return;
  }
  const picks = editor.folders.map(({ name, path }) => ({ label: name, description: path, path }));
  const options = { title: 'Open Amp Terminal', placeHolder: 'Select a folder for Amp' };
  const picked = await vscode.window.showQuickPick(picks, options);
  if (picked) await terminals.openInFolder(amp, picked.path);
}
