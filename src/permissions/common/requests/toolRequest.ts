import type { ToolKind } from '../../../session/common/sessionEvents';

/**
 * All that an agent asks for in one request, in a form that can be compared: two requests with the same members do the same.
 * What the agent only says about it, such as a title, is not in here.
 */
export interface ToolRequest {
  /** Id of the agent. */
  readonly agent: string;
  readonly kind: ToolKind;
  /** Absolute and resolved, each once. */
  readonly paths: readonly string[];
  /** The program and its arguments, where a line for a shell is one argument; `cwd` is absolute and resolved. */
  readonly command?: { readonly argv: readonly string[]; readonly cwd: string };
  /** What is added to the environment; sorted by name. */
  readonly env: Readonly<Record<string, string>>;
  /** Every other member of the input that counts, as canonical JSON; sorted by name. */
  readonly input: Readonly<Record<string, string>>;
  /** Members of the input that lift a restriction, with their values. They are among `input`, too. */
  readonly escalations: Readonly<Record<string, unknown>>;
  /** A path is what the agent wrote, not what it stands for, or a member has no canonical form. No rule allows such a request. */
  readonly isUnresolved: boolean;
}

/** A request with what is known of the files that it names. */
export interface CheckedRequest extends ToolRequest {
  /** Of those that make things run: why, as half a sentence, by path. */
  readonly protections: ReadonlyMap<string, string>;
}

/** A request that reads or changes files, or is about no file in particular. Paths are absolute and resolved. */
export function fileRequest(agent: string, kind: ToolKind, ...paths: readonly string[]): ToolRequest {
  return { ...nothing, agent, kind, paths };
}

const nothing = { env: {}, input: {}, escalations: {}, isUnresolved: false };
