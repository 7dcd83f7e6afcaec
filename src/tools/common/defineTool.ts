import * as z from 'zod';
import type { ToolCaller } from '../../session/common/toolCaller';
import type { Tool, ToolHints } from './toolProvider';
import { ToolError } from './toolError';

interface ToolOptions<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For models: what it returns and when to use it. Keep it short, because every session sends it to the model. */
  readonly description: string;
  readonly input: Input;
  readonly run: (input: z.output<Input>, signal: AbortSignal) => Promise<string>;
}

interface ActingToolOptions<Input extends z.ZodObject> extends Omit<ToolOptions<Input>, 'run'> {
  readonly run: (input: z.output<Input>, call: ActingCall) => Promise<string>;
}

/** A call that may change or run something. */
export interface ActingCall {
  readonly caller: ToolCaller;
  readonly signal: AbortSignal;
}

/** Defines a tool that changes nothing. Its input is validated by the schema that models receive. */
export function defineTool<Input extends z.ZodObject>(options: ToolOptions<Input>): Tool {
  return createTool(options, { readOnlyHint: true }, options.run);
}

/** Defines a tool that changes or runs something. It must request permission from its caller first. */
export function defineActingTool<Input extends z.ZodObject>(options: ActingToolOptions<Input>): Tool {
  const hints = { readOnlyHint: false, destructiveHint: true };
  return createTool(options, hints, async (input, signal, caller) => {
    if (!caller) throw new ToolError(unknownCallerMessage);
    return await options.run(input, { caller, signal });
  });
}

const unknownCallerMessage =
  'This client can only read, because VS Code does not know its session or the session has ended. Change files in another way, or start a new session.';

function createTool<Input extends z.ZodObject>(
  { name, title, description, input: schema }: Omit<ToolOptions<Input>, 'run'>,
  hints: ToolHints,
  run: (input: z.output<Input>, signal: AbortSignal, caller: ToolCaller | undefined) => Promise<string>,
): Tool {
  const inputSchema = jsonSchemaOf(schema);
  const counts = integerMembersOf(inputSchema);
  return {
    definition: {
      name,
      description,
      inputSchema,
      annotations: { title, ...hints, openWorldHint: false },
    },
    async run(input, signal, caller) {
      signal.throwIfAborted();
      const parsed = schema.safeParse(normalizedInput(input, counts));
      if (!parsed.success) throw new ToolError(`The input is invalid: ${z.prettifyError(parsed.error)}`);
      return await run(parsed.data, signal, caller);
    },
  };
}

function jsonSchemaOf(schema: z.ZodObject): object {
  const converted = z.toJSONSchema(schema, {
    io: 'input',
    // Removes the limits that the schema library adds to every integer, because models do not need them.
    override: ({ jsonSchema }) => {
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
    },
  });
  return Object.fromEntries(Object.entries(converted).filter(([key]) => key !== '$schema'));
}

const Members = z.record(z.string(), z.unknown());
const Properties = z.object({ properties: z.record(z.string(), z.object({ type: z.string().optional() })) });

function integerMembersOf(inputSchema: object): ReadonlySet<string> {
  const { properties } = Properties.parse(inputSchema);
  return new Set(Object.keys(properties).filter((key) => properties[key]?.type === 'integer'));
}

/** Models pass `null` for omitted members, and numbers as text. */
function normalizedInput(input: unknown, integerMembers: ReadonlySet<string>): unknown {
  const members = Members.safeParse(input).data;
  if (!members) return input;
  const entries = Object.entries(members)
    .filter(([, value]) => value !== null)
    .map(([key, value]) => [key, integerMembers.has(key) && isDigits(value) ? Number(value) : value]);
  return Object.fromEntries(entries);
}

function isDigits(value: unknown): value is string {
  return typeof value === 'string' && /^\d{1,9}$/.test(value);
}
