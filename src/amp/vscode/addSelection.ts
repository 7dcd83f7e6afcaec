import * as vscode from 'vscode';
import type { EditorPort } from '../../editor/common/editorPort';
import { commandIds } from '../../manifest';
import type { Messages } from '../../platform/vscode/messages';
import {
  innermostFolder,
  isPathTypableInTerminal,
  formatMention,
  explainUnmentionableFile,
} from '../common/ampMention';
import type { AmpTerminals } from './ampTerminals';

interface AddSelectionDeps {
  readonly editor: Pick<EditorPort, 'activeSelection' | 'folders' | 'resolve'>;
  readonly terminals: AmpTerminals;
  readonly messages: Messages;
  /** Sends text to clients that may insert it into their prompt. Few do, and none of them reports it. */
  readonly appendToPrompt: (message: string) => void;
}

/**
 * The command `backline.amp.addSelection`: mentions the selection in Amp's prompt. If no Amp terminal is running,
 * copies the mention to the clipboard.
 * @throws Error with the reason why there is nothing to mention
 */
export async function addSelectionToAmp(deps: AddSelectionDeps): Promise<void> {
  const { editor, terminals, messages, appendToPrompt } = deps;
  const { path: file, selections } = editor.activeSelection ?? {};
  const selection = selections?.[0];
  if (file === undefined || !selection) throw new Error(await explainMissingSelection(editor));
  if (!isPathTypableInTerminal(file)) {
    throw new Error(
      `The name ${JSON.stringify(file)} contains control characters, which a terminal treats as keys. Rename the file, then add the selection again.`,
    );
  }

  const folders = editor.folders.map(({ path }) => path);
  const mention = formatMention(file, selection, innermostFolder(file, folders));
  appendToPrompt(mention);
  const running = terminals.findRunningCli(file);
  if (running) {
    // The space ends the mention and closes the CLI's completion list.
    running.terminal.sendText(`${formatMention(file, selection, running.folder)} `, false);
    running.terminal.show();
    return;
  }
  await vscode.env.clipboard.writeText(mention);
  messages.info(`Copied ${mention}. Paste it into Amp.`, {
    label: 'Open Amp Terminal',
    run: () => vscode.commands.executeCommand(commandIds.ampOpenTerminal),
  });
}

async function explainMissingSelection(editor: Pick<EditorPort, 'resolve'>): Promise<string> {
  const document = vscode.window.activeTextEditor?.document;
  if (!document) return 'Open a file in the workspace and select some text.';
  const name = vscode.workspace.asRelativePath(document.uri);
  if (document.uri.scheme !== 'file') return `${name} is not a file on disk. Save it in the workspace first.`;
  const reason: unknown = await editor.resolve(document.uri.fsPath).then(
    () => undefined,
    (error: unknown) => error,
  );
  return explainUnmentionableFile(name, reason);
}
