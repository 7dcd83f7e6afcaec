import type { RefObject } from 'preact';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { ArrowDownIcon } from '../../../webview/browser/icons';
import { formatCount } from '../parts/format';
import { isFarEntryInUse, unfold } from './focusAndSelection';
import { LiveRegion } from './liveRegion';
import { MoreEntries } from '../entries/moreEntries';
import { ScreenProximity } from './screenProximity';
import { PromptNavigator } from '../entries/promptNavigator';
import { firstEntryInSight, ScrollKeeper } from './scrollKeeper';
import type { TranscriptActions, TranscriptOptions } from '../transcriptActions';
import { TranscriptContext } from '../transcriptContext';
import type { TranscriptModel } from './transcriptModel';
import { TurnList } from './turnList';

export interface TranscriptHandle {
  /** Returns false when the entry is not loaded. */
  scrollToEntry(id: string): boolean;
  scrollToLatest(): void;
  /** Focuses the next (1) or previous (-1) prompt, relative to the prompt that is focused or at the top. */
  goToPrompt(step: 1 | -1): void;
}

interface TranscriptListProps {
  readonly model: TranscriptModel;
  readonly actions: TranscriptActions;
  readonly options?: TranscriptOptions;
  readonly handle?: RefObject<TranscriptHandle | null>;
  readonly onGoTo?: (entry: Element) => void;
}

const noOptions: TranscriptOptions = {};
/** Number of entries that are loaded if no loaded prompt follows. */
const promptSearchCount = 200;
/** Number of top-level entries that a page may have before those far from the reader are unloaded. */
const maxLoadedCount = 1_200;

export function TranscriptList({ model, actions, options = noOptions, handle, onGoTo }: TranscriptListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const { keeper, isFollowing } = useScrollKeeper(model, scroller, content);
  const unseen = useUnseenCount(model, isFollowing);
  const screenProximity = useScreenProximity(model, scroller);
  useUnloading(model, actions, scroller);
  const { conversationId, folding } = options;
  const sectionChoices = useMemo(() => new Map<string, boolean>(), [model, conversationId, folding]);
  const context = useMemo(
    () => ({ model, actions, options, screenProximity, sectionChoices }),
    [model, actions, options, screenProximity, sectionChoices],
  );
  // Another conversation starts at its end. Where the model has only one, it is recognized by its turns.
  useLayoutEffect(() => keeper.current?.scrollToEnd(), [keeper, conversationId]);
  const goTo = useCallback(
    (entry: Element): void => {
      keeper.current?.scrollToElement(entry);
      onGoTo?.(entry);
    },
    [keeper, onGoTo],
  );
  const goToLatest = useCallback(async (): Promise<void> => {
    if (model.unloadedLaterCount > 0) await actions.load({ kind: 'latest' });
    if (model.unloadedLaterCount === 0) keeper.current?.scrollToEnd();
  }, [model, actions, keeper]);
  const steps = useMemo(() => new PromptNavigator(scroller, goTo), [goTo]);
  const goToPrompt = useCallback(
    async (step: 1 | -1): Promise<void> => {
      if (steps.goToPrompt(step)) return;
      await actions.load({ kind: step === 1 ? 'later' : 'older', count: promptSearchCount, keepsAll: true });
      requestAnimationFrame(() => steps.goToPrompt(step));
    },
    [actions, steps],
  );

  useLayoutEffect(() => {
    if (!handle) return;
    handle.current = {
      scrollToEntry: (id) => {
        const element = content.current?.querySelector(`[data-entry="${CSS.escape(id)}"]`);
        unfold(element);
        if (element) goTo(element);
        return Boolean(element);
      },
      scrollToLatest: () => void goToLatest(),
      goToPrompt: (step) => void goToPrompt(step),
    };
    return () => {
      handle.current = null;
    };
  }, [handle, goTo, goToLatest, goToPrompt]);

  const onKeyDown = (event: KeyboardEvent): void => {
    if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
    event.preventDefault();
    void goToPrompt(event.key === 'ArrowUp' ? -1 : 1);
  };

  return (
    <TranscriptContext.Provider value={context}>
      <div class="transcript" onKeyDown={onKeyDown}>
        <div
          class="transcript-scroll"
          tabIndex={0}
          role="region"
          aria-label={options.label ?? 'Conversation'}
          aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
          ref={scroller}
        >
          <div class="transcript-content" ref={content}>
            <MoreEntries scroller={scroller} side="older" />
            <TurnList key={conversationId} onDrawn={() => keeper.current?.restorePosition()} />
            <MoreEntries scroller={scroller} side="later" />
          </div>
        </div>
        {!isFollowing && (
          <button type="button" class="jump" onClick={() => void goToLatest()}>
            <ArrowDownIcon />
            {unseen > 0 ? `Jump to Latest (${formatCount(unseen)} new)` : 'Jump to Latest'}
          </button>
        )}
        {options.isLive && <LiveRegion />}
      </div>
    </TranscriptContext.Provider>
  );
}

function useScreenProximity(model: TranscriptModel, scroller: RefObject<HTMLElement | null>): ScreenProximity {
  const screenProximity = useMemo(() => new ScreenProximity(model), [model]);
  useLayoutEffect(() => {
    if (scroller.current) screenProximity.start(scroller.current);
    return () => screenProximity.dispose();
  }, [screenProximity]);
  return screenProximity;
}

function useScrollKeeper(
  model: TranscriptModel,
  scroller: RefObject<HTMLDivElement | null>,
  content: RefObject<HTMLDivElement | null>,
): { keeper: { readonly current: ScrollKeeper | undefined }; isFollowing: boolean } {
  const keeper = useRef<ScrollKeeper | undefined>(undefined);
  const [isFollowing, setFollowing] = useState(true);
  useLayoutEffect(() => {
    if (!scroller.current || !content.current) return;
    const started = new ScrollKeeper(
      scroller.current,
      content.current,
      () => model.unloadedLaterCount === 0,
      setFollowing,
    );
    started.start();
    keeper.current = started;
    // If the same conversation is read again, the position is kept. Another conversation starts at its end.
    const lastTurnStart = (): string | undefined => model.turns.at(-1)?.entryIds[0];
    let lastTurn = lastTurnStart();
    const subscriptions = [
      model.onWillChange(({ older = [], unload = [], after = 0 }) => {
        lastTurn = lastTurnStart();
        if (after > 0) started.stopFollowing();
        if (older.length > 0 || unload.length > 0) started.savePosition();
      }),
      model.onDidChange(({ isReset }) => {
        if (isReset && model.unloadedLaterCount === 0 && lastTurnStart() !== lastTurn) started.scrollToEnd();
      }),
    ];
    return () => {
      for (const subscription of subscriptions) subscription.dispose();
      started.dispose();
      keeper.current = undefined;
    };
  }, [model]);
  return { keeper, isFollowing };
}

/** Unloads entries far from the reader, so that the page of a long conversation does not grow without limit. */
function useUnloading(
  model: TranscriptModel,
  { load }: TranscriptActions,
  scroller: RefObject<HTMLElement | null>,
): void {
  useLayoutEffect(() => {
    let isUnloading = false;
    const unload = async (): Promise<void> => {
      const { current } = scroller;
      const entryId = current && firstEntryInSight(current)?.dataset['entry'];
      if (entryId && !isFarEntryInUse(current)) await load({ kind: 'unloadFar', entryId });
      isUnloading = false;
    };
    const subscription = model.onDidChange(() => {
      if (isUnloading || model.topLevelCount <= maxLoadedCount) return;
      isUnloading = true;
      // When the new entries are drawn.
      requestAnimationFrame(() => void unload());
    });
    return () => subscription.dispose();
  }, [model, load]);
}

/** Returns how many entries were added since the reader left the end. */
function useUnseenCount(model: TranscriptModel, isFollowing: boolean): number {
  const [unseen, setUnseen] = useState(0);
  useLayoutEffect(() => {
    setUnseen(0);
    if (isFollowing) return;
    const subscription = model.onDidChange(({ isReset, addedEntries, unloadedAddedCount }) => {
      const count = addedEntries.filter(({ parent }) => parent === undefined).length + unloadedAddedCount;
      setUnseen((before) => (isReset ? 0 : before + count));
    });
    return () => subscription.dispose();
  }, [model, isFollowing]);
  return unseen;
}
