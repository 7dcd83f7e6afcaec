import { toFileUri } from '../../base/common/fileUri';
import type { EditorPort, EditorSelection, Position } from '../../editor/common/editorPort';

// Each notification is one message for both dialects: the CLI reads its own key and ignores the rest; next to it is the
// document's `method`. Lines and characters are 0-based, in UTF-16 units, in both.

/** A notification as text, created once for all clients. */
export interface AmpNotification {
  /** The CLI's name. */
  readonly method: string;
  readonly json: string;
}

/** The editor state that clients are notified of. */
export interface EditorNotifications {
  readonly visibleFiles: AmpNotification;
  /** Undefined if no file is active. Clients keep the last selection until the list of visible files is empty. */
  readonly selection: AmpNotification | undefined;
}

export function editorNotifications(editor: Pick<EditorPort, 'visibleFiles' | 'activeSelection'>): EditorNotifications {
  const selection = editor.activeSelection;
  return {
    visibleFiles: visibleFilesNotification(editor.visibleFiles),
    selection: selection && selectionNotification(selection),
  };
}

export const noVisibleFilesNotification = visibleFilesNotification([]);

/** A client forgets its files, active file and selection only when it receives an empty list. */
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

/** Omits `pluginDirectory`, because older CLIs would install plugins into it. */
export function pluginMetadataNotification(version: string): AmpNotification {
  return notification('pluginMetadata', { version }, 'pluginMetadata', { version });
}

/** Inserts text into the prompt. CLIs since 2026-04-12 ignore it. */
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
