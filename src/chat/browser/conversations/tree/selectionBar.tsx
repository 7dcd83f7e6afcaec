import { IconButton } from '../../../../webview/browser/iconButton';
import { CloseIcon } from '../../../../webview/browser/icons';
import type { ConversationRow } from '../../../common/chatView';
import { verbsOfAll } from '../../../common/list/rowVerbs';
import { usePage } from '../conversationsPageContext';
import { focusActiveItem } from './focusActiveItem';
import { runVerb, verbWords } from './rowActions';

interface SelectionBarProps {
  readonly rows: readonly ConversationRow[];
  readonly onDone: () => void;
}

/** What can be done with all conversations that are selected. */
export function SelectionBar({ rows, onDone }: SelectionBarProps) {
  const page = usePage();
  const ids = rows.map(({ id }) => id);
  // The buttons go with the selection.
  const finish = (): void => {
    focusActiveItem();
    onDone();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    event.stopPropagation();
    finish();
  };
  return (
    <div class="selection-bar" role="toolbar" aria-label="Selected conversations" onKeyDown={onKeyDown}>
      <span class="selection-count" role="status">{`${rows.length} selected`}</span>
      {verbsOfAll(rows).map((verb) => {
        const { hint, icon, label, shortcut } = verbWords[verb];
        return (
          <IconButton
            key={verb}
            label={label}
            hint={hint ?? shortcut}
            icon={icon}
            onClick={() => {
              finish();
              void runVerb(page, verb, ids);
            }}
          />
        );
      })}
      <IconButton label="Clear Selection" hint="Escape" icon={CloseIcon} onClick={finish} />
    </div>
  );
}
