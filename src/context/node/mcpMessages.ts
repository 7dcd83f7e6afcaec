import * as z from 'zod';
import { messageOf } from '../../base/common/errors';

/** Answers the messages of the Model Context Protocol that a server with one tool gets. */

export interface McpTool {
  readonly definition: { readonly name: string; readonly description: string; readonly inputSchema: object };
  /** @throws Error whose message the model reads */
  run(input: unknown, signal: AbortSignal): Promise<string>;
}

export interface McpServerFacts {
  readonly name: string;
  readonly version: string;
  readonly tool: McpTool;
  /** Nobody waits any more. */
  readonly signal: AbortSignal;
}

/** The newest first. What is used of them here is the same in all. */
const protocolVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const maxBatch = 50;

const Message = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number()]).optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});
type Message = z.infer<typeof Message>;

const InitializeParams = z.object({ protocolVersion: z.string() });
const CallParams = z.object({ name: z.string(), arguments: z.unknown().optional() });

interface Failure {
  readonly code: number;
  readonly message: string;
}

/** The answer to a body, or undefined when it needs none. Never rejects. */
export async function answerMcp(body: string, facts: McpServerFacts): Promise<unknown> {
  const parsed = parseJson(body);
  if (parsed === undefined) return failure(null, { code: -32700, message: 'That is not JSON.' });
  if (!Array.isArray(parsed)) return await answerOne(parsed, facts);
  if (parsed.length === 0 || parsed.length > maxBatch)
    return failure(null, { code: -32600, message: `A batch has 1 to ${maxBatch} messages.` });
  const answers = await Promise.all(parsed.map((message) => answerOne(message, facts)));
  const needed = answers.filter((answer) => answer !== undefined);
  return needed.length > 0 ? needed : undefined;
}

async function answerOne(value: unknown, facts: McpServerFacts): Promise<object | undefined> {
  const message = Message.safeParse(value).data;
  if (!message) return failure(null, { code: -32600, message: 'That is no message of JSON-RPC 2.0.' });
  // Notifications, and answers to what this server never asks.
  if (message.id === undefined || message.method === undefined) return undefined;
  const answer = await resultOf(message, facts);
  return 'code' in answer ? failure(message.id, answer) : { jsonrpc: '2.0', id: message.id, result: answer.result };
}

async function resultOf(
  { method = '', params = {} }: Message,
  { name, version, tool, signal }: McpServerFacts,
): Promise<Failure | { readonly result: object }> {
  switch (method) {
    case 'initialize': {
      const wanted = InitializeParams.safeParse(params).data?.protocolVersion;
      const protocolVersion = protocolVersions.find((each) => each === wanted) ?? protocolVersions[0];
      return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version } } };
    }
    case 'ping':
      return { result: {} };
    case 'tools/list':
      return { result: { tools: [tool.definition] } };
    case 'tools/call': {
      const call = CallParams.safeParse(params).data;
      if (call?.name !== tool.definition.name)
        return { code: -32602, message: `There is one tool: ${tool.definition.name}.` };
      return { result: await callTool(tool, call.arguments, signal) };
    }
    default:
      return { code: -32601, message: `There is no method "${method.slice(0, 100)}".` };
  }
}

/** What goes wrong in a tool is for the model to read. */
async function callTool(tool: McpTool, input: unknown, signal: AbortSignal): Promise<object> {
  try {
    return { content: [{ type: 'text', text: await tool.run(input ?? {}, signal) }] };
  } catch (error) {
    return { content: [{ type: 'text', text: messageOf(error) }], isError: true };
  }
}

function failure(id: string | number | null, error: Failure): object {
  return { jsonrpc: '2.0', id, error };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
