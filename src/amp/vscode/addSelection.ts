import * as vscode from 'vscode';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds } from '../../manifest';
import type { Messages } from '../../platform/vscode/messages';
import { closestFolder, isTypable, mentionOf, whyNotOffered } from '../common/ampMention';
import type { AmpTerminals } from './ampTerminals';

interface AddSelectionOptions {
  readonly editor: Pick<EditorPort, 'activeSelection' | 'folders' | 'resolve'>;
  readonly terminals: AmpTerminals;
  readonly messages: Messages;
  /** Sends it to the clients that may know how to insert text into their prompt; few do, and none says so. */
  readonly appendToPrompt: (message: string) => void;
}

/**
 * The command `backline.amp.addSelection`: names the primary selection in the prompt of Amp, without sending it. Where no
 * Amp terminal of this window runs, the clipboard gets the mention.
 * @throws Error that tells the user why there is nothing to name.
 */
export async function addSelection(options: AddSelectionOptions): Promise<void> {
  const { editor, terminals, messages, appendToPrompt } = options;
  const { path: file, selections } = editor.activeSelection ?? {};
  const selection = selections?.[0];
  if (file === undefined || !selection) throw new Error(await whyNothing(editor));
  if (!isTypable(file)) {
    throw new Error(
      `The name ${JSON.stringify(file)} has control characters, which a prompt would take for keys. Rename the file, then add the selection again.`,
    );
  }

  const folders = editor.folders.map(({ path }) => path);
  const mention = mentionOf(file, selection, closestFolder(file, folders));
  appendToPrompt(mention);
  const running = terminals.runningFor(file);
  if (running) {
    // The space ends the mention, and with it the CLI's list of files to complete it.
    running.terminal.sendText(`${mentionOf(file, selection, running.folder)} `, false);
    running.terminal.show();
    return;
  }
  await vscode.env.clipboard.writeText(mention);
  messages.info(`Copied ${mention} — paste it into Amp.`, {
    label: 'Open Amp Terminal',
    run: () => vscode.commands.executeCommand(commandIds.ampOpenTerminal),
  });
}

async function whyNothing(editor: Pick<EditorPort, 'resolve'>): Promise<string> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) return 'Open a file of the workspace and select some text.';
  const name = vscode.workspace.asRelativePath(document.uri);
  if (document.uri.scheme !== 'file') return `${name} is not a file on disk. Save it in the workspace first.`;
  const reason: unknown = await editor.resolve(document.uri.fsPath).then(
    () => undefined,
    (error: unknown) => error,
  );
  return whyNotOffered(name, reason);
}
