/** The window's state that tools need in addition to the editor port. May include files that agents must not see. */
export interface WindowPort {
  /** All files open in tabs, in the order of the tabs. */
  readonly openFiles: readonly OpenFile[];
  readonly unsavedFiles: readonly { readonly path: string; readonly text: string }[];
  /** VS Code's language id of an open file, for example `typescript`. */
  languageOf(path: string): string | undefined;
}

export interface OpenFile {
  /** Absolute path. */
  readonly path: string;
  readonly isActive: boolean;
  readonly isVisible: boolean;
  readonly isUnsaved: boolean;
}
