import * as z from 'zod';
import { messageOf } from '../../base/common/errors';
import { isRecord } from '../../base/common/isRecord';
import { parseJson } from '../../base/common/parseJson';
import type { ToolCaller } from '../../session/common/toolCaller';
import type { FairCallQueue, PauseCall } from '../common/calls/fairCallQueue';
import type { OpenCalls } from '../common/calls/openCalls';
import type { Tool } from '../common/toolProvider';
import { hasNoBatches, noBatchesText, protocolVersions } from './protocolVersions';

/** Handles Model Context Protocol messages of a tool server. */

interface McpRequestContext {
  readonly name: string;
  readonly version: string;
  readonly instructions?: string;
  readonly tools: readonly Tool[];
  readonly client: string;
  /** Identifies the sender of a request id. */
  readonly connection: string;
  readonly callQueue: FairCallQueue;
  readonly openCalls: OpenCalls;
  readonly signal: AbortSignal;
  /** Returns the caller of tools on this connection. If undefined, tools can only read. */
  readonly caller: () => ToolCaller | undefined;
  /** What the client says that it uses. Undefined in the first versions, which do not say it. */
  readonly protocolVersion: string | undefined;
  readonly onClientNamed: (name: string) => void;
}

const maxBatch = 50;

const Id = z.union([z.string(), z.number()]);
const Message = z.object({
  jsonrpc: z.literal('2.0'),
  id: Id.optional(),
  method: z.string().optional(),
  params: z.record(z.string(), z.unknown()).optional(),
});

const InitializeParams = z.object({
  protocolVersion: z.string().optional(),
  clientInfo: z.object({ name: z.string(), title: z.string().optional() }).optional().catch(undefined),
});
const CallParams = z.object({ name: z.string(), arguments: z.unknown().optional() });
const CancelledParams = z.object({ requestId: Id });

interface RpcFailure {
  readonly code: number;
  readonly message: string;
}
interface McpRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: Record<string, unknown>;
}

/** Returns the response to a request body; undefined if it needs none. Never rejects. */
export async function answerMcpBody(body: string, facts: McpRequestContext): Promise<unknown> {
  const parsed = parseJson(body);
  if (parsed === undefined) return errorResponse(null, { code: -32700, message: 'That is not JSON.' });
  if (!Array.isArray(parsed)) return await answerMessage(parsed, facts);
  if (hasNoBatches(facts.protocolVersion)) return errorResponse(null, { code: -32600, message: noBatchesText });
  if (parsed.length === 0 || parsed.length > maxBatch)
    return errorResponse(null, { code: -32600, message: `A batch has 1 to ${maxBatch} messages.` });
  const answers = await Promise.all(parsed.map((message) => answerMessage(message, facts)));
  const needed = answers.filter((answer) => answer !== undefined);
  return needed.length > 0 ? needed : undefined;
}

async function answerMessage(value: unknown, facts: McpRequestContext): Promise<object | undefined> {
  const message = Message.safeParse(value).data;
  if (!message) return errorResponse(null, { code: -32600, message: 'That is not a JSON-RPC 2.0 message.' });
  const { id, method, params = {} } = message;
  if (method === 'notifications/cancelled') {
    const cancelled = CancelledParams.safeParse(params).data;
    if (cancelled) facts.openCalls.cancel(facts.connection, cancelled.requestId);
  }
  if (id === undefined || method === undefined) return undefined;
  const answer = await answerRequest({ id, method, params }, facts);
  if (!answer) return undefined;
  return 'code' in answer ? errorResponse(id, answer) : { jsonrpc: '2.0', id, result: answer.result };
}

async function answerRequest(
  request: McpRequest,
  facts: McpRequestContext,
): Promise<RpcFailure | { readonly result: object } | undefined> {
  const { method, params } = request;
  const { name, version, instructions, tools } = facts;
  switch (method) {
    case 'initialize': {
      const { clientInfo, protocolVersion: requestedVersion } = InitializeParams.safeParse(params).data ?? {};
      if (clientInfo) facts.onClientNamed(clientInfo.title ?? clientInfo.name);
      const protocolVersion = protocolVersions.find((each) => each === requestedVersion) ?? protocolVersions[0];
      const introduction = instructions === undefined ? {} : { instructions };
      return {
        result: { protocolVersion, capabilities: { tools: {} }, serverInfo: { name, version }, ...introduction },
      };
    }
    case 'ping':
      return { result: {} };
    case 'tools/list':
      return { result: { tools: tools.map(({ definition }) => definition) } };
    case 'tools/call': {
      const call = CallParams.safeParse(params).data;
      const tool = tools.find(({ definition }) => definition.name === call?.name);
      if (!call || !tool) return { code: -32602, message: unknownToolMessage(call?.name, tools) };
      const result = await callTool(tool, call.arguments, request.id, facts);
      return result && { result };
    }
    default:
      return { code: -32601, message: `There is no method "${method.slice(0, 100)}".` };
  }
}

function unknownToolMessage(name: string | undefined, tools: readonly Tool[]): string {
  const names = tools.map(({ definition }) => definition.name).join(', ');
  const known = names === '' ? 'There are no tools now.' : `The tools are: ${names}.`;
  return name === undefined ? `Name a tool. ${known}` : `There is no tool "${name.slice(0, 100)}". ${known}`;
}

/** Runs a tool. Returns its error as a result, so that the model can read it. */
async function callTool(
  tool: Tool,
  input: unknown,
  id: string | number,
  { caller, client, connection, callQueue, name: server, openCalls, signal: outer }: McpRequestContext,
): Promise<object | undefined> {
  return await openCalls.run(connection, id, outer, async (signal) => {
    const asking = caller();
    // A later turn has another signal.
    const stopSignal = asking?.stopSignal;
    const running = stopSignal ? AbortSignal.any([signal, stopSignal]) : signal;
    const { name, annotations } = tool.definition;
    const shownInput = isRecord(input) ? input : {};
    const record = asking?.recordCall({ server, tool: name, title: annotations?.title ?? name, input: shownInput });
    try {
      const text = await callQueue.run(client, running, (pause) =>
        tool.run(input ?? {}, running, asking && withPauses(asking, pause)),
      );
      record?.({ text, isError: false });
      return signal.aborted ? undefined : { content: [{ type: 'text', text }] };
    } catch (error) {
      // Some agents wait for the result before they end the turn.
      const text = stopSignal?.aborted ? 'The user stopped this turn.' : messageOf(error);
      record?.({ text: signal.aborted ? 'Canceled.' : text, isError: true });
      if (signal.aborted) return undefined;
      return { content: [{ type: 'text', text }], isError: true };
    }
  });
}

/** Returns a caller that lets other calls run while it waits for the user. */
function withPauses(caller: ToolCaller, pause: PauseCall): ToolCaller {
  return {
    endSignal: caller.endSignal,
    stopSignal: caller.stopSignal,
    mayChangeFiles: (...asked) => pause(() => caller.mayChangeFiles(...asked)),
    mayRun: (...asked) => pause(() => caller.mayRun(...asked)),
    recordWrites: (paths, write) => caller.recordWrites(paths, write),
    recordCall: (call) => caller.recordCall(call),
  };
}

function errorResponse(id: string | number | null, error: RpcFailure): object {
  return { jsonrpc: '2.0', id, error };
}
