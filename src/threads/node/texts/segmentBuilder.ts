import type { SearchedThread } from '../../common/heads/heads';
import { isConversation, maxTextUnits, maxWorkUnits, type SearchedText } from '../../common/query/searchedText';
import type { Arena } from './arena';
import type { FileKey } from '../files/fileKey';
import { PairFilterBuilder } from './pairFilter';
import { encodeTexts } from './storedTexts';
import type { SegmentContent, SegmentThread, TextSegment } from './textSegment';
import { WordScan } from './wordScan';
import { wordFields, WordTable } from './wordTable';

export interface ThreadToIndex extends SearchedThread {
  readonly file: FileKey;
  readonly threadId: string;
}

const titleField = wordFields.indexOf('title');
const promptField = wordFields.indexOf('prompt');
const answerField = wordFields.indexOf('answer');
const workField = wordFields.indexOf('work');

/** Collects threads for one segment. */
export class SegmentBuilder {
  private readonly threads: SegmentThread[] = [];
  private readonly table = new WordTable();
  private readonly pairs = new Pieces();
  private readonly pairBuilder = new PairFilterBuilder();
  private readonly scan = new WordScan();

  /** The texts are collected in `texts`, which is cleared. */
  constructor(private readonly texts: Arena) {
    texts.clear();
  }

  /** Of what has been added. */
  get bytes(): number {
    return this.table.bytes + this.pairs.bytes + this.texts.length;
  }

  get isEmpty(): boolean {
    return this.threads.length === 0;
  }

  add({ file, threadId, title, lastPromptAt, texts }: ThreadToIndex): void {
    const { conversation, work } = partsOf(texts);
    const titleBytes = Buffer.from(title);
    this.scanText(titleBytes, titleBytes.length === title.length, titleField);
    // A word counts where it is first found: prompts come before answers.
    const textsStart = this.texts.length;
    encodeTexts(conversation, this.texts, (bytes, isAscii, index) =>
      this.scanText(bytes, isAscii, conversation[index]?.kind === 'prompt' ? promptField : answerField),
    );
    const pairsStart = this.pairs.add(this.pairBuilder.take());
    const workStart = this.texts.length;
    encodeTexts(work, this.texts, (bytes, isAscii) => this.scanText(bytes, isAscii, workField));
    const workPairsStart = this.pairs.add(this.pairBuilder.take());
    this.threads.push({
      ...{ file, threadId, title, lastPromptAt, textsStart, workStart, textsEnd: this.texts.length },
      ...{ pairsStart, workPairsStart, pairsEnd: this.pairs.bytes },
    });
  }

  /** Threads of another segment, as they are. */
  copy(threads: readonly SegmentThread[], segment: TextSegment): void {
    const numbers = new Map<number, number>();
    for (const thread of threads) {
      numbers.set(segment.threads.indexOf(thread), this.threads.length);
      const textsStart = this.texts.length;
      this.texts.add(segment.readTexts(thread, 'all'));
      this.threads.push({
        ...thread,
        pairsStart: this.pairs.add(segment.pairsOf(thread, 'conversation')),
        workPairsStart: this.pairs.add(segment.pairsOf(thread, 'work')),
        pairsEnd: this.pairs.bytes,
        textsStart,
        workStart: thread.workStart - thread.textsStart + textsStart,
        textsEnd: this.texts.length,
      });
    }
    this.table.copy(segment.lists, (number) => numbers.get(number));
  }

  /** The texts are those of the arena: only until it is cleared. */
  build(): SegmentContent {
    const { threads, table, pairs, texts } = this;
    return { threads, lists: table.lists(), pairs: pairs.all, texts: texts.content };
  }

  private scanText(bytes: Buffer, isAscii: boolean, field: number): readonly string[] {
    const { scan } = this;
    scan.scan(bytes, isAscii);
    this.pairBuilder.addAll(scan.first, scan.count);
    this.table.addAll(scan, this.threads.length, field);
    return scan.others;
  }
}

/** Prompts before answers, and what is looked through of the rest. */
function partsOf(texts: readonly SearchedText[]): {
  readonly conversation: readonly SearchedText[];
  readonly work: readonly SearchedText[];
} {
  const prompts: SearchedText[] = [];
  const answers: SearchedText[] = [];
  const work: SearchedText[] = [];
  let left = maxWorkUnits;
  for (const searched of texts) {
    const text = searched.text.slice(0, maxTextUnits);
    const kept = { ...searched, text };
    if (searched.kind === 'prompt') prompts.push(kept);
    else if (isConversation(searched.kind)) answers.push(kept);
    else if (left > 0) {
      work.push(kept);
      left -= text.length;
    }
  }
  return { conversation: [...prompts, ...answers], work };
}

/** What is written one after another. */
class Pieces {
  readonly all: Buffer[] = [];
  bytes = 0;

  /** Where it starts. */
  add(piece: Buffer): number {
    const start = this.bytes;
    this.all.push(piece);
    this.bytes += piece.length;
    return start;
  }
}
