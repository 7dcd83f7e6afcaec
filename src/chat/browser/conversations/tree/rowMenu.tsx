import { useLayoutEffect, useRef } from 'preact/hooks';
import { showHiddenCharacters } from '../../../../base/common/text/hiddenCharacters';
import { FloatingBox } from '../../../../webview/browser/floating';
import { MenuList, type CustomMenuItem } from '../../../../webview/browser/menu';
import type { ConversationRow } from '../../../common/chatView';
import { verbsOf, verbsOfAll, type RowVerb } from '../../../common/list/rowVerbs';
import { conversationsRequests } from '../../../common/page/conversationsApi';
import { usePage } from '../conversationsPageContext';
import { exportFormats, exportIcon, exportWithQuestion, verbWords, type PlainVerb, type VerbWords } from './rowActions';

/** Where a menu opens: below a box of the window, in CSS pixels. */
export interface MenuPlace {
  readonly left: number;
  readonly top: number;
  readonly height: number;
}

interface RowMenuProps {
  readonly rows: readonly ConversationRow[];
  readonly place: MenuPlace;
  readonly onVerb: (verb: PlainVerb, rowIds: readonly string[]) => void;
  readonly onRename: (rowId: string) => void;
  readonly onClose: () => void;
  /** The menu is done, and gives the focus back. */
  readonly onDone: () => void;
}

/** What can be done with one conversation, or with all that are selected. */
export function RowMenu({ rows, place, onVerb, onRename, onClose, onDone }: RowMenuProps) {
  const page = usePage();
  const anchor = useRef<HTMLSpanElement>(null);
  const ids = rows.map(({ id }) => id);
  const [only] = rows;
  const items = (rows.length === 1 && only ? verbsOf(only) : verbsOfAll(rows)).flatMap((verb): CustomMenuItem[] => {
    if (verb === 'export')
      // Other sources ask for the format themselves.
      return (only?.source === undefined ? exportFormats : [exportWithQuestion]).map(({ format, label }, index) => ({
        key: label,
        content: <VerbLine icon={exportIcon} label={label} />,
        startsGroup: index === 0,
        run: () => void page.requestFor(ids, conversationsRequests.export, { sessionId: only?.id ?? '', format }),
      }));
    return [
      {
        key: verb,
        content: <VerbLine {...verbWords[verb]} />,
        startsGroup: startsGroup(verb),
        run: () => (verb === 'rename' ? onRename(ids[0] ?? '') : onVerb(verb, ids)),
      },
    ];
  });
  // A menu without an item could not be left by keyboard.
  useLayoutEffect(() => {
    if (items.length === 0) onClose();
  });
  const of = rows.length === 1 && only ? `“${showHiddenCharacters(only.title)}”` : `${rows.length} conversations`;
  return (
    <>
      <span
        ref={anchor}
        class="menu-place"
        style={{ left: `${place.left}px`, top: `${place.top}px`, height: `${place.height}px` }}
      />
      <FloatingBox anchor={anchor} onLeave={onClose}>
        <MenuList label={`Actions for ${of}`} items={items} onDone={onDone} />
      </FloatingBox>
    </>
  );
}

/** Whether the item begins another kind of action: to look at it, to sort it, to go on with it, to remove it. */
function startsGroup(verb: RowVerb): boolean {
  return verb === 'stop' || verb === 'rename' || verb === 'fork' || verb === 'delete';
}

type VerbLineProps = Pick<VerbWords, 'icon' | 'label'> & Partial<VerbWords>;

function VerbLine({ icon: Picture, label, hint, shortcut }: VerbLineProps) {
  return (
    <>
      <Picture />
      <span class="menu-words">
        {label}
        {hint !== undefined && <span class="menu-hint">{hint}</span>}
      </span>
      {shortcut !== undefined && <span class="menu-key">{shortcut}</span>}
    </>
  );
}
