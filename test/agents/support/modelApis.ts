import * as z from 'zod';
import type { ModelStep } from './modelServer';

interface Asked {
  /** Last words of the user. */
  readonly asked: string;
  /** Undefined unless the last message is the result of a tool. */
  readonly toolResult: string | undefined;
  readonly tools: readonly string[];
}

/** The API of one vendor: reads a request, and writes what the script answers. */
export interface ModelApi {
  readonly isPath: (path: string) => boolean;
  /** `count` is different for each answer. @throws ZodError */
  readonly answer: (
    body: unknown,
    path: string,
    next: (asked: Asked) => ModelStep,
    count: number,
  ) => { readonly isStreamed: boolean; readonly parts: readonly string[] };
}

const Content = z
  .union([z.string(), z.array(z.looseObject({ type: z.string().optional(), text: z.string().optional() }))])
  .nullish();
type Content = z.infer<typeof Content>;

function textOf(content: Content): string {
  if (typeof content === 'string') return content;
  return (content ?? []).map(({ text }) => text ?? '').join('');
}

const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const event = (value: { readonly type: string }): string => `event: ${value.type}\n${data(value)}`;

const ChatRequest = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: Content })),
  tools: z.array(z.looseObject({ function: z.looseObject({ name: z.string() }).optional() })).optional(),
  stream: z.boolean().optional(),
});

/** Chat completions of OpenAI. */
const chatCompletions: ModelApi = {
  isPath: (path) => path.endsWith('/chat/completions'),
  answer(body, _path, next, count) {
    const { messages, stream, tools } = ChatRequest.parse(body);
    const last = messages.at(-1);
    const step = next({
      asked: textOf(messages.findLast(({ role }) => role === 'user')?.content),
      toolResult: last?.role === 'tool' ? textOf(last.content) : undefined,
      tools: tools?.flatMap((tool) => tool.function?.name ?? []) ?? [],
    });
    const isStreamed = stream !== false && stream !== undefined;
    const head = { id: `chat-${count}`, created: 1, model: 'scripted' };
    const usage = { usage: { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } };
    const message =
      'say' in step
        ? { content: step.say }
        : {
            content: null,
            tool_calls: [
              {
                index: 0,
                id: `call-${count}`,
                type: 'function',
                function: { name: step.call, arguments: JSON.stringify(step.input) },
              },
            ],
          };
    const finish = 'say' in step ? 'stop' : 'tool_calls';
    if (!isStreamed) {
      const choices = [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }];
      return { isStreamed, parts: [JSON.stringify({ ...head, object: 'chat.completion', choices, ...usage })] };
    }
    const chunk = (delta: object, reason: string | null, more = {}): string =>
      data({
        ...head,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: reason }],
        ...more,
      });
    const words = 'say' in step ? step.say.split(/(?<= )/).map((content) => ({ content })) : [message];
    return {
      isStreamed,
      parts: [
        chunk({ role: 'assistant', content: '' }, null),
        ...words.map((delta) => chunk(delta, null)),
        chunk({}, finish, usage),
        'data: [DONE]\n\n',
      ],
    };
  },
};

const ResponsesRequest = z.looseObject({
  input: z.array(
    z.looseObject({
      type: z.string().optional(),
      role: z.string().optional(),
      content: Content,
      output: z.union([z.string(), Content, z.looseObject({ content: z.string() })]).optional(),
    }),
  ),
  tools: z
    .array(
      z.looseObject({
        name: z.string().optional(),
        tools: z.array(z.looseObject({ name: z.string() })).optional(),
      }),
    )
    .optional(),
});

/** Responses of OpenAI. A tool of a group is called by the names of both, with a slash between. */
const responses: ModelApi = {
  isPath: (path) => path.endsWith('/responses'),
  answer(body, _path, next, count) {
    const { input, tools = [] } = ResponsesRequest.parse(body);
    const last = input.at(-1);
    const output = last?.type?.endsWith('_output') === true ? (last.output ?? '') : undefined;
    const step = next({
      asked: textOf(input.findLast(({ role }) => role === 'user')?.content),
      toolResult: output === undefined ? undefined : typeof output === 'object' ? JSON.stringify(output) : output,
      tools: tools.flatMap(({ name = '', tools: inside }) =>
        inside ? inside.map((tool) => `${name}/${tool.name}`) : [name],
      ),
    });
    const id = `response-${count}`;
    const [namespace, nameInside] = 'call' in step ? step.call.split('/') : [];
    const item =
      'say' in step
        ? {
            type: 'message',
            id: `item-${count}`,
            role: 'assistant',
            content: [{ type: 'output_text', text: step.say }],
          }
        : {
            type: 'function_call',
            id: `item-${count}`,
            call_id: `call-${count}`,
            name: nameInside ?? step.call,
            ...(nameInside === undefined ? {} : { namespace }),
            arguments: JSON.stringify(step.input),
          };
    const usage = {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 15,
    };
    return {
      isStreamed: true,
      parts: [
        event({ type: 'response.created', ...{ response: { id } } }),
        event({ type: 'response.output_item.done', ...{ output_index: 0, item } }),
        event({ type: 'response.completed', ...{ response: { id, output: [item], usage } } }),
      ],
    };
  },
};

const AnthropicContent = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string(), text: z.string().optional(), content: z.unknown().optional() })),
]);
const AnthropicRequest = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: AnthropicContent })),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
  stream: z.boolean().optional(),
});

/** Messages of Anthropic. */
const messagesApi: ModelApi = {
  isPath: (path) => path.endsWith('/messages'),
  answer(body, _path, next, count) {
    const { messages, stream = false, tools = [] } = AnthropicRequest.parse(body);
    const isWords = (content: z.infer<typeof AnthropicContent>): boolean =>
      typeof content === 'string' || content.every(({ type }) => type === 'text');
    const asked = messages.findLast(({ role, content }) => role === 'user' && isWords(content))?.content;
    const last = messages.at(-1)?.content;
    const result = typeof last === 'string' ? undefined : last?.findLast(({ type }) => type === 'tool_result');
    const step = next({
      asked: textOf(asked),
      toolResult: result && (typeof result.content === 'string' ? result.content : JSON.stringify(result.content)),
      tools: tools.map(({ name }) => name),
    });
    const block =
      'say' in step
        ? { type: 'text', text: step.say }
        : { type: 'tool_use', id: `toolu_${count}`, name: step.call, input: step.input };
    const reason = 'say' in step ? 'end_turn' : 'tool_use';
    const usage = { input_tokens: 10, output_tokens: 5, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const message = { id: `msg_${count}`, type: 'message', role: 'assistant', model: 'scripted', usage };
    if (!stream) {
      const whole = { ...message, content: [block], stop_reason: reason, stop_sequence: null };
      return { isStreamed: false, parts: [JSON.stringify(whole)] };
    }
    const delta =
      'say' in step
        ? { type: 'text_delta', text: step.say }
        : { type: 'input_json_delta', partial_json: JSON.stringify(step.input) };
    const empty = 'say' in step ? { ...block, text: '' } : { ...block, input: {} };
    return {
      isStreamed: true,
      parts: [
        event({ type: 'message_start', ...{ message: { ...message, content: [], stop_reason: null } } }),
        event({ type: 'content_block_start', ...{ index: 0, content_block: empty } }),
        event({ type: 'content_block_delta', ...{ index: 0, delta } }),
        event({ type: 'content_block_stop', ...{ index: 0 } }),
        event({ type: 'message_delta', ...{ delta: { stop_reason: reason, stop_sequence: null }, usage } }),
        event({ type: 'message_stop' }),
      ],
    };
  },
};

const GooglePart = z.looseObject({
  text: z.string().optional(),
  functionResponse: z.looseObject({ response: z.unknown() }).optional(),
});
const GoogleRequest = z.looseObject({
  contents: z.array(z.looseObject({ role: z.string().optional(), parts: z.array(GooglePart).optional() })),
  tools: z
    .array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).optional() }))
    .optional(),
});

/** Content generation of Google. */
const generateContent: ModelApi = {
  isPath: (path) => /:(?:streamG|g)enerateContent$/.test(path),
  answer(body, path, next, count) {
    const { contents, tools = [] } = GoogleRequest.parse(body);
    const words = contents.findLast(({ parts = [], role }) => role === 'user' && !parts.some(isResult))?.parts;
    const result = contents.at(-1)?.parts?.findLast(isResult)?.functionResponse;
    const step = next({
      asked: textOf(words),
      toolResult: result && JSON.stringify(result.response),
      tools: tools.flatMap(({ functionDeclarations = [] }) => functionDeclarations.map(({ name }) => name)),
    });
    const part =
      'say' in step ? { text: step.say } : { functionCall: { id: `call-${count}`, name: step.call, args: step.input } };
    const answer = {
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 },
      modelVersion: 'scripted',
    };
    const isStreamed = path.includes('stream');
    return { isStreamed, parts: [isStreamed ? data(answer) : JSON.stringify(answer)] };
  },
};

function isResult({ functionResponse }: z.infer<typeof GooglePart>): boolean {
  return functionResponse !== undefined;
}

export const modelApis: readonly ModelApi[] = [chatCompletions, responses, messagesApi, generateContent];
