import * as z from 'zod';
import { isRecord } from '../../../base/common/isRecord';
import { stringsIn } from './stringsIn';

const maxOptions = 200;
const Description = z.string().max(2_000).default('');
const Option = z.union([
  z.string().transform((value) => ({ label: value, value })),
  z.looseObject({ label: z.string(), value: z.string() }).transform(({ label, value }) => ({ label, value })),
]);

/** An entry of `inputs` in `.vscode/mcp.json`, as VS Code documents it. */
const McpInput = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('promptString'),
    id: z.string().min(1),
    description: Description,
    default: z.string().optional(),
    password: z.boolean().default(false),
  }),
  z.looseObject({
    type: z.literal('pickString'),
    id: z.string().min(1),
    description: Description,
    default: z.string().optional(),
    options: z.array(Option).min(1).max(maxOptions),
  }),
]);
export type McpInput = z.infer<typeof McpInput>;

export function isSecretInput(input: McpInput): boolean {
  return input.type === 'promptString' && input.password;
}

/** The inputs that a file defines, by id. A string says why an input cannot be used. */
export type McpInputs = ReadonlyMap<string, McpInput | string>;

/** Reads `inputs`. Entries without an id are ignored, since nothing can name them. */
export function parseMcpInputs(written: unknown): McpInputs {
  const inputs = new Map<string, McpInput | string>();
  for (const entry of Array.isArray(written) ? written : []) {
    if (!isRecord(entry) || typeof entry['id'] !== 'string') continue;
    const { id, type } = entry;
    const { data } = McpInput.safeParse(entry);
    const isCommand = type === 'command';
    inputs.set(
      id,
      data ??
        (isCommand
          ? `the input "${id}" runs a command of VS Code, which is not supported.`
          : `the input "${id}" is neither a "promptString" nor a "pickString" with "options".`),
    );
  }
  return inputs;
}

/** Returns the ids of the inputs that an entry names with `${input:id}`, each once, in their order. */
export function inputsNamedIn(value: unknown): readonly string[] {
  const found = stringsIn(value).flatMap((text) => [...text.matchAll(/\$\{input:([^}]+)\}/g)]);
  return [...new Set(found.map(([, id = '']) => id))];
}
