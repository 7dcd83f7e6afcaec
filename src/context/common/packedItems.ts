import * as z from 'zod';
import type { ItemRange, ProvidedItem } from './contextItem';
import type { ProvidedItems } from './contextProvider';
import { isFollowed } from './dialects';
import { itemLimits } from './limits';
import { ProviderError } from './providerError';

/**
 * Items on their way out of a worker: one list of numbers and one text cost a tenth of what a clone of a thousand small
 * objects does. Each item is its range and the lengths of its texts, which follow each other in `text`; NaN is absent.
 */

const width = 9;

export const packedItems = z.object({
  numbers: z.instanceof(Float64Array),
  text: z.string(),
  notes: z.array(z.string().max(1_000)).max(10),
});
export type PackedItems = z.infer<typeof packedItems>;

export function packItems({ items, notes }: ProvidedItems): PackedItems {
  const numbers = new Float64Array(items.length * width);
  const texts: string[] = [];
  let at = 0;
  const addText = (text: string | undefined): void => {
    numbers[at++] = text === undefined ? NaN : text.length;
    if (text !== undefined) texts.push(text);
  };
  for (const { range, title, url, hover, aiContent } of items) {
    numbers[at++] = range ? range.start.line : NaN;
    numbers[at++] = range ? range.start.character : NaN;
    numbers[at++] = range ? range.end.line : NaN;
    numbers[at++] = range ? range.end.character : NaN;
    addText(title);
    addText(url);
    addText(hover?.markdown);
    addText(hover?.text);
    addText(aiContent);
  }
  return { numbers, text: texts.join(''), notes: [...notes] };
}

/** Trusts nothing: the other side may have been taken over. @throws ProviderError when the parts do not fit together. */
export function unpackItems({ numbers, text, notes }: PackedItems): ProvidedItems {
  const count = numbers.length / width;
  if (!Number.isInteger(count) || count > itemLimits.items) throw misfit();
  const reader = new PackReader(numbers, text);
  const items = Array.from({ length: count }, () => reader.read());
  if (!reader.isAtEnd) throw misfit();
  return { items, notes };
}

class PackReader {
  private at = 0;
  private offset = 0;

  constructor(
    private readonly numbers: Float64Array,
    private readonly text: string,
  ) {}

  get isAtEnd(): boolean {
    return this.offset === this.text.length;
  }

  read(): ProvidedItem {
    const range = this.range();
    const title = this.nextText() ?? '';
    const url = this.nextText();
    const markdown = this.nextText();
    const text = this.nextText();
    const aiContent = this.nextText();
    const item: { -readonly [K in keyof ProvidedItem]: ProvidedItem[K] } = { title };
    if (url !== undefined && isFollowed(url)) item.url = url;
    if (markdown !== undefined || text !== undefined)
      item.hover = { ...(markdown === undefined ? {} : { markdown }), ...(text === undefined ? {} : { text }) };
    if (aiContent !== undefined) item.aiContent = aiContent;
    if (range) item.range = range;
    return item;
  }

  private range(): ItemRange | undefined {
    const line = this.next();
    const start = { line, character: this.next() };
    const end = { line: this.next(), character: this.next() };
    return Number.isNaN(line) ? undefined : { start, end };
  }

  private nextText(): string | undefined {
    const length = this.next();
    if (Number.isNaN(length)) return undefined;
    if (!Number.isInteger(length) || length < 0 || this.offset + length > this.text.length) throw misfit();
    const start = this.offset;
    this.offset += length;
    return this.text.slice(start, this.offset);
  }

  private next(): number {
    return this.numbers[this.at++] ?? NaN;
  }
}

function misfit(): ProviderError {
  return new ProviderError('The answer of the provider came damaged out of its worker.');
}
