import * as vscode from 'vscode';
import type { Event } from '../../base/common/event';
import type { EditorPort } from '../../editor/common/editorPort';
import { openFiles } from '../../platform/vscode/openFiles';
import { ContextCollector, type ContextCollectorDeps } from '../common/context/contextCollector';
import type { ContextSwitches } from '../common/context/contextSwitches';
import { watchGit } from '../../platform/vscode/gitWatch';
import type { DocumentLanguages } from './documentLanguages';
import { gitStateOf } from './gitState';

/** Creates the collector of this window's editor context. */
export function createContextCollector(
  editor: EditorPort,
  switches: ContextSwitches,
  languages: Pick<DocumentLanguages, 'languageOf'>,
  isReported: ContextCollectorDeps['isReported'],
): ContextCollector {
  return new ContextCollector({
    editor,
    openDocuments: openFiles,
    languageOf: (path) => languages.languageOf(path),
    gitState: gitStateOf,
    isReported,
    switches,
  });
}

/** Events after which the collected context may differ. */
export function editorContextChanges(
  editor: Pick<EditorPort, 'onDidChangeSelection' | 'onDidChangeVisibleFiles'>,
  onError: (error: unknown) => void,
): readonly Event<void>[] {
  return [
    editor.onDidChangeSelection,
    editor.onDidChangeVisibleFiles,
    (listener) => vscode.window.tabGroups.onDidChangeTabs(() => listener()),
    (listener) => vscode.languages.onDidChangeDiagnostics(() => listener()),
    (listener) => vscode.workspace.onDidChangeWorkspaceFolders(() => listener()),
    (listener) => watchGit(listener, onError),
  ];
}
