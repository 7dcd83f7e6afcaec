/** Offers a feature's tools to models, over MCP. */
export interface ToolProvider {
  /** The current tools. Read this for each list and call, because tools change with settings. */
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
    /** Whether the tool changes nothing, so that agents can run it without asking. */
    readonly readOnlyHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}
