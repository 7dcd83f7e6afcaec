import { withDeadline, type Clock } from '../../../base/common/async';
import { messageOf, TimeoutError } from '../../../base/common/errors';
import type { Disposable } from '../../../base/common/disposable';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ContextItem, ProviderRef } from '../items/contextItem';
import type { LookupTarget, Mention, MentionsParams } from './providerMention';
import { MentionSearch, type FoundMention, type MentionSearchOptions } from './mentionSearch';
import type { ContextAnswer } from '../items/documentRecord';
import { packedItemCount, unpackItem } from '../items/packedItems';
import type { ProviderHandle } from '../providers/providerHandle';
import type { ProviderSet } from '../providers/providerSet';

/** The active file and its repository, as far as providers may know them. */
export interface ActiveFileAndRepository {
  /** URI of the active file, if there is one that agents may read. */
  readonly uri: string | undefined;
  /** Name of the repository, for example `github.com/owner/repository`. */
  readonly codebase: string | undefined;
}

interface LookupPorts {
  readonly clock: Clock;
  readonly providers: Pick<ProviderSet, 'forDocument' | 'find'>;
  readonly userLocation: () => Promise<ActiveFileAndRepository>;
}

interface LookupResult extends Pick<ContextAnswer, 'pendingProviders'> {
  readonly items: readonly ContextItem[];
  /** Whether no provider has failed. A provider that has not answered yet does not count as failed. */
  readonly isComplete: boolean;
}

/** Maximum number of items per provider and request. */
const maxItems = 50;
/** Number of mentions whose items are requested if the caller cannot choose among them. */
const maxMentions = 3;

/** Looks up items that do not belong to a file. First finds mentions by a query, and then requests their items. */
export class ContextLookups implements Disposable {
  /** The search while the user types. */
  readonly mentionSearch: MentionSearch;

  constructor(private readonly ports: LookupPorts) {
    this.mentionSearch = new MentionSearch(ports.clock);
  }

  /** Finds mentions while the user types. Never rejects. */
  async searchMentions(query: string, options: MentionSearchOptions): Promise<readonly FoundMention[]> {
    const { handles, params } = await this.prepareRequest(query);
    return await this.mentionSearch.search(handles, params, options);
  }

  /** Returns the provider's items for a mention. @throws Error that explains why the request failed */
  async itemsOfMention(id: string, mention: Mention, signal: AbortSignal): Promise<readonly ContextItem[]> {
    const handle = this.ports.providers.find(id);
    if (!handle) throw new Error('its context provider is no longer configured or is turned off.');
    try {
      return (await lookUpItems(handle, { mention }, signal)) ?? [itemOfMention(handle.providerRef, mention)];
    } catch (error) {
      throw new Error(handle.state.lastError ?? messageOf(error), { cause: error });
    }
  }

  /** Returns items of all providers for a query, for callers that cannot choose a mention. Never rejects. */
  async itemsForQuery(query: string, waitMs: number, signal: AbortSignal): Promise<LookupResult> {
    const { handles, params } = await this.prepareRequest(query);
    const { clock } = this.ports;
    const answers = await Promise.all(
      handles.map(async (handle) => {
        try {
          const items = await withDeadline(clock, handle.providerRef.title, waitMs, (inTime) =>
            providerItems(handle, params, AbortSignal.any([signal, inTime])),
          );
          return { items, pendingProviders: [], isComplete: true };
        } catch (error) {
          // The status shows other errors.
          const isLate = error instanceof TimeoutError && !handle.isLookupPaused;
          return { items: [], pendingProviders: isLate ? [handle.providerRef] : [], isComplete: isLate };
        }
      }),
    );
    return {
      items: answers.flatMap(({ items }) => items),
      pendingProviders: answers.flatMap(({ pendingProviders }) => pendingProviders),
      isComplete: answers.every(({ isComplete }) => isComplete),
    };
  }

  dispose(): void {
    this.mentionSearch.dispose();
  }

  private async prepareRequest(
    query: string,
  ): Promise<{ readonly handles: readonly ProviderHandle[]; readonly params: MentionsParams }> {
    const { uri, codebase } = await this.ports.userLocation();
    return {
      handles: this.ports.providers.forDocument(uri),
      params: { query, ...withoutUndefined({ uri, codebase }) },
    };
  }
}

/** Returns the items of the first mentions found, or else the provider's items for the query. */
async function providerItems(
  handle: ProviderHandle,
  params: MentionsParams,
  signal: AbortSignal,
): Promise<readonly ContextItem[]> {
  if (handle.isLookupPaused) throw new Error('The provider is paused after a failure. Try again in a moment.');
  const mentions = (await handle.mentions(params, signal)) ?? [];
  if (mentions.length === 0) return (await lookUpItems(handle, { query: params.query }, signal)) ?? [];
  const found = await Promise.all(
    mentions
      .slice(0, maxMentions)
      .map(
        async (mention) =>
          (await lookUpItems(handle, { mention }, signal)) ?? [itemOfMention(handle.providerRef, mention)],
      ),
  );
  return found.flat();
}

async function lookUpItems(
  handle: ProviderHandle,
  lookup: LookupTarget,
  signal: AbortSignal,
): Promise<readonly ContextItem[] | undefined> {
  const packed = await handle.lookUpItems(lookup, signal);
  if (!packed) return undefined;
  return Array.from({ length: Math.min(maxItems, packedItemCount(packed)) }, (_, index) => {
    // Ranges are omitted, because these items do not belong to a file.
    const { title, url, hover, aiContent } = unpackItem(packed, index);
    return {
      title,
      provider: handle.providerRef,
      ...withoutUndefined({ url, hover, aiContent }),
    };
  });
}

/** Converts a mention to an item, for providers that have no items. */
function itemOfMention(provider: ProviderRef, { title, uri, description }: Mention): ContextItem {
  const text = [description, uri].filter(Boolean).join('\n');
  return { title, provider, ...(text === '' ? {} : { aiContent: text }) };
}
