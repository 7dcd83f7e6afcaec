/**
 * The caller of a tool over MCP: a session of an agent, or a program outside VS Code. It decides what the tool may
 * change or run, according to the permissions or by asking the user.
 */
export interface ToolCaller {
  /** Aborted when the caller has ended. */
  readonly endSignal: AbortSignal;
  /** Aborted when the user stops the current turn. Undefined between turns. */
  readonly stopSignal: AbortSignal | undefined;
  /** Decides about all files of a change at once. Never rejects. */
  mayChangeFiles(change: ToolChange, signal: AbortSignal): Promise<ToolPermissionResult>;
  /** Decides whether a command may run. Never rejects. */
  mayRun(command: ToolCommand, signal: AbortSignal): Promise<ToolPermissionResult>;
  /** Runs a write of these files and records it as the caller's. Paths are absolute and resolved. */
  recordWrites<T>(paths: readonly string[], write: () => Promise<T>): Promise<T>;
  /** Shows a call in the caller's conversation, if it has one. Call the result when the call has ended. */
  recordCall(call: ToolCallRecord): (result: ToolCallResult) => void;
}

/** A call of a tool of the window. */
export interface ToolCallRecord {
  /** Name of the MCP server. */
  readonly server: string;
  readonly tool: string;
  readonly title: string;
  readonly input: Record<string, unknown>;
}

export interface ToolCallResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface ToolChange {
  /** Completes the sentence "… wants to", for example "rename total to sum". Not shown if only one file changes. */
  readonly purpose: string;
  /** A sentence that the user must read before allowing the change. */
  readonly warning?: string;
  readonly files: readonly ToolFileChange[];
}

export interface ToolFileChange {
  /** A path from `EditorPort.realPathOf`, because permissions are decided by the real path. */
  readonly path: string;
  /** The text before the change; null for a new file. */
  readonly before: string | null;
  readonly after: string;
  /** Why the file is protected, as a sentence fragment. */
  readonly protection?: string | undefined;
}

export interface ToolCommand {
  /** The program and its arguments. A shell command line is a single element. */
  readonly argv: readonly string[];
  /** Set if `argv` is started without a shell, and the name of the program is no plain word. */
  readonly isProgram?: true;
  /** Working directory, as an absolute path. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Name of the shell that runs `argv`, which is then a line. */
  readonly shell?: string;
  /**
   * Set if the command may run more than it shows, with the reason. Then the user is always asked, and the answer
   * applies only once.
   */
  readonly warning?: string;
}

export type ToolPermissionResult =
  | { readonly isGranted: true }
  /** The reason and what to do next, as a message for the model. */
  | { readonly isGranted: false; readonly reason: string };
