import type { Range, TextEdit } from '../../editor/common/editorPort';
import type { FilePosition } from './languagePort';

/**
 * The edits that VS Code's language features propose. Applies nothing. Paths must already be checked; results may include files
 * that agents must not see. @throws LanguageServerTimeoutError; ToolError for too many open queries; Error if the signal fires
 */
export interface LanguageEditPort {
  /** @throws ToolError if the language server does not rename this, with its reason */
  renameEdits(at: FilePosition, newName: string, signal: AbortSignal): Promise<readonly ProposedEdits[]>;
  /** Returns nothing if there is no formatter. Without a range, formats the whole file. */
  formatEdits(path: string, range: Range | undefined, signal: AbortSignal): Promise<readonly ProposedEdits[]>;
  codeActions(path: string, range: Range, signal: AbortSignal): Promise<readonly ProposedAction[]>;
}

/** The changes that VS Code would make to a file. `path` is undefined if it is not a local file. */
export interface ProposedEdits {
  readonly path: string | undefined;
  readonly edits: readonly TextEdit[];
}

/** A code action, as VS Code offers it for a place. */
export interface ProposedAction {
  readonly title: string;
  /** For example `quickfix` or `refactor.extract`; empty if unknown. */
  readonly kind: string;
  readonly isPreferred: boolean;
  /** Why it cannot be applied now. */
  readonly disabledReason?: string | undefined;
  /** Undefined if it only runs a command of an extension. */
  readonly edits: readonly ProposedEdits[] | undefined;
}
