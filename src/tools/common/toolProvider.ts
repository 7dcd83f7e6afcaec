/** Offers a feature's tools to models, over MCP. */
export interface ToolProvider {
  /** Read for each list and call, because tools change with settings. */
  readonly tools: readonly Tool[];
}

export interface Tool {
  readonly definition: ToolDefinition;
  /** Returns the answer for the model. @throws Error with a message for the model */
  run(input: unknown, signal: AbortSignal): Promise<string>;
}

interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations?: {
    readonly title?: string;
    /** Whether it changes nothing, so that agents need not ask. */
    readonly readOnlyHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}
