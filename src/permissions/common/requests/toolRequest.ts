import type { ToolKind } from '../../../session/common/sessionEvents';

/**
 * A permission request in canonical form: requests with equal members have equal effects. Contains no descriptions such
 * as the title.
 */
export interface ToolRequest {
  /** Id of the agent. */
  readonly agent: string;
  readonly kind: ToolKind;
  /**
   * Name of the tool, or what the request is called if its kind says nothing else. Undefined if neither is known, and for
   * what Backline does itself.
   */
  readonly tool?: string;
  /** Absolute paths as `EditorPort.realPathOf` returns them, without duplicates. */
  readonly paths: readonly string[];
  /**
   * The program and its arguments; a shell command line is a single element. `isProgram` is set if the first element is a
   * program although a shell would read it as another command. `cwd` is absolute and resolved.
   */
  readonly command?: {
    readonly argv: readonly string[];
    readonly cwd: string;
    /** Name of the shell in which Backline runs a line. */
    readonly shell?: string;
    readonly isProgram?: true;
  };
  /** Variables added to the environment, sorted by name. */
  readonly env: Readonly<Record<string, string>>;
  /** Other input members with an effect, as canonical JSON, sorted by name. */
  readonly input: Readonly<Record<string, string>>;
  /** The whole input as canonical JSON, of a kind in `inputComparedAsWhole`. Undefined if the agent has sent none. */
  readonly rawInput?: string;
  /** Input members that lift a restriction, with their values. Also contained in `input`. */
  readonly escalations: Readonly<Record<string, unknown>>;
  /** Whether a path could not be resolved, or a member has no canonical form. Rules never allow such a request. */
  readonly isUnresolved: boolean;
  /**
   * Whether the tool could understand a path in another way than it is written, for example as a glob. The policy and
   * rules with globs never allow such a request.
   */
  readonly isAmbiguous?: boolean;
}

export interface RequestWithProtections extends ToolRequest {
  /** Protected files among `paths`, with the reasons (`Protection.reason`). */
  readonly protections: ReadonlyMap<string, string>;
}

/** Creates a request without a command. Paths must be absolute and resolved. */
export function createFileRequest(agent: string, kind: ToolKind, ...paths: readonly string[]): ToolRequest {
  return { ...emptyRequest, agent, kind, paths };
}

const emptyRequest = { env: {}, input: {}, escalations: {}, isUnresolved: false };
