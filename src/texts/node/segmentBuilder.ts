import {
  isConversationKind,
  maxTextUnits,
  maxNonConversationUnits,
  type SearchableText,
} from '../common/searchableText';
import type { GrowableBuffer } from './growableBuffer';
import type { FileVersionKey } from './files/fileKey';
import { WordPairFilterBuilder } from './pairFilter';
import { encodeTexts } from './storedTexts';
import type { SegmentContent, SegmentDocument, TextSegment } from './textSegment';
import { WordScanner } from './wordScanner';
import { wordFields, WordTable } from './wordTable';

export interface DocumentToIndex {
  readonly file: FileVersionKey;
  readonly documentId: string;
  readonly title: string;
  /** In milliseconds since the epoch. */
  readonly lastPromptAt: number;
  readonly texts: readonly SearchableText[];
}

const titleField = wordFields.indexOf('title');
const promptField = wordFields.indexOf('prompt');
const answerField = wordFields.indexOf('answer');
const workField = wordFields.indexOf('work');

export class SegmentBuilder {
  private readonly documents: SegmentDocument[] = [];
  private readonly wordTable = new WordTable();
  private readonly pairFilters = new BufferList();
  private readonly pairBuilder = new WordPairFilterBuilder();
  private readonly scanner = new WordScanner();

  /** Uses `texts` to collect the texts, and clears it first. */
  constructor(private readonly texts: GrowableBuffer) {
    texts.clear();
  }

  get sizeBytes(): number {
    return this.wordTable.sizeBytes + this.pairFilters.sizeBytes + this.texts.length;
  }

  get isEmpty(): boolean {
    return this.documents.length === 0;
  }

  add({ file, documentId, title, lastPromptAt, texts }: DocumentToIndex): void {
    const { conversation, work } = splitTexts(texts);
    const titleBytes = Buffer.from(title);
    this.scanAndAddWords(titleBytes, titleBytes.length === title.length, titleField);
    // Only the first field that contains a word counts, so prompts come before answers.
    const textsStart = this.texts.length;
    encodeTexts(conversation, this.texts, (bytes, isAscii, index) =>
      this.scanAndAddWords(bytes, isAscii, conversation[index]?.kind === 'prompt' ? promptField : answerField),
    );
    const pairsStart = this.pairFilters.add(this.pairBuilder.build());
    const workStart = this.texts.length;
    encodeTexts(work, this.texts, (bytes, isAscii) => this.scanAndAddWords(bytes, isAscii, workField));
    const workPairsStart = this.pairFilters.add(this.pairBuilder.build());
    this.documents.push({
      ...{ file, documentId, title, lastPromptAt, textsStart, workStart, textsEnd: this.texts.length },
      ...{ pairsStart, workPairsStart, pairsEnd: this.pairFilters.sizeBytes },
    });
  }

  copyFrom(segment: TextSegment, documents: readonly SegmentDocument[]): void {
    const newIndexes = new Map<number, number>();
    for (const document of documents) {
      newIndexes.set(segment.documents.indexOf(document), this.documents.length);
      const textsStart = this.texts.length;
      this.texts.append(segment.readTexts(document, 'all'));
      this.documents.push({
        ...document,
        pairsStart: this.pairFilters.add(segment.pairFilterOf(document, 'conversation')),
        workPairsStart: this.pairFilters.add(segment.pairFilterOf(document, 'work')),
        pairsEnd: this.pairFilters.sizeBytes,
        textsStart,
        workStart: document.workStart - document.textsStart + textsStart,
        textsEnd: this.texts.length,
      });
    }
    this.wordTable.copyFrom(segment.wordIndex, (index) => newIndexes.get(index));
  }

  /** Returns the segment, which shares memory with the buffer of the texts until that is cleared. */
  build(): SegmentContent {
    const { documents, wordTable, pairFilters, texts } = this;
    return { documents, wordIndex: wordTable.toWordIndex(), pairs: pairFilters.buffers, texts: texts.content };
  }

  private scanAndAddWords(bytes: Buffer, isAscii: boolean, field: number): readonly string[] {
    const { scanner } = this;
    scanner.scanWords(bytes, isAscii);
    this.pairBuilder.addWordHashes(scanner.firstHashes, scanner.count);
    this.wordTable.addScannedWords(scanner, this.documents.length, field);
    return scanner.hiddenWords;
  }
}

/** Splits texts into those of the conversation (prompts first) and the searchable parts of all others. */
function splitTexts(texts: readonly SearchableText[]): {
  readonly conversation: readonly SearchableText[];
  readonly work: readonly SearchableText[];
} {
  const prompts: SearchableText[] = [];
  const answers: SearchableText[] = [];
  const work: SearchableText[] = [];
  let unitsLeft = maxNonConversationUnits;
  for (const searched of texts) {
    const text = searched.text.slice(0, maxTextUnits);
    const kept = { ...searched, text };
    if (searched.kind === 'prompt') prompts.push(kept);
    else if (isConversationKind(searched.kind)) answers.push(kept);
    else if (unitsLeft > 0) {
      work.push(kept);
      unitsLeft -= text.length;
    }
  }
  return { conversation: [...prompts, ...answers], work };
}

class BufferList {
  readonly buffers: Buffer[] = [];
  sizeBytes = 0;

  /** Adds a buffer. Returns the byte offset at which it starts. */
  add(buffer: Buffer): number {
    const start = this.sizeBytes;
    this.buffers.push(buffer);
    this.sizeBytes += buffer.length;
    return start;
  }
}
