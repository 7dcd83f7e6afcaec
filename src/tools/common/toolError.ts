/** An error for a model. The message explains why a tool cannot answer, and what to do next. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
