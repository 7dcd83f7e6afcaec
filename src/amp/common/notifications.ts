import { toFileUri } from '../../base/common/fileUri';
import type { EditorPort, EditorSelection, Position } from '../../editor/common/editorPort';

// Each notification is one message that both dialects understand: the CLI's key, which the CLI reads (it strips what it
// does not know), and beside it the document's `method`. Lines and characters are 0-based UTF-16 in both.

/** A notification as text, made once for all clients. */
export interface AmpNotification {
  /** The CLI's name. */
  readonly method: string;
  readonly json: string;
}

/** What a client should know of the editor now. */
export interface EditorState {
  readonly visibleFiles: AmpNotification;
  /** Undefined when no file is active; clients keep the last one until the list of visible files is empty. */
  readonly selection: AmpNotification | undefined;
}

export function editorState(editor: Pick<EditorPort, 'visibleFiles' | 'activeSelection'>): EditorState {
  const selection = editor.activeSelection;
  return {
    visibleFiles: visibleFilesNotification(editor.visibleFiles),
    selection: selection && selectionNotification(selection),
  };
}

/** The list of visible files when there are none. */
export const noVisibleFiles = visibleFilesNotification([]);

/** An empty list is the only way to clear what a client remembers, its active file and selection included. */
export function visibleFilesNotification(files: readonly string[]): AmpNotification {
  return notification('visibleFilesDidChange', { uris: files.map(toFileUri) }, 'visibleFilesChanged', { files });
}

export function selectionNotification({ path, selections }: EditorSelection): AmpNotification {
  const all = selections.map(({ start, end, text }) => ({
    range: {
      startLine: start.line,
      startCharacter: start.character,
      endLine: end.line,
      endCharacter: end.character,
    },
    content: text,
  }));
  const primary = selections[0] ?? { start: startOfFile, end: startOfFile };
  const documentData = { path, start: toLineCol(primary.start), end: toLineCol(primary.end) };
  return notification(
    'selectionDidChange',
    { uri: toFileUri(path), selections: all },
    'selectionChanged',
    documentData,
  );
}

const startOfFile: Position = { line: 0, character: 0 };

/** `pluginDirectory` stays out: older CLIs install into it. */
export function pluginMetadataNotification(version: string): AmpNotification {
  return notification('pluginMetadata', { version }, 'pluginMetadata', { version });
}

/** Inserts text into the prompt; CLIs since 2026-04-12 ignore it. */
export function appendToPromptNotification(message: string): AmpNotification {
  return notification('appendToPrompt', { message }, 'appendToPrompt', { message });
}

export function toLineCol({ line, character }: Position): { line: number; col: number } {
  return { line, col: character };
}

function notification(cliName: string, cliData: object, documentName: string, documentData: object): AmpNotification {
  return {
    method: cliName,
    json: JSON.stringify({ serverNotification: { [cliName]: cliData, method: { [documentName]: documentData } } }),
  };
}
