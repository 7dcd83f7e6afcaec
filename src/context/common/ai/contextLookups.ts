import { withDeadline, type Clock } from '../../../base/common/async';
import { messageOf, TimeoutError } from '../../../base/common/errors';
import type { Disposable } from '../../../base/common/disposable';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ContextItem, ProviderRef } from '../items/contextItem';
import type { Lookup, Mention, MentionsParams } from './providerMention';
import { MentionSearch, type FoundMention, type MentionSearchOptions } from './mentionSearch';
import type { ContextAnswer } from '../items/documentRecord';
import { countOfPacked, itemOfPacked } from '../items/packedItems';
import type { ProviderHandle } from '../providers/providerHandle';
import type { ProviderSet } from '../providers/providerSet';

/** What providers may know about where the user is. */
export interface LookupPlace {
  /** URI of the active file, if there is one that agents may read. */
  readonly uri: string | undefined;
  /** For example `github.com/owner/repository`. */
  readonly codebase: string | undefined;
}

interface LookupPorts {
  readonly clock: Clock;
  readonly providers: Pick<ProviderSet, 'for' | 'find'>;
  readonly place: () => Promise<LookupPlace>;
}

interface LookedUp extends Pick<ContextAnswer, 'waitingFor'> {
  readonly items: readonly ContextItem[];
  /** Whether no provider failed. Late providers do not count as failed. */
  readonly isComplete: boolean;
}

/** Limit per provider and request. */
const mostItems = 50;
/** Number of mentions that are looked up when the caller cannot choose among them. */
const mostMentions = 3;

/** Looks up items that belong to no file: finds mentions by a query, then their items. */
export class ContextLookups implements Disposable {
  /** The interactive search, while the user types. */
  readonly typed: MentionSearch;

  constructor(private readonly ports: LookupPorts) {
    this.typed = new MentionSearch(ports.clock);
  }

  /** Finds mentions while the user types. Never rejects. */
  async search(query: string, options: MentionSearchOptions): Promise<readonly FoundMention[]> {
    const { handles, params } = await this.question(query);
    return await this.typed.search(handles, params, options);
  }

  /** Returns the provider's items for a mention. @throws Error that says why it failed */
  async itemsOf(id: string, mention: Mention, signal: AbortSignal): Promise<readonly ContextItem[]> {
    const handle = this.ports.providers.find(id);
    if (!handle) throw new Error('its context provider is no longer configured or is turned off.');
    try {
      return (await known(handle, { mention }, signal)) ?? [itemOfMention(handle.ref, mention)];
    } catch (error) {
      throw new Error(handle.state.lastError ?? messageOf(error), { cause: error });
    }
  }

  /** Returns items of all providers for a query, for callers that cannot choose a mention. Never rejects. */
  async lookUp(query: string, waitMs: number, signal: AbortSignal): Promise<LookedUp> {
    const { handles, params } = await this.question(query);
    const { clock } = this.ports;
    const answers = await Promise.all(
      handles.map(async (handle) => {
        try {
          const items = await withDeadline(clock, handle.ref.title, waitMs, (inTime) =>
            itemsFor(handle, params, AbortSignal.any([signal, inTime])),
          );
          return { items, waitingFor: [], isComplete: true };
        } catch (error) {
          // The status shows the error.
          const isLate = error instanceof TimeoutError && !handle.isLookupPaused;
          return { items: [], waitingFor: isLate ? [handle.ref] : [], isComplete: isLate };
        }
      }),
    );
    return {
      items: answers.flatMap(({ items }) => items),
      waitingFor: answers.flatMap(({ waitingFor }) => waitingFor),
      isComplete: answers.every(({ isComplete }) => isComplete),
    };
  }

  dispose(): void {
    this.typed.dispose();
  }

  private async question(
    query: string,
  ): Promise<{ readonly handles: readonly ProviderHandle[]; readonly params: MentionsParams }> {
    const { uri, codebase } = await this.ports.place();
    return { handles: this.ports.providers.for(uri), params: { query, ...withoutUndefined({ uri, codebase }) } };
  }
}

/** Items of the first mentions found, or for the query itself if the provider finds none. */
async function itemsFor(
  handle: ProviderHandle,
  params: MentionsParams,
  signal: AbortSignal,
): Promise<readonly ContextItem[]> {
  if (handle.isLookupPaused) throw new Error('It failed a moment ago.');
  const mentions = (await handle.mentions(params, signal)) ?? [];
  if (mentions.length === 0) return (await known(handle, { query: params.query }, signal)) ?? [];
  const found = await Promise.all(
    mentions
      .slice(0, mostMentions)
      .map(async (mention) => (await known(handle, { mention }, signal)) ?? [itemOfMention(handle.ref, mention)]),
  );
  return found.flat();
}

/** Undefined if the provider does not support such requests. */
async function known(
  handle: ProviderHandle,
  lookup: Lookup,
  signal: AbortSignal,
): Promise<readonly ContextItem[] | undefined> {
  const packed = await handle.lookUp(lookup, signal);
  if (!packed) return undefined;
  return Array.from({ length: Math.min(mostItems, countOfPacked(packed)) }, (_, index) => {
    // Drop ranges: these items belong to no file.
    const { title, url, hover, aiContent } = itemOfPacked(packed, index);
    return {
      title,
      provider: handle.ref,
      ...withoutUndefined({ url, hover, aiContent }),
    };
  });
}

/** The fallback for providers without items. */
function itemOfMention(provider: ProviderRef, { title, uri, description }: Mention): ContextItem {
  const text = [description, uri].filter(Boolean).join('\n');
  return { title, provider, ...(text === '' ? {} : { aiContent: text }) };
}
