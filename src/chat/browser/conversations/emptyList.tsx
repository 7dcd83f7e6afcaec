import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { conversationsRequests } from '../../common/page/conversationsApi';
import { usePage, usePageState } from './conversationsPageContext';

interface EmptyListProps {
  readonly archivedCount: number;
  readonly outOfScopeCount: number;
}

/** Why the list is empty, and what to do. */
export function EmptyList({ archivedCount, outOfScopeCount }: EmptyListProps) {
  const page = usePage();
  const { scope, showsArchived } = usePageState().settings;
  const create = (): void => void page.request(conversationsRequests.create, {});
  const where = scope === 'everywhere' ? '' : ` in this ${scope}`;
  if (archivedCount > 0 && !showsArchived)
    return (
      <div class="empty-list">
        <p>
          {archivedCount === 1
            ? `The only conversation${where} is archived.`
            : `All ${archivedCount} conversations${where} are archived.`}
        </p>
        <button type="button" class="button" onClick={() => page.changeSettings({ showsArchived: true })}>
          Show Archived
        </button>
      </div>
    );
  if (scope !== 'everywhere')
    return (
      <div class="empty-list">
        <p>{`No conversations${where}.`}</p>
        <button type="button" class="button" onClick={() => page.changeSettings({ scope: 'everywhere' })}>
          {outOfScopeCount > 0 ? `Show ${countWithNoun(outOfScopeCount, 'Other', 'Others')}` : 'Show All Workspaces'}
        </button>
      </div>
    );
  return (
    <div class="empty-list">
      <h2>No conversations yet</h2>
      <p>
        All your conversations with agents are listed here, from every workspace and window: first those that need your
        input, then those that work.
      </p>
      <button type="button" class="button is-primary" onClick={create}>
        New Conversation
      </button>
    </div>
  );
}
