import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { modelApis, type ModelApi } from './modelApis';

/** What the model does next: it speaks, or it calls one tool. The end of what it says comes when `until` resolves. */
export type ModelStep =
  | { readonly say: string; readonly until?: Promise<void> }
  | { readonly call: string; readonly input: Readonly<Record<string, unknown>> };

/**
 * What a script goes by: the last words of the user, what came back from the tool it called for them, and the names of the
 * tools that it may call.
 */
export type ModelScript = (asked: string, toolResult: string | undefined, tools: readonly string[]) => ModelStep;

/**
 * A language model that follows a script, behind the APIs of OpenAI (chat completions and responses), Anthropic and Google.
 * Loopback only. It takes any key.
 */
export class ModelServer {
  private readonly server: Server;
  private counter = 0;
  /** The keys that came with requests for an answer. */
  readonly keys = new Set<string>();
  /** Text that requests for an answer are searched for, and how many of them had it. */
  readonly searched = { text: '', count: 0 };
  /** The bodies of requests for an answer that name tools, which are those about the conversation. */
  readonly requests: string[] = [];

  constructor(private readonly script: ModelScript) {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => {
        if (!response.headersSent) response.writeHead(400);
        response.end(String(error));
      });
    });
  }

  /** Returns the address without a path. */
  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The model server has no port.');
    return `http://127.0.0.1:${address.port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const path = (request.url ?? '').split('?')[0] ?? '';
    const api = request.method === 'POST' ? modelApis.find(({ isPath }) => isPath(path)) : undefined;
    if (!api) {
      // Lists of models and the like.
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"models":[]}');
      return;
    }
    this.keys.add(keyOf(request));
    if (this.searched.text !== '' && body.includes(this.searched.text)) this.searched.count++;
    let until: Promise<void> | undefined;
    const next: Parameters<ModelApi['answer']>[2] = ({ asked, toolResult, tools }) => {
      // Without tools it is a request for a title or a summary.
      if (tools.length === 0) return { say: 'A title' };
      this.requests.push(body);
      const step = this.script(asked, toolResult, tools);
      until = 'say' in step ? step.until : undefined;
      return step;
    };
    const { isStreamed, parts } = api.answer(JSON.parse(body), path, next, ++this.counter);
    response.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
    response.write(parts.slice(0, -1).join(''));
    await until;
    response.end(parts.at(-1));
  }
}

/** Each vendor has a header of its own. */
function keyOf({ headers }: IncomingMessage): string {
  const key = headers['x-api-key'] ?? headers['x-goog-api-key'] ?? headers.authorization?.replace(/^Bearer /, '');
  return String(key ?? '');
}
