import { FloatingBox } from '../../../webview/browser/floating';
import { usePopup } from '../../../webview/browser/hooks/usePopup';
import { IconButton } from '../../../webview/browser/iconButton';
import { CheckIcon, OptionsIcon } from '../../../webview/browser/icons';
import { MenuList, type CustomMenuItem } from '../../../webview/browser/menu';
import type { ListSettings } from '../../common/list/listSettings';
import { usePage, usePageState } from './conversationsPageContext';

const groupings: readonly (readonly [ListSettings['grouping'], string])[] = [
  ['state', 'Group by State'],
  ['repository', 'Group by Repository'],
  ['agent', 'Group by Agent'],
  ['day', 'Group by Day'],
];

const scopes: readonly (readonly [ListSettings['scope'], string])[] = [
  ['everywhere', 'Show All Workspaces'],
  ['repository', 'Show This Repository'],
  ['workspace', 'Show This Workspace'],
];

/** How the list is grouped, and which conversations it shows. */
export function ViewMenu() {
  const page = usePage();
  const { settings } = usePageState();
  const { isOpen, setOpen, button, close, closeToButton } = usePopup();
  const { grouping, scope, showsArchived } = settings;
  const isFiltered = scope !== 'everywhere' || showsArchived;
  const radio = (
    label: string,
    isChosen: boolean,
    changed: Partial<ListSettings>,
    startsGroup: boolean,
  ): CustomMenuItem => ({
    key: label,
    content: <ChoiceLine label={label} isChosen={isChosen} />,
    choice: { isChosen, isOneOf: true },
    startsGroup,
    run: () => page.changeSettings(changed),
  });
  const items: CustomMenuItem[] = [
    ...groupings.map(([value, label]) => radio(label, grouping === value, { grouping: value }, false)),
    ...scopes.map(([value, label], index) => radio(label, scope === value, { scope: value }, index === 0)),
    {
      key: 'archived',
      content: <ChoiceLine label="Show Archived" isChosen={showsArchived} />,
      choice: { isChosen: showsArchived, isOneOf: false },
      startsGroup: true,
      run: () => page.changeSettings({ showsArchived: !showsArchived }),
    },
  ];
  const label = 'Group and Filter';
  return (
    <span class={`menu-anchor ${isFiltered ? 'is-filtered' : ''}`}>
      <IconButton
        label={label}
        hint={isFiltered ? 'filtered' : undefined}
        icon={OptionsIcon}
        buttonRef={button}
        expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      />
      {isOpen && (
        <FloatingBox anchor={button} onLeave={close}>
          <MenuList label={label} items={items} onDone={closeToButton} />
        </FloatingBox>
      )}
    </span>
  );
}

function ChoiceLine({ label, isChosen }: { label: string; isChosen: boolean }) {
  return (
    <>
      <span class="menu-check">{isChosen && <CheckIcon />}</span>
      <span>{label}</span>
    </>
  );
}
