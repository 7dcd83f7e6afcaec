import * as vscode from 'vscode';
import { DisposableStore } from '../../../base/common/disposable';
import type { EditorPort } from '../../../editor/common/editorPort';
import { toSafeNotificationText } from '../../../base/common/text/noticeText';
import type { Settings } from '../../../platform/vscode/settings';
import { formatFileNames } from '../../../base/common/lists';
import type { SaveAnswer, SaveQuestion, UnsavedFile, UnsavedFiles } from '../../common/unsaved/promptSaves';

interface WindowUnsavedFilesDeps {
  readonly editor: Pick<EditorPort, 'resolve' | 'save'>;
  readonly settings: Pick<Settings, 'saveBeforePrompt' | 'setSaveBeforePrompt'>;
  /** Called when the user has dismissed a question, so that they can change the prompt. */
  readonly onDismiss: () => void;
}

type Choice = readonly [label: string, answer: SaveAnswer];

const choices: readonly Choice[] = [
  ['Save All', 'save'],
  ['Send Without Saving', 'send'],
  ['Always Save', 'alwaysSave'],
];
const choicesAfterFailure: readonly Choice[] = [
  ['Try Again', 'save'],
  ['Send Without Saving', 'send'],
];

/** Asks the user with notifications of VS Code. */
export class WindowUnsavedFiles implements UnsavedFiles {
  constructor(private readonly deps: WindowUnsavedFilesDeps) {}

  get saveBeforePrompt() {
    return this.deps.settings.saveBeforePrompt();
  }

  async listFiles(): Promise<readonly UnsavedFile[]> {
    const { editor } = this.deps;
    const editors = vscode.window.visibleTextEditors.map(({ document }) => document);
    const notebooks = vscode.window.visibleNotebookEditors.map(({ notebook }) => notebook);
    const shown = new Set<UnsavedDocument>([...editors, ...notebooks]);
    const files = dirtyDocuments().map(async (document): Promise<UnsavedFile[]> => {
      const { fsPath } = document.uri;
      // Agents cannot access a file on the exclude list.
      const isForAgents = await editor.resolve(fsPath).then(Boolean, () => false);
      return isForAgents && document.isDirty ? [{ path: fsPath, isVisible: shown.has(document) }] : [];
    });
    return (await Promise.all(files)).flat();
  }

  async saveFile(path: string): Promise<void> {
    await this.deps.editor.save(path);
  }

  async ask(question: SaveQuestion, signal: AbortSignal): Promise<SaveAnswer | undefined> {
    const store = new DisposableStore();
    // VS Code cannot close the notification, so only the listeners are removed.
    signal.addEventListener('abort', () => store.dispose(), { once: true });
    const whenSaved = new Promise<'save'>((resolve) => {
      const check = (): void => {
        const dirty = new Set(dirtyDocuments().map(({ uri }) => uri.fsPath));
        if (!question.paths.some((path) => dirty.has(path))) resolve('save');
      };
      store.add(vscode.workspace.onDidSaveTextDocument(check));
      store.add(vscode.workspace.onDidCloseTextDocument(check));
      store.add(vscode.workspace.onDidSaveNotebookDocument(check));
      store.add(vscode.workspace.onDidCloseNotebookDocument(check));
    });
    try {
      const answer = await Promise.race([whenSaved, showQuestion(question)]);
      if (answer === undefined && !signal.aborted) this.deps.onDismiss();
      return answer;
    } finally {
      store.dispose();
    }
  }

  async setAlwaysSave(): Promise<void> {
    await this.deps.settings.setSaveBeforePrompt('always');
  }
}

async function showQuestion({ paths, problem }: SaveQuestion): Promise<SaveAnswer | undefined> {
  const names = formatFileNames(paths.map((path) => vscode.workspace.asRelativePath(path)));
  const [have, files] = paths.length === 1 ? ['has', 'file'] : ['have', 'files'];
  const text =
    problem === undefined
      ? `${names} ${have} unsaved changes. An agent’s own tools and shell commands read the saved ${files}. Save before sending?`
      : `${names} could not be saved before sending. ${problem}`;
  const offered = problem === undefined ? choices : choicesAfterFailure;
  const chosen = await vscode.window.showWarningMessage(
    toSafeNotificationText(text),
    ...offered.map(([label]) => label),
  );
  return offered.find(([label]) => label === chosen)?.[1];
}

type UnsavedDocument = vscode.TextDocument | vscode.NotebookDocument;

/** Returns the open workspace files that have unsaved text, or are notebooks with unsaved changes. */
function dirtyDocuments(): UnsavedDocument[] {
  return [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments].filter(
    ({ isDirty, uri }) => isDirty && uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(uri),
  );
}
