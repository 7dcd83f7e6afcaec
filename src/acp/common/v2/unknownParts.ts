import * as z from 'zod';
import { lenientList, optionalText, RequiredText } from '../session/wireSchema';

/** Texts for parts of ACP v2 whose type or value comes from a later version or an extension. */

const maxNameLength = 100;
const maxTextLength = 1_000;
const Block = z.looseObject({ type: z.literal('text'), text: RequiredText });
/** Members with readable text. */
const Readable = z.looseObject({
  title: optionalText,
  message: optionalText,
  text: optionalText,
  description: optionalText,
  content: z
    .union([RequiredText, Block.transform(({ text }) => text), lenientList(Block).transform(joinTexts)])
    .optional()
    .catch(undefined),
});

/** Returns the readable text of a part with an unknown type. Undefined if it has none. */
export function readableTextOf(part: unknown): string | undefined {
  const { title, message, text, description, content } = Readable.safeParse(part).data ?? {};
  const words = [title, message ?? text ?? description ?? content].filter(
    (found) => found !== undefined && found.trim() !== '',
  );
  return words.length === 0 ? undefined : words.join('\n').slice(0, maxTextLength);
}

/** Returns a text that replaces a part with an unknown type. `what` is the start of the text, for example “Content”. */
export function placeholderTextOf(what: string, type: string, part: unknown): string {
  const words = readableTextOf(part);
  const name = `${what} of the type “${type.slice(0, maxNameLength)}”`;
  return words === undefined ? `[${name}]` : `[${name}: ${words}]`;
}

/** Whether the name belongs to an extension. Its meaning is unknown here. */
export function isExtensionName(name: string): boolean {
  return name.startsWith('_');
}

function joinTexts(blocks: readonly { readonly text: string }[]): string {
  return blocks.map(({ text }) => text).join('');
}
