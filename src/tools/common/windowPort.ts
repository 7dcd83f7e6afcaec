/** What the tools need of the window besides the editor port. What it gives has not been checked by the boundary. */
export interface WindowPort {
  /** Files in tabs, in the order of the tabs. */
  readonly openFiles: readonly OpenFile[];
  /** Text of files with changes that are not on disk. */
  readonly unsavedFiles: readonly { readonly path: string; readonly text: string }[];
  /** VS Code's id of the language of a file that is open, for example `typescript`. */
  languageOf(path: string): string | undefined;
}

export interface OpenFile {
  /** Absolute. */
  readonly path: string;
  readonly isActive: boolean;
  readonly isVisible: boolean;
  readonly isUnsaved: boolean;
}
