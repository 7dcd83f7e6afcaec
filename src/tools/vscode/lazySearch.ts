import type { FoundText, TextQuery, TextSearch } from '../common/search/textSearch';

/** A search that is chosen on first use. */
export class LazySearch implements TextSearch {
  private search: Promise<TextSearch> | undefined;

  constructor(private readonly choose: () => Promise<TextSearch>) {}

  async *find(query: TextQuery, signal: AbortSignal): AsyncGenerator<FoundText> {
    yield* (await (this.search ??= this.choose())).find(query, signal);
  }
}
