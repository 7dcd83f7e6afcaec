import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import * as z from 'zod';

const Content = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).nullish();
const Request = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: Content })),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }).optional() })).optional(),
});

/** What the model does next: it speaks, or it calls one tool. */
export type ModelStep =
  { readonly say: string } | { readonly call: string; readonly input: Readonly<Record<string, unknown>> };

/**
 * What a script goes by: the last words of the user, what came back from the tool it called for them, and the names of the
 * tools that it may call.
 */
export type ModelScript = (asked: string, toolResult: string | undefined, tools: readonly string[]) => ModelStep;

/** A language model that follows a script, behind the API of OpenAI's chat completions. Loopback only; no key is looked at. */
export class ModelServer {
  private readonly server: Server;
  private counter = 0;

  constructor(private readonly script: ModelScript) {
    this.server = createServer((request, response) => {
      this.answer(request, response).catch((error: unknown) => {
        response.writeHead(400).end(String(error));
      });
    });
  }

  /** Returns the base URL. */
  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('The model server has no port.');
    return `http://127.0.0.1:${address.port}/v1`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    const { messages, tools } = Request.parse(JSON.parse(body));
    const last = messages.at(-1);
    const asked = textOf(messages.findLast(({ role }) => role === 'user')?.content);
    const toolResult = last?.role === 'tool' ? textOf(last.content) : undefined;
    // Without tools it is a request for a title or a summary.
    const names = tools?.flatMap((tool) => tool.function?.name ?? []) ?? [];
    const step = names.length > 0 ? this.script(asked, toolResult, names) : { say: 'A title' };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const chunk of this.chunksOf(step)) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    response.end('data: [DONE]\n\n');
  }

  private chunksOf(step: ModelStep): object[] {
    const id = `chat-${++this.counter}`;
    const chunk = (delta: object, finish: string | null, more = {}): object => ({
      id,
      object: 'chat.completion.chunk',
      created: 1,
      model: 'scripted',
      choices: [{ index: 0, delta, finish_reason: finish }],
      ...more,
    });
    const usage = { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } };
    if ('say' in step) {
      const words = step.say.split(/(?<= )/);
      return [
        chunk({ role: 'assistant', content: '' }, null),
        ...words.map((content) => chunk({ content }, null)),
        chunk({}, 'stop', usage),
      ];
    }
    const call = { name: step.call, arguments: JSON.stringify(step.input) };
    const calls = [{ index: 0, id: `call-${this.counter}`, type: 'function', function: call }];
    return [chunk({ role: 'assistant', content: null, tool_calls: calls }, null), chunk({}, 'tool_calls', usage)];
  }
}

function textOf(content: z.infer<typeof Content>): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text ?? '').join('');
}
