import type { ToolCaller } from '../../session/common/toolCaller';

/** Offers a feature's tools to models, over MCP. */
export interface ToolProvider {
  /** The current tools. Read this for each list and call, because tools change with settings. */
  readonly tools: readonly Tool[];
}

export interface Tool {
  readonly definition: ToolDefinition;
  /** Returns the answer for the model. Without a caller, it can only read. @throws Error with a message for the model */
  run(input: unknown, signal: AbortSignal, caller?: ToolCaller): Promise<string>;
}

interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations?: ToolHints;
}

export interface ToolHints {
  readonly title?: string;
  /** Whether the tool changes nothing, so that agents can run it without asking. */
  readonly readOnlyHint?: boolean;
  /** Whether the tool can destroy existing content. */
  readonly destructiveHint?: boolean;
  readonly openWorldHint?: boolean;
}
