import { randomUUID } from 'node:crypto';
import { withDeadline, type Clock } from '../../../base/common/async';
import { isRecord } from '../../../base/common/isRecord';
import { parseJson } from '../../../base/common/parseJson';
import type { Fetch } from '../../../wire/node/outgoingHttp';
import { encodeJsonLine, JsonLineReader } from '../../../wire/common/jsonLines';
import { hasNoBatches, noBatchesText } from '../protocolVersions';

export interface BridgedServer {
  readonly url: string;
  /** Value of the `Authorization` header. */
  readonly authorization: string;
}

interface McpBridgeDeps {
  /** Undefined if no window has the folder open. Never rejects. */
  readonly findServer: () => Promise<BridgedServer | undefined>;
  readonly input: AsyncIterable<Uint8Array>;
  readonly write: (line: string) => void;
  readonly fetch: Fetch;
  readonly clock: Clock;
}

type RequestId = string | number;

/** Notifications and cancelled requests have no answer. */
interface ServerResponse {
  readonly answer?: Record<string, unknown>;
}

/** Maximum size of a message in bytes. The server does not accept larger bodies. */
const maxMessageBytes = 1024 * 1024;
/** Maximum size of a line in bytes. Larger than a message, because most clients write the id of a request at its end. */
const maxLineBytes = 64 * 1024 * 1024;
/** How long answers are awaited after the client has closed the input, in milliseconds. Then, nobody waits for them. */
const leavingMs = 10_000;
const tooLarge = 'Send one JSON object per line, of at most 1 MiB.';
const errorCodes = { parseError: -32700, invalidRequest: -32600, internalError: -32603 } as const;
const noWindow = 'Backline is not running for this folder. Open the folder in VS Code and try again.';

/**
 * Forwards the messages of an MCP client on stdio to the MCP server of a window. When the window was reloaded, finds the server
 * again. Every request gets exactly one answer, unless the client cancels it.
 */
export class McpBridge {
  private readonly clientId = randomUUID();
  private readonly pending = new Set<Promise<void>>();
  private server: BridgedServer | undefined;
  /** Undefined until the client and the server have agreed on one. */
  private protocolVersion: string | undefined;

  constructor(private readonly deps: McpBridgeDeps) {}

  /** Resolves when the input has ended and all answers are written, or nobody waits for them any longer. */
  async run(): Promise<void> {
    const reader = new JsonLineReader(maxLineBytes);
    for await (const chunk of this.deps.input) {
      reader.addChunk(chunk);
      this.forwardAll(reader);
    }
    reader.end();
    this.forwardAll(reader);
    const answered = (): Promise<unknown> => Promise.all(this.pending);
    await withDeadline(this.deps.clock, 'the last answers', leavingMs, answered).catch(() => undefined);
  }

  private forwardAll(reader: JsonLineReader): void {
    for (let line = reader.read(); line; line = reader.read()) {
      if (line.noise) this.writeError(null, errorCodes.parseError, tooLarge);
      else if (line.batch && hasNoBatches(this.protocolVersion)) {
        this.writeError(null, errorCodes.invalidRequest, noBatchesText);
        for (let unread = line.batch.length - 1; unread > 0; unread--) reader.read();
      } else this.track(this.forward(line.message));
    }
  }

  private track(work: Promise<void>): void {
    this.pending.add(work);
    void work.finally(() => this.pending.delete(work));
  }

  /** Never rejects. */
  private async forward(message: Record<string, unknown>): Promise<void> {
    const id = idOf(message);
    try {
      const { answer } = await this.send(message);
      this.noteVersion(message, answer);
      if (id !== undefined && answer) this.deps.write(encodeJsonLine(answer));
    } catch (error) {
      if (id !== undefined) this.writeError(id, errorCodes.internalError, errorText(error));
    }
  }

  private noteVersion({ method }: Record<string, unknown>, answer: ServerResponse['answer']): void {
    const result = method === 'initialize' ? answer?.['result'] : undefined;
    if (isRecord(result) && typeof result['protocolVersion'] === 'string')
      this.protocolVersion = result['protocolVersion'];
  }

  /** @throws Error if there is no server, or it refuses, or the message is too large */
  private async send(message: object): Promise<ServerResponse> {
    const body = JSON.stringify(message);
    if (Buffer.byteLength(body) > maxMessageBytes) throw new BridgeError(tooLarge);
    const response = this.server && (await this.trySend(this.server, body));
    if (response) return response;
    const server = (this.server = await this.deps.findServer());
    if (!server) throw new BridgeError(noWindow);
    return await readResponse(await this.post(server, body));
  }

  /** Returns undefined if the window of the server was closed or reloaded. @throws Error if the server refuses */
  private async trySend(server: BridgedServer, body: string): Promise<ServerResponse | undefined> {
    const response = await this.post(server, body).catch(() => undefined);
    return !response || response.status === 401 ? undefined : await readResponse(response);
  }

  private async post({ url, authorization }: BridgedServer, body: string): Promise<Response> {
    const headers = {
      Authorization: authorization,
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'Mcp-Session-Id': this.clientId,
    };
    return await this.deps.fetch(url, { method: 'POST', headers, body });
  }

  private writeError(id: RequestId | null, code: number, message: string): void {
    this.deps.write(encodeJsonLine({ jsonrpc: '2.0', id, error: { code, message } }));
  }
}

class BridgeError extends Error {
  override readonly name = 'BridgeError';
}

/** @throws BridgeError for an error of the server */
async function readResponse(response: Response): Promise<ServerResponse> {
  const text = await response.text();
  if (response.status === 202) return {};
  const answer = parseJson(text);
  if (response.ok && isRecord(answer)) return { answer };
  const reason = isRecord(answer) && typeof answer['error'] === 'string' ? ` ${answer['error']}` : '';
  throw new BridgeError(`VS Code answered with HTTP status ${response.status}.${reason}`);
}

/** Undefined for a notification. */
function idOf({ id, method }: Record<string, unknown>): RequestId | undefined {
  if (method === undefined) return undefined;
  return typeof id === 'string' || typeof id === 'number' ? id : undefined;
}

function errorText(error: unknown): string {
  return error instanceof BridgeError ? error.message : noWindow;
}
