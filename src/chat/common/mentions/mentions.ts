import type { PromptAttachment } from '../../../amplifier/common/sessionBackend';
import { withDeadline, type Clock } from '../../../base/common/async';
import type { Logger } from '../../../base/common/log';
import type { MentionSource } from '../chatPorts';
import type { DraftAttachment, MentionRow } from '../chatView';

/** Nobody waits longer for the list to come up. */
const searchTimeoutMs = 2_000;
const maxRows = 50;

/** All that `@` finds, and what is sent for it. A source that fails or is slow takes nothing from the others. */
export class Mentions {
  /** `sources` in the order of their rows. */
  constructor(
    private readonly sources: readonly MentionSource[],
    private readonly clock: Clock,
    private readonly log: Logger,
  ) {}

  /** Rows of the sources of one kind, or of all; best first within each source. Never rejects. */
  async search(query: string, kind: string | undefined, signal: AbortSignal): Promise<MentionRow[]> {
    const asked = this.sources.filter((source) => kind === undefined || source.kind === kind);
    const found = await Promise.all(asked.map((source) => this.ask(source, query, signal)));
    return found.flat().slice(0, maxRows);
  }

  /** What goes to the backend for an attachment; empty when there is nothing any more. @throws EditorError */
  async resolve(attachment: DraftAttachment, signal: AbortSignal): Promise<readonly PromptAttachment[]> {
    const source = this.sources.find(({ kind }) => kind === attachment.kind);
    return source ? await source.resolve(attachment, signal) : [];
  }

  private async ask(source: MentionSource, query: string, signal: AbortSignal): Promise<readonly MentionRow[]> {
    try {
      return await withDeadline(this.clock, `looking for ${source.kind}`, searchTimeoutMs, (deadline) =>
        source.search(query, AbortSignal.any([signal, deadline])),
      );
    } catch (error) {
      if (!signal.aborted) this.log.error(`cannot look for ${source.kind}`, error);
      return [];
    }
  }
}

/** A rough count, as good as one can be without the model's own tokenizer. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / 4);
}

/** Whether a row that is always the same is asked for: by the beginning of one of its words, or of nothing. */
export function isAskedFor(query: string, ...words: readonly string[]): boolean {
  const wanted = query.trim().toLowerCase();
  return words.some((word) => word.startsWith(wanted));
}
