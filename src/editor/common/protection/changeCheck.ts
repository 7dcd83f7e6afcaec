import { EditorError, isEditorError, type WriteOptions } from '../editorPort';
import type { WorkspacePath } from '../globRules';
import type { ProtectedFiles } from './protectedFiles';
import type { TextBeforeAndAfter, Protection } from './protection';

interface PendingChange extends TextBeforeAndAfter {
  /** Path as the peer gave it. */
  readonly requestedPath: string;
  /** Absolute path, as from `EditorPort.resolve`. */
  readonly path: string;
  /** The requested path, the real path, and paths through other links in the workspace. */
  readonly names: readonly WorkspacePath[];
  readonly after: string;
}

/**
 * Called with the current text right before a file is changed, and again if the user edits it in the meantime. If it
 * throws, the write fails with the same error and nothing is changed.
 */
export type ChangeCheck = (change: PendingChange) => void;

/** A write was refused because it needs the user's approval. */
export class ProtectedChangeError extends EditorError {
  /** The path as the peer gave it. */
  readonly requestedPath: string;
  /** Absolute and resolved path of the file. */
  readonly path: string;
  /** See `Protection.reason`. */
  readonly reason: string;
  readonly change: TextBeforeAndAfter & { readonly after: string };

  constructor({ requestedPath, path, before, after }: PendingChange, { reason }: Protection) {
    super('protected', `${requestedPath} is protected: ${reason}. Ask the user to make or allow this change.`);
    this.requestedPath = requestedPath;
    this.path = path;
    this.reason = reason;
    this.change = { before, after };
  }
}

/** Also recognizes errors from other bundles, where `instanceof` fails. */
export function isProtectedChangeError(error: unknown): error is ProtectedChangeError {
  return isEditorError(error) && error.code === 'protected' && 'change' in error;
}

/**
 * The check of a write with these options. A change to a protected file, or one with `askBecause`, throws
 * `ProtectedChangeError` unless the options have `protectedFiles: 'allow'`. `protectedFiles` is called for each change.
 */
export function createChangeCheck(
  protectedFiles: () => ProtectedFiles,
  { askBecause, mayReplace, onWillApply, protectedFiles: answer }: WriteOptions = {},
): ChangeCheck {
  const everyFile: Protection | undefined = askBecause === undefined ? undefined : { reason: askBecause };
  return (change) => {
    if (change.before !== undefined && mayReplace?.(change.before) === false) {
      throw new EditorError('staleVersion', `${change.requestedPath} has changed since it was read. Read it again.`);
    }
    const protection = protectedFiles().protectionOf(change.names, change) ?? everyFile;
    if (protection && answer !== 'allow') throw new ProtectedChangeError(change, protection);
    onWillApply?.();
  };
}
