import * as vscode from 'vscode';
import type { Event } from '../../base/common/event';
import type { EditorPort } from '../../editor/common/editorPort';
import { listOpenFiles } from '../../platform/vscode/openFiles';
import type { GitState } from '../common/api/apiSchema';
import { ContextCollector, type ContextCollectorDeps } from '../common/context/contextCollector';
import type { ContextSwitches } from '../common/context/contextSwitches';
import { findGitRepository, type GitChange } from '../../platform/vscode/git/gitRepository';
import { watchGitRepositories } from '../../platform/vscode/git/gitWatch';
import type { DocumentLanguages } from './documentLanguages';

export function createContextCollector(
  editor: EditorPort,
  switches: ContextSwitches,
  languages: Pick<DocumentLanguages, 'languageOf'>,
  isReported: ContextCollectorDeps['isReported'],
): ContextCollector {
  return new ContextCollector({
    editor,
    openDocuments: listOpenFiles,
    languageOf: (path) => languages.languageOf(path),
    gitState: gitStateOf,
    isReported,
    switches,
  });
}

/** Events after which the collected context may have changed. */
export function editorContextChangeEvents(
  editor: Pick<EditorPort, 'onDidChangeSelection' | 'onDidChangeVisibleFiles'>,
  onError: (error: unknown) => void,
): readonly Event<void>[] {
  return [
    editor.onDidChangeSelection,
    editor.onDidChangeVisibleFiles,
    (listener) => vscode.window.tabGroups.onDidChangeTabs(() => listener()),
    (listener) => vscode.languages.onDidChangeDiagnostics(() => listener()),
    (listener) => vscode.workspace.onDidChangeWorkspaceFolders(() => listener()),
    (listener) => watchGitRepositories(listener, onError),
  ];
}

/**
 * Returns the state of the repository that contains `folder` (absolute path). Undefined without Git or without a
 * repository.
 */
async function gitStateOf(folder: string): Promise<GitState | undefined> {
  const repository = await findGitRepository(folder);
  if (!repository) return undefined;
  const { branch = '', modified, staged, untracked } = repository;
  const pathsOf = (changes: readonly GitChange[]): string[] => changes.map(({ path }) => path);
  return {
    branch,
    staged_files: pathsOf(staged),
    modified_files: pathsOf(modified),
    untracked_files: pathsOf(untracked),
  };
}
