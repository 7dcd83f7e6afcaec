/** Why a tool cannot answer, for a model to read: what is wrong and what to do next. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}
