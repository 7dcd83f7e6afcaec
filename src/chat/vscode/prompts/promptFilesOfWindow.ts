import * as vscode from 'vscode';
import type { Logger } from '../../../base/common/log';
import type { EditorPort } from '../../../editor/common/editorPort';
import type { Settings } from '../../../platform/vscode/settings';
import type { MentionRow } from '../../common/chatView';
import { promptFoldersOf } from '../../common/prompts/promptFileLocations';
import { PromptFiles } from '../../common/prompts/promptFiles';
import {
  listUserPromptFiles,
  namedPromptFolders,
  readUserPromptFile,
  userPromptFolders,
} from '../../node/prompts/userPromptFiles';

interface WindowPromptFilesDeps {
  readonly editor: EditorPort;
  /** VS Code's storage of the extension for all workspaces, which lies in the folder of the user's profile. */
  readonly globalStorage: string;
  /** Returns rows for files and folders by URI or path. @throws EditorError if none is accessible */
  readonly rowsForDrop: (paths: readonly string[]) => Promise<MentionRow[]>;
  readonly settings: Pick<Settings, 'promptFileLocations'>;
  readonly notify: (text: string) => void;
  readonly log: Logger;
}

/** The prompt files of this window's workspace and of its user. */
export function createPromptFiles({
  editor,
  globalStorage,
  log,
  notify,
  rowsForDrop,
  settings,
}: WindowPromptFilesDeps): PromptFiles {
  const folders = userPromptFolders(globalStorage);
  const located = () => promptFoldersOf(settings.promptFileLocations());
  return new PromptFiles({
    editor,
    workspaceFolders: () => located().workspace,
    listUserFiles: () => listUserPromptFiles([...folders, ...namedPromptFolders(located().user)], log),
    readUserFile: readUserPromptFile,
    rowsOf: (paths) => (paths.length === 0 ? Promise.resolve([]) : rowsForDrop(paths).catch(() => [])),
    isTrusted: () => vscode.workspace.isTrusted,
    ask: async (name, { name: input, placeholder = '' }) =>
      await vscode.window.showInputBox({ title: `/${name}: ${input}`, placeHolder: placeholder, ignoreFocusOut: true }),
    notify,
    log,
  });
}
