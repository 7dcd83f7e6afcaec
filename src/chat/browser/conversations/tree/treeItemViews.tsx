import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { showHiddenCharacters } from '../../../../base/common/text/hiddenCharacters';
import { UntrustedText } from '../../../../transcript/browser/parts/untrustedText';
import { IconButton } from '../../../../webview/browser/iconButton';
import { ChevronDownIcon, ChevronRightIcon, MoreIcon } from '../../../../webview/browser/icons';
import type { ListItem } from '../../../common/list/listItems';
import { verbsOf } from '../../../common/list/rowVerbs';
import { TitleField } from '../../sessions/titleField';
import { ConversationRowView } from './conversationRowView';
import { verbWords, type PlainVerb } from './rowActions';

type ItemOf<Kind extends ListItem['kind']> = Extract<ListItem, { kind: Kind }>;

/** What the items of a tree call. The functions stay the same, so that only what has changed is drawn again. */
export interface TreeHandlers {
  readonly isDeliberate: () => boolean;
  readonly dismissFailure: (rowId: string) => void;
  readonly runVerb: (verb: PlainVerb, rowId: string) => void;
  /** Opens the menu of a conversation below a button. */
  readonly openMenu: (rowId: string, button: HTMLElement) => void;
  /** Ends the renaming. `title`: the new one, if it has changed. */
  readonly finishRenaming: (rowId: string, title: string | undefined) => void;
  /** Does what the button of a group is for. */
  readonly runGroupAction: (groupKey: string) => void;
}

interface RowItemProps {
  readonly item: ItemOf<'row'>;
  readonly query: string;
  readonly now: number;
  readonly failure: string | undefined;
  readonly isActive: boolean;
  /** Whether the pointer is over it. */
  readonly isUnderPointer: boolean;
  readonly isSelected: boolean;
  /** Whether the chat shows it. */
  readonly isShown: boolean;
  readonly isRenamed: boolean;
  readonly handlers: TreeHandlers;
}

/** Those that are used most, beside the menu. Each has a place of its own, so that none takes the click that was meant for another. */
const quickVerbs = [['stop'], ['archive', 'unarchive'], ['pin', 'unpin']] as const;

export function RowItem({ item, query, now, failure, handlers, ...flags }: RowItemProps) {
  const { isActive, isUnderPointer, isRenamed, isSelected, isShown } = flags;
  const { key, level, position, row, size } = item;
  const tabIndex = isActive ? 0 : -1;
  return useMemo(() => {
    const verbs = verbsOf(row);
    return (
      <div
        role="treeitem"
        class={`tree-item row is-${row.state} ${isShown ? 'is-shown' : ''}`}
        data-key={key}
        tabIndex={tabIndex}
        aria-level={level}
        aria-posinset={position}
        aria-setsize={size}
        aria-selected={isSelected}
        aria-current={isShown ? 'true' : undefined}
      >
        {isRenamed ? (
          <TitleField title={row.title} onDone={(title) => handlers.finishRenaming(key, title)} />
        ) : (
          <ConversationRowView
            row={row}
            query={query}
            now={now}
            failure={failure}
            tabIndex={tabIndex}
            isDeliberate={handlers.isDeliberate}
            onDismissFailure={() => handlers.dismissFailure(key)}
          />
        )}
        {(isActive || isUnderPointer) && !isRenamed && (
          <span class="row-actions">
            {quickVerbs.map((place) => {
              const verb = place.find((one) => verbs.includes(one));
              if (!verb) return <span key={place[0]} class="no-action" />;
              const { hint, icon, label } = verbWords[verb];
              return (
                <IconButton
                  key={place[0]}
                  label={label}
                  hint={hint}
                  icon={icon}
                  tabIndex={tabIndex}
                  onClick={() => handlers.runVerb(verb, key)}
                />
              );
            })}
            <IconButton
              label="More Actions"
              icon={MoreIcon}
              tabIndex={tabIndex}
              onClick={({ currentTarget }) => {
                if (currentTarget instanceof HTMLElement) handlers.openMenu(key, currentTarget);
              }}
            />
          </span>
        )}
      </div>
    );
  }, [row, level, position, size, query, now, failure, isActive, isUnderPointer, isSelected, isShown, isRenamed]);
}

interface GroupItemProps {
  readonly item: ItemOf<'group'>;
  readonly isActive: boolean;
  /** The button of the group, if it has one. */
  readonly button: string | undefined;
  readonly handlers: TreeHandlers;
}

export function GroupItem({ item, isActive, button, handlers }: GroupItemProps) {
  const { group, level, position, size } = item;
  const { count, isExpanded, place, title } = group;
  return (
    <div
      role="treeitem"
      class="tree-item group"
      data-key={item.key}
      tabIndex={isActive ? 0 : -1}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={size}
      aria-expanded={isExpanded}
      title={place === undefined ? undefined : showHiddenCharacters(place)}
    >
      {isExpanded ? <ChevronDownIcon /> : <ChevronRightIcon />}
      <span class="group-title one-line" dir="auto">
        <UntrustedText text={title} />
      </span>
      {count !== undefined && <span class="group-count">{count}</span>}
      {button !== undefined && (
        <button
          type="button"
          class="link-button"
          tabIndex={isActive ? 0 : -1}
          onClick={() => handlers.runGroupAction(group.key)}
        >
          {button}
        </button>
      )}
    </div>
  );
}

interface PlainItemProps {
  readonly item: ListItem;
  readonly isActive: boolean;
  readonly children: ComponentChildren;
}

/** An item with a text: more rows, or a note. */
export function PlainItem({ item, isActive, children }: PlainItemProps) {
  const { key, kind, level, position, size } = item;
  return (
    <div
      role="treeitem"
      class={`tree-item ${kind}`}
      data-key={key}
      tabIndex={isActive ? 0 : -1}
      aria-level={level}
      aria-posinset={position}
      aria-setsize={size}
    >
      {children}
    </div>
  );
}
