import type { FileMatches, TextQuery, TextSearch } from '../common/search/textSearch';

export class LazySearch implements TextSearch {
  private search: Promise<TextSearch> | undefined;

  constructor(private readonly createSearch: () => Promise<TextSearch>) {}

  async *find(query: TextQuery, signal: AbortSignal): AsyncGenerator<FileMatches> {
    yield* (await (this.search ??= this.createSearch())).find(query, signal);
  }
}
