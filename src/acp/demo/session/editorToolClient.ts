import * as z from 'zod';
import { messageOf } from '../../../base/common/errors';
import type { ToolAnswer } from '../answer/turn';

const Server = z.object({
  type: z.literal('http'),
  url: z.string(),
  headers: z.array(z.object({ name: z.string(), value: z.string() })).default([]),
});

const maxAnswerLength = 1_024 * 1_024;
const Answer = z.object({
  result: z
    .object({ content: z.array(z.object({ text: z.string().optional() })), isError: z.boolean().optional() })
    .optional(),
  error: z.object({ message: z.string() }).optional(),
});

/** The tools of the client. Uses the first MCP server of the client that runs on this machine and supports HTTP. */
export class EditorToolClient {
  private callCount = 0;

  private constructor(
    private readonly url: string,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  /** Returns undefined if there is no such server. */
  static of(servers: readonly unknown[]): EditorToolClient | undefined {
    for (const candidate of servers) {
      const server = Server.safeParse(candidate).data;
      if (!server || !isOnThisMachine(server.url)) continue;
      const headers = Object.fromEntries(server.headers.map(({ name, value }) => [name, value]));
      return new EditorToolClient(server.url, headers);
    }
    return undefined;
  }

  /** @throws Error if `signal` fires */
  async call(name: string, input: object, signal: AbortSignal): Promise<ToolAnswer> {
    try {
      return await this.post({ name, arguments: input }, signal);
    } catch (error) {
      signal.throwIfAborted();
      return { kind: 'failed', reason: messageOf(error) };
    }
  }

  private async post(params: object, signal: AbortSignal): Promise<ToolAnswer> {
    const response = await fetch(this.url, {
      method: 'POST',
      headers: {
        ...this.headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++this.callCount, method: 'tools/call', params }),
      redirect: 'error',
      signal,
    });
    const body = await response.text();
    if (!response.ok) return { kind: 'failed', reason: `the editor answered with status ${response.status}` };
    if (body.length > maxAnswerLength) return { kind: 'failed', reason: 'the answer is too long' };
    const { error, result } = Answer.parse(JSON.parse(body));
    if (!result) return { kind: 'failed', reason: error?.message ?? 'the editor gave no answer' };
    const text = result.content.map((part) => part.text ?? '').join('\n');
    return result.isError === true ? { kind: 'failed', reason: text } : { kind: 'answered', text };
  }
}

/** The demo agent sends nothing to other machines. */
function isOnThisMachine(url: string): boolean {
  return URL.canParse(url) && ['127.0.0.1', 'localhost', '[::1]'].includes(new URL(url).hostname);
}
