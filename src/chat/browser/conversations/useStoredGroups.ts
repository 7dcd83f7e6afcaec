import { useMemo } from 'preact/hooks';
import type { ListedGroup } from '../../common/list/listItems';
import { storedGroups } from '../../common/list/storedGroups';
import { conversationsRequests } from '../../common/page/conversationsApi';
import { listedRows, useAgentSessionListings } from '../sessions/useAgentSessionListings';
import { usePage, usePageState } from './conversationsPageContext';

interface StoredGroups {
  readonly groups: readonly ListedGroup[];
  readonly buttonOf: (groupKey: string) => string | undefined;
  readonly onButton: (groupKey: string) => void;
  /** A group was expanded or collapsed. */
  readonly onToggle: (groupKey: string) => void;
}

/** The conversations that agents store, each agent's in a group. An agent is asked, and started, when its group is expanded. */
export function useStoredGroups(): StoredGroups {
  const page = usePage();
  const { backends, rows, settings } = usePageState();
  const listings = useAgentSessionListings({
    list: async (backendId) => (await page.request(conversationsRequests.listRemoteSessions, { backendId }))?.sessions,
    cancel: () => void page.request(conversationsRequests.cancelListing, {}),
  });
  const { listingBackendId, listingsByBackend } = listings;
  const { toggledGroups } = settings;
  const groups = useMemo(
    () =>
      storedGroups({
        backends,
        rows,
        listed: listedRows(listings),
        isExpanded: (key) => toggledGroups.includes(key),
        noteOf: (id) => {
          if (id === listingBackendId) return 'Listing…';
          const answer = listingsByBackend.get(id);
          if (answer === undefined || answer === 'stopped') return 'Not listed';
          if (answer === 'failed') return 'Could not be listed';
          return answer.length === 0 ? 'None found' : undefined;
        },
      }),
    [backends, rows, listingBackendId, listingsByBackend, toggledGroups],
  );
  const backendOf = (groupKey: string): string | undefined => groups.find(({ key }) => key === groupKey)?.backendId;
  return {
    groups,
    buttonOf: (groupKey) => {
      const group = groups.find(({ key }) => key === groupKey);
      if (group?.backendId === undefined || !group.isExpanded) return undefined;
      if (group.backendId === listingBackendId) return 'Cancel';
      return listingsByBackend.has(group.backendId) ? 'Refresh' : 'List';
    },
    onButton: (groupKey) => {
      const id = backendOf(groupKey);
      if (id === undefined) return;
      if (id === listingBackendId) listings.cancel();
      else listings.list(id);
    },
    onToggle: (groupKey) => {
      const id = backendOf(groupKey);
      const isOpening = !toggledGroups.includes(groupKey);
      if (id !== undefined && isOpening && !listingsByBackend.has(id)) listings.list(id);
    },
  };
}
