/**
 * Who calls a tool over MCP: a session of an agent, or a program outside VS Code. Decides by the permissions, or by asking the
 * user, what the tool may change or run.
 */
export interface ToolCaller {
  /** Aborted when the caller has ended. */
  readonly endSignal: AbortSignal;
  /** Aborted when the user stops the current turn. Undefined between turns. */
  readonly stopSignal: AbortSignal | undefined;
  /** Decides about all files of a change together. Never rejects. */
  mayChangeFiles(change: ToolChange, signal: AbortSignal): Promise<ToolPermit>;
  /** Never rejects. */
  mayRun(command: ToolCommand, signal: AbortSignal): Promise<ToolPermit>;
  /** Runs a write of these files and records it as the caller's. Paths are absolute and resolved. */
  recordWrites<T>(paths: readonly string[], write: () => Promise<T>): Promise<T>;
}

export interface ToolChange {
  /** Completes "wants to", for example "rename total to sum". Not shown for a single file. */
  readonly purpose: string;
  readonly files: readonly ChangedFile[];
}

export interface ChangedFile {
  /** As from `EditorPort.realPathOf`, because permissions are decided by it. */
  readonly path: string;
  /** Null for a new file. */
  readonly before: string | null;
  readonly after: string;
  /** Why the file is protected, as a sentence fragment. */
  readonly protection?: string | undefined;
}

export interface ToolCommand {
  /** A shell command line is a single argument. */
  readonly argv: readonly string[];
  /** Absolute path. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Why more may run than the command says. The user is then always asked, and no answer is lasting. */
  readonly warning?: string;
}

export type ToolPermit =
  | { readonly isGranted: true }
  /** The reason, and how to continue, as a message for the model. */
  | { readonly isGranted: false; readonly reason: string };
