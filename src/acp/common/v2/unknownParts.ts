import * as z from 'zod';
import { list, optionalText, Text } from '../session/wireSchema';

/** What is said about parts of ACP v2 that have a type or a value of a later version, or of an extension. */

const maxNameLength = 100;
const maxTextLength = 1_000;
const Block = z.looseObject({ type: z.literal('text'), text: Text });
/** Members with words for a reader. */
const Readable = z.looseObject({
  title: optionalText,
  message: optionalText,
  text: optionalText,
  description: optionalText,
  content: z
    .union([Text, Block.transform(({ text }) => text), list(Block).transform(joinTexts)])
    .optional()
    .catch(undefined),
});

/** The words of a part whose type is not known; undefined if it has none. */
export function wordsOf(part: unknown): string | undefined {
  const { title, message, text, description, content } = Readable.safeParse(part).data ?? {};
  const words = [title, message ?? text ?? description ?? content].filter(
    (found) => found !== undefined && found.trim() !== '',
  );
  return words.length === 0 ? undefined : words.join('\n').slice(0, maxTextLength);
}

/** A text in place of a part that cannot be shown otherwise. `what` begins the sentence, for example “Content”. */
export function insteadOf(what: string, type: string, part: unknown): string {
  const words = wordsOf(part);
  const name = `${what} of the type “${type.slice(0, maxNameLength)}”`;
  return words === undefined ? `[${name}]` : `[${name}: ${words}]`;
}

/** Extensions of other clients and agents; only those who agreed on them know what they mean. */
export function isExtension(name: string): boolean {
  return name.startsWith('_');
}

function joinTexts(blocks: readonly { readonly text: string }[]): string {
  return blocks.map(({ text }) => text).join('');
}
