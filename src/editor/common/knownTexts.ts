import { BoundedMap } from '../../base/common/boundedMap';
import { EditorError } from './editorPort';
import { textVersion } from './text/textVersion';

/** What a peer knows about a file: the text that it has read or written last, or that it was told to read the file again. */
type Knowledge =
  | { readonly kind: 'text'; readonly path: string; readonly text: string }
  /** A text that is too old to be kept. */
  | { readonly kind: 'version'; readonly version: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'toldToRead' };

/**
 * `known`: the peer has read this text, or has never read the file. `unknown`: the file has changed since the peer has read
 * it. `stillUnknown`: the same, and the peer was already told to read it again.
 */
type TextKnowledge = 'known' | 'unknown' | 'stillUnknown';

const maxFiles = 10_000;
/** Total length of the texts that are kept, in UTF-16 units. Of older texts, only the version is kept. */
const maxTextUnits = 8 * 1024 * 1024;

/**
 * The texts of files that one peer has read, so that it never overwrites a change that it has not seen. A peer can also
 * read files in ways that the editor does not see, so it is only told once to read a file again. Paths must always be
 * resolved in the same way.
 */
export class KnownTexts {
  private readonly knowledgeByPath = new BoundedMap<string, Knowledge>({ maxEntries: maxFiles });
  /** Reading must stay fast, so a version is only computed when a text is dropped. */
  private readonly keptTexts = new BoundedMap<string, Extract<Knowledge, { kind: 'text' }>>({
    maxWeight: maxTextUnits,
    weigh: ({ text }) => text.length,
    onEvict: (kept) => this.dropText(kept),
  });

  /** Records a text that the peer has read or written. Null: the file does not exist. */
  remember(path: string, text: string | null): void {
    if (text === null) {
      this.set(path, { kind: 'missing' });
      return;
    }
    const known = { kind: 'text', path, text } as const;
    this.set(path, known);
    this.keptTexts.set(path, known);
  }

  /**
   * Records that the peer has read a part of the file. If the file has changed since the peer has read other parts, it
   * still knows only the earlier text.
   */
  rememberPart(path: string, text: string): void {
    const known = this.knowledgeByPath.get(path);
    if (known?.kind !== 'text' && known?.kind !== 'version') this.remember(path, text);
  }

  /** Whether the peer may replace this text of an existing file. */
  stateOf(path: string, text: string): TextKnowledge {
    const known = this.knowledgeByPath.get(path);
    if (!known) return 'known';
    if (known.kind === 'toldToRead') return 'stillUnknown';
    const isSame =
      (known.kind === 'text' && known.text === text) ||
      (known.kind === 'version' && known.version === textVersion(text));
    return isSame ? 'known' : 'unknown';
  }

  /** Returns the error for a text that the peer does not know. Until it reads the file, the text is `stillUnknown`. */
  tellToRead(path: string, requestedPath: string): EditorError {
    this.set(path, { kind: 'toldToRead' });
    return new EditorError(
      'staleVersion',
      `${requestedPath} has changed since you read it, and nothing was written. Read it again.`,
    );
  }

  private set(path: string, knowledge: Knowledge): void {
    this.keptTexts.delete(path);
    this.knowledgeByPath.set(path, knowledge);
  }

  private dropText(kept: Extract<Knowledge, { kind: 'text' }>): void {
    const { path, text } = kept;
    if (this.knowledgeByPath.get(path) === kept)
      this.knowledgeByPath.set(path, { kind: 'version', version: textVersion(text) });
  }
}
