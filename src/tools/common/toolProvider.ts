/** How a feature offers tools to models: agents get them over MCP. */
export interface ToolProvider {
  /** Asked for each list and each call, as tools come and go with settings. */
  readonly tools: readonly Tool[];
}

export interface Tool {
  readonly definition: ToolDefinition;
  /** The answer, as a model reads it. @throws Error whose message the model reads */
  run(input: unknown, signal: AbortSignal): Promise<string>;
}

/** As MCP has it. */
interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
  readonly annotations?: {
    readonly title?: string;
    /** It changes nothing, so that agents need not ask. */
    readonly readOnlyHint?: boolean;
    readonly openWorldHint?: boolean;
  };
}
