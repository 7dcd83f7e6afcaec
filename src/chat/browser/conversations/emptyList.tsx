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
  if (outOfScopeCount > 0) {
    const where = scope === 'workspace' ? 'workspace' : 'repository';
    return (
      <div class="empty-list">
        <p>{`No conversations in this ${where}.`}</p>
        <button type="button" class="button" onClick={() => page.changeSettings({ scope: 'everywhere' })}>
          {`Show ${countWithNoun(outOfScopeCount, 'Other', 'Others')}`}
        </button>
      </div>
    );
  }
  if (archivedCount > 0 && !showsArchived)
    return (
      <div class="empty-list">
        <p>{archivedCount === 1 ? 'Your only conversation is archived.' : `All ${archivedCount} are archived.`}</p>
        <button type="button" class="button" onClick={() => page.changeSettings({ showsArchived: true })}>
          Show Archived
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
