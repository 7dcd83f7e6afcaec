import type { ToolKind } from '../../../session/common/sessionEvents';

/** A permission request in canonical form: equal members mean equal effects. Excludes descriptions such as the title. */
export interface ToolRequest {
  /** Id of the agent. */
  readonly agent: string;
  readonly kind: ToolKind;
  /** As from `EditorPort.realPathOf`, unique. */
  readonly paths: readonly string[];
  /** A shell command line is a single argument. `cwd` is absolute and resolved. */
  readonly command?: { readonly argv: readonly string[]; readonly cwd: string };
  /** Variables added to the environment, sorted by name. */
  readonly env: Readonly<Record<string, string>>;
  /** Other input members with an effect, as canonical JSON, sorted by name. */
  readonly input: Readonly<Record<string, string>>;
  /** Input members that lift a restriction, with their values. Also contained in `input`. */
  readonly escalations: Readonly<Record<string, unknown>>;
  /** Whether a path could not be resolved or a member has no canonical form. Rules never allow such a request. */
  readonly isUnresolved: boolean;
}

export interface CheckedRequest extends ToolRequest {
  /** Reasons (`Protection.reason`) by path of a protected file. */
  readonly protections: ReadonlyMap<string, string>;
}

/** Creates a request without a command. Paths must be absolute and resolved. */
export function createFileRequest(agent: string, kind: ToolKind, ...paths: readonly string[]): ToolRequest {
  return { ...emptyRequest, agent, kind, paths };
}

const emptyRequest = { env: {}, input: {}, escalations: {}, isUnresolved: false };
