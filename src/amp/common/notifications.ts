import { toFileUri } from '../../base/common/addresses/fileUri';
import type { EditorPort, EditorSelection, Position } from '../../editor/common/editorPort';

// Each notification is one message for both dialects: the CLI reads the member with its own name and ignores the
// others, such as the document's `method`. In both dialects, lines and characters are 0-based and in UTF-16 units.

/** A notification as text. It is created once and sent to all clients. */
export interface AmpNotification {
  /** The name in the CLI's dialect. */
  readonly method: string;
  readonly json: string;
}

/** The notifications about the current state of the editor. */
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

/** Creates the notification. Clients clear their files, active file and selection only for an empty list. */
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

/** Creates the notification. Omits `pluginDirectory`, because older CLIs would install plugins there. */
export function pluginMetadataNotification(version: string): AmpNotification {
  return notification('pluginMetadata', { version }, 'pluginMetadata', { version });
}

/** Creates a notification that inserts text into the prompt. CLIs since 2026-04-12 ignore it. */
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
