import { fold } from '../../common/query/fold';
import type { SearchedText } from '../../common/query/rank';
import { wordsOf } from '../../common/query/words';
import type { FileKey } from './fileKey';
import { pairFilterOf } from './pairFilter';
import { encodeTexts } from './storedTexts';
import { encodeSegment, type SegmentThread, type TextSegment } from './textSegment';

export interface ThreadToIndex {
  readonly file: FileKey;
  readonly threadId: string;
  readonly title: string;
  readonly lastPromptAt: number;
  readonly texts: readonly SearchedText[];
}

/** What is further down in a text is not found. */
const maxTextUnits = 1_000_000;

/** Collects threads for one segment. */
export class SegmentBuilder {
  private readonly threads: SegmentThread[] = [];
  private readonly words = new Pieces();
  private readonly pairs = new Pieces();
  private readonly texts = new Pieces();

  /** Of what has been added. */
  get bytes(): number {
    return this.words.bytes + this.pairs.bytes + this.texts.bytes;
  }

  get isEmpty(): boolean {
    return this.threads.length === 0;
  }

  add({ file, threadId, title, lastPromptAt, texts }: ThreadToIndex): void {
    const kept = texts.map(({ entryId, role, text: whole }) => {
      const text = whole.slice(0, maxTextUnits);
      return { entryId, role, text, words: wordsOf(fold(text)) };
    });
    const ofRole = (role: SearchedText['role']): readonly (readonly string[])[] =>
      kept.filter((text) => text.role === role).map(({ words }) => words);
    const titleWords = wordsOf(fold(title));
    const seen = new Set<string>();
    const [titleStart = 0, promptStart = 0, answerStart = 0] = [[titleWords], ofRole('prompt'), ofRole('answer')].map(
      (part) => this.words.add(newWords(part, seen)),
    );
    const pairsStart = this.pairs.add(pairFilterOf([titleWords, ...kept.map(({ words }) => words)]));
    const textsStart = this.texts.add(encodeTexts(kept));
    this.threads.push({
      ...{ file, threadId, title, lastPromptAt },
      ...{ titleStart, promptStart, answerStart, wordsEnd: this.words.bytes },
      ...{ pairsStart, pairsEnd: this.pairs.bytes, textsStart, textsEnd: this.texts.bytes },
    });
  }

  /** A thread of another segment, as it is. */
  copy(thread: SegmentThread, segment: TextSegment): void {
    const { titleStart, wordsEnd, pairsStart, pairsEnd } = thread;
    const moved = this.words.add(segment.words.subarray(titleStart, wordsEnd)) - titleStart;
    this.threads.push({
      ...thread,
      titleStart: titleStart + moved,
      promptStart: thread.promptStart + moved,
      answerStart: thread.answerStart + moved,
      wordsEnd: this.words.bytes,
      pairsStart: this.pairs.add(segment.pairs.subarray(pairsStart, pairsEnd)),
      pairsEnd: this.pairs.bytes,
      textsStart: this.texts.add(segment.readTexts(thread)),
      textsEnd: this.texts.bytes,
    });
  }

  build(): Buffer {
    const [words, pairs, texts] = [this.words.joined(), this.pairs.joined(), this.texts.joined()];
    return encodeSegment({ threads: this.threads, words, pairs, texts });
  }
}

/** What is written one after another. */
class Pieces {
  private readonly pieces: Buffer[] = [];
  private length = 0;

  get bytes(): number {
    return this.length;
  }

  /** Where it starts. */
  add(piece: Buffer): number {
    const start = this.length;
    this.pieces.push(piece);
    this.length += piece.length;
    return start;
  }

  joined(): Buffer {
    return Buffer.concat(this.pieces);
  }
}

/** Those that have not been seen, with a line end on both sides. */
function newWords(texts: readonly (readonly string[])[], seen: Set<string>): Buffer {
  const words: string[] = [];
  for (const word of texts.flat()) {
    if (seen.has(word)) continue;
    seen.add(word);
    words.push(word);
  }
  return Buffer.from(`\n${[...words, ''].join('\n')}`);
}
