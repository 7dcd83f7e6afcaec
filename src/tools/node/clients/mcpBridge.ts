import { randomUUID } from 'node:crypto';
import { isRecord } from '../../../base/common/isRecord';
import { parseJson } from '../../../base/common/parseJson';
import { encodeJsonLine, JsonLineReader } from '../../../wire/common/jsonLines';

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
  readonly fetch: typeof fetch;
}

type RequestId = string | number;

/** Notifications and cancelled requests have no answer. */
interface ServerResponse {
  readonly answer?: Record<string, unknown>;
}

/** Maximum size of a line in bytes. The server does not accept larger bodies. */
const maxLineBytes = 1024 * 1024;
const errorCodes = { parseError: -32700, internalError: -32603 } as const;
const noWindow = 'Backline is not running for this folder. Open the folder in VS Code and try again.';

/**
 * Forwards the messages of an MCP client on stdio to the MCP server of a window. When the window was reloaded, finds the server
 * again. Every request gets exactly one answer, unless the client cancels it.
 */
export class McpBridge {
  private readonly clientId = randomUUID();
  private readonly pending = new Set<Promise<void>>();
  private server: BridgedServer | undefined;

  constructor(private readonly deps: McpBridgeDeps) {}

  /** Resolves when the input has ended and all answers are written. */
  async run(): Promise<void> {
    const reader = new JsonLineReader(maxLineBytes);
    for await (const chunk of this.deps.input) {
      reader.addChunk(chunk);
      this.forwardAll(reader);
    }
    reader.end();
    this.forwardAll(reader);
    await Promise.all(this.pending);
  }

  private forwardAll(reader: JsonLineReader): void {
    for (let line = reader.read(); line; line = reader.read()) {
      if (line.noise) this.writeError(null, errorCodes.parseError, 'Send one JSON object per line, of at most 1 MiB.');
      else this.track(this.forward(line.message));
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
      if (id !== undefined && answer) this.deps.write(encodeJsonLine(answer));
    } catch (error) {
      if (id !== undefined) this.writeError(id, errorCodes.internalError, errorText(error));
    }
  }

  /** @throws Error if there is no server, or it refuses */
  private async send(message: object): Promise<ServerResponse> {
    const response = this.server && (await this.trySend(this.server, message));
    if (response) return response;
    const server = (this.server = await this.deps.findServer());
    if (!server) throw new BridgeError(noWindow);
    return await readResponse(await this.post(server, message));
  }

  /** Returns undefined if the window of the server was closed or reloaded. @throws Error if the server refuses */
  private async trySend(server: BridgedServer, message: object): Promise<ServerResponse | undefined> {
    const response = await this.post(server, message).catch(() => undefined);
    return !response || response.status === 401 ? undefined : await readResponse(response);
  }

  private post({ url, authorization }: BridgedServer, message: object): Promise<Response> {
    const headers = {
      Authorization: authorization,
      'Content-Type': 'application/json',
      Accept: 'application/json',
      'Mcp-Session-Id': this.clientId,
    };
    return this.deps.fetch(url, { method: 'POST', headers, body: JSON.stringify(message), redirect: 'error' });
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
