import type { FileMatches, TextQuery, TextSearch } from '../common/search/textSearch';

export class LazySearch implements TextSearch {
  private search: Promise<TextSearch> | undefined;

  constructor(private readonly createSearch: () => Promise<TextSearch>) {}

  async *findText(query: TextQuery, signal: AbortSignal): AsyncGenerator<FileMatches> {
    yield* (await (this.search ??= this.createSearch())).findText(query, signal);
  }
}
