import * as z from 'zod';
import type { Tool } from './toolProvider';
import { ToolError } from './toolError';

interface ToolOptions<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** For models: what it returns and when to use it. Keep it short, because every session pays for it. */
  readonly description: string;
  readonly input: Input;
  readonly run: (input: z.output<Input>, signal: AbortSignal) => Promise<string>;
}

/** Defines a tool that changes nothing. Its input is validated by the schema that models receive. */
export function defineTool<Input extends z.ZodObject>(options: ToolOptions<Input>): Tool {
  const { name, title, description, input: schema, run } = options;
  const inputSchema = jsonSchemaOf(schema);
  const counts = integerMembersOf(inputSchema);
  return {
    definition: {
      name,
      description,
      inputSchema,
      annotations: { title, readOnlyHint: true, openWorldHint: false },
    },
    async run(input, signal) {
      signal.throwIfAborted();
      const parsed = schema.safeParse(normalizedInput(input, counts));
      if (!parsed.success) throw new ToolError(`The input is not right: ${z.prettifyError(parsed.error)}`);
      return await run(parsed.data, signal);
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
