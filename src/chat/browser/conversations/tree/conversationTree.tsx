import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { useRedraw } from '../../../../transcript/browser/transcriptContext';
import type { ListItem } from '../../../common/list/listItems';
import { verbsOf, verbsOfAll } from '../../../common/list/rowVerbs';
import type { ConversationRow } from '../../../common/chatView';
import { conversationsRequests } from '../../../common/page/conversationsApi';
import { useAccidentalAnswerGuard } from '../../approval/useApprovalGuard';
import { usePage, usePageState } from '../conversationsPageContext';
import { runVerb, type PlainVerb } from './rowActions';
import { RowMenu, type MenuPlace } from './rowMenu';
import { SelectionBar } from './selectionBar';
import { GroupItem, PlainItem, RowItem, type TreeHandlers } from './treeItemViews';
import { indexOfTyped, stepAfterKey } from './treeKeys';
import { itemElement, useKeptFocus } from './useKeptFocus';
import { useSelection } from './useSelection';

/** Letters that follow each other within this time are one word. */
const typingPauseMs = 700;

interface ConversationTreeProps {
  readonly label: string;
  /** From top to bottom. */
  readonly items: readonly ListItem[];
  /** What was searched for; empty if the tree is not a result. */
  readonly query: string;
  /** In milliseconds since the epoch, by the host's clock. */
  readonly now: number;
  /** The place in a conversation that was found. */
  readonly entryIdOf: (rowId: string) => string | undefined;
  readonly groupButton: (groupKey: string) => string | undefined;
  readonly onGroupButton: (groupKey: string) => void;
  readonly onToggle: (groupKey: string) => void;
  readonly onMore: (groupKey: string) => void;
  /** Escape was pressed, and nothing is selected. Undefined if there is nothing to leave. */
  readonly onLeave?: () => void;
}

export function ConversationTree(props: ConversationTreeProps) {
  const { label, items, query, now, entryIdOf } = props;
  const page = usePage();
  const { failure, failures, shownId } = usePageState();
  const redraw = useRedraw();
  const tree = useRef<HTMLDivElement>(null);
  const [pointerKey, setPointerKey] = useState<string>();
  const [renamedId, setRenamedId] = useState<string>();
  /** With the rows as they were when it opened: no item comes or goes under the pointer. */
  const [menu, setMenu] = useState<{ readonly rows: readonly ConversationRow[]; readonly place: MenuPlace }>();
  const typed = useRef({ text: '', at: 0 });
  /** Key of the item to focus once it is drawn. */
  const focusAfterDraw = useRef<string | undefined>(undefined);
  /** Index of the item that was pressed to show more rows. */
  const moreIndex = useRef<number | undefined>(undefined);

  const keys = items.map(({ key }) => key);
  const rowById = useMemo(
    () => new Map(items.flatMap((item) => (item.kind === 'row' ? [[item.key, item.row] as const] : []))),
    [items],
  );
  const rowIds = [...rowById.keys()];
  const rowsOf = (ids: Iterable<string>) => [...ids].flatMap((id) => rowById.get(id) ?? []);
  const selection = useSelection((id) => rowById.has(id));
  const { activeKey, hasJustMoved, setActiveKey } = useKeptFocus(tree, keys, shownId ?? rowIds[0], redraw);
  const isDeliberate = useAccidentalAnswerGuard(placeOfAnswers(items, failures, failure));
  const isInPlace = useAccidentalAnswerGuard(keys.join('\n'));

  const focus = (key: string): void => {
    setActiveKey(key);
    const element = itemElement(tree, key);
    element?.focus();
    element?.scrollIntoView({ block: 'nearest' });
  };
  const run = (verb: PlainVerb, ids: readonly string[]): void =>
    void runVerb(page, verb, [...ids], entryIdOf(ids[0] ?? ''));
  const runIfItFits = (verb: PlainVerb, ids: readonly string[]): void => {
    const rows = rowsOf(ids);
    if (rows.length > 0 && rows.every((row) => verbsOf(row).includes(verb))) run(verb, ids);
  };
  /** Those that are selected, if this one is among them. */
  const withSelected = (id: string): readonly string[] => (selection.ids.has(id) ? [...selection.ids] : [id]);
  const openMenu = (id: string, place: MenuPlace): void => {
    if (!selection.ids.has(id)) selection.clear();
    setActiveKey(id);
    setMenu({ rows: rowsOf(withSelected(id)), place });
  };

  const current: TreeHandlers = {
    isDeliberate,
    dismissFailure: (rowId) => page.dismissFailure(rowId),
    runVerb: (verb, rowId) => {
      // The row may just have moved below the pointer.
      if (isInPlace()) runIfItFits(verb, [rowId]);
    },
    openMenu: (rowId, button) => openMenu(rowId, placeOf(button)),
    finishRenaming: (rowId, title) => {
      const takesFocus = document.activeElement?.tagName === 'INPUT';
      setRenamedId(undefined);
      if (takesFocus) focusAfterDraw.current = rowId;
      if (title !== undefined) void page.requestFor([rowId], conversationsRequests.rename, { sessionId: rowId, title });
    },
    runGroupAction: (groupKey) => props.onGroupButton(groupKey),
  };
  useLayoutEffect(() => {
    const key = focusAfterDraw.current;
    focusAfterDraw.current = undefined;
    if (key !== undefined) focus(key);
    // The first of more rows is drawn where the item was that shows more.
    const first = items[moreIndex.current ?? -1];
    if (first?.kind !== 'row') return;
    moreIndex.current = undefined;
    focus(first.key);
  });
  const handlers = useStableHandlers(current);

  const startRenaming = (rowId: string): void => {
    const row = rowById.get(rowId);
    if (row && verbsOf(row).includes('rename')) setRenamedId(rowId);
  };
  const itemAt = (target: EventTarget | null): ListItem | undefined => {
    const element = target instanceof Element ? target.closest('[data-key]') : null;
    const key = element?.getAttribute('data-key');
    return items.find((item) => item.key === key);
  };
  const activate = (item: ListItem): void => {
    if (item.kind === 'row') run('open', [item.key]);
    else if (item.kind === 'group') props.onToggle(item.group.key);
    else if (item.kind === 'more') {
      moreIndex.current = items.indexOf(item);
      props.onMore(item.groupKey);
    }
  };

  const onClick = (event: MouseEvent): void => {
    if (isControl(event.target)) return;
    const item = itemAt(event.target);
    if (!item) return;
    focus(item.key);
    const isRow = item.kind === 'row';
    if (isRow && (event.ctrlKey || event.metaKey)) selection.toggle(item.key);
    else if (isRow && event.shiftKey) selection.extendTo(item.key, activeKey, rowIds);
    else {
      selection.clear();
      activate(item);
    }
  };
  const onContextMenu = (event: MouseEvent): void => {
    const item = itemAt(event.target);
    if (item?.kind !== 'row' || event.target instanceof HTMLInputElement) return;
    event.preventDefault();
    openMenu(item.key, { left: event.clientX, top: event.clientY, height: 0 });
  };
  const onMouseDown = (event: MouseEvent): void => {
    // The middle button would start to scroll, and the Shift key would select text.
    if ((event.button === 1 || event.shiftKey) && !isControl(event.target)) event.preventDefault();
  };
  const onAuxClick = (event: MouseEvent): void => {
    const item = itemAt(event.target);
    if (event.button === 1 && item?.kind === 'row') runIfItFits('openInTab', [item.key]);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    const index = keys.indexOf(activeKey ?? '');
    const item = items[index];
    if (!item || event.isComposing || event.target instanceof HTMLInputElement) return;
    if (!handleKey(event, item, index)) return;
    event.preventDefault();
    // VS Code has commands of its own for some of these keys.
    event.stopPropagation();
  };
  /** Returns whether the key does something. */
  const handleKey = (event: KeyboardEvent, item: ListItem, index: number): boolean => {
    const { key, shiftKey } = event;
    const isModified = event.ctrlKey || event.metaKey;
    const isOnButton = isControl(event.target);
    const isRow = item.kind === 'row';
    if (key === 'Escape') {
      if (selection.ids.size > 0) selection.clear();
      else if (props.onLeave) props.onLeave();
      else return false;
      return true;
    }
    if (key === 'ContextMenu' || (key === 'F10' && shiftKey)) {
      const element = itemElement(tree, item.key);
      if (isRow && element) openMenu(item.key, placeOf(element));
      return isRow;
    }
    if (isModified && !shiftKey && !event.altKey && key.toLowerCase() === 'a') {
      selection.selectAll(rowIds.filter((id) => verbsOfAll(rowsOf([id])).length > 0));
      return true;
    }
    if (event.altKey) return false;
    if (isRow && !isModified && (key === 'ArrowRight' || (key === 'ArrowLeft' && isOnButton)))
      return moveInRow(itemElement(tree, item.key), key === 'ArrowRight');
    const step = isModified ? undefined : stepAfterKey(key, items, index);
    if (step?.kind === 'toggle') {
      props.onToggle(step.groupKey);
      return true;
    }
    if (step) {
      const next = items[step.index];
      if (!next) return true;
      if (shiftKey && next.kind === 'row') selection.extendTo(next.key, isRow ? item.key : undefined, rowIds);
      focus(next.key);
      return true;
    }
    if (isOnButton) return false;
    if (key === 'Enter') {
      if (isModified) runIfItFits('openInTab', isRow ? [item.key] : []);
      else activate(item);
      return true;
    }
    if (key === 'F2' && isRow && !isModified && !shiftKey) {
      startRenaming(item.key);
      return true;
    }
    const isDelete = key === 'Delete' ? !isModified : key === 'Backspace' && event.metaKey;
    if (isDelete && !shiftKey && isRow) {
      // A key that is held, or pressed twice, is not meant for the rows that come after.
      if (event.repeat || hasJustMoved()) return true;
      runIfItFits('delete', withSelected(item.key));
      selection.clear();
      return true;
    }
    return !isModified && type(key, item, index);
  };
  const type = (key: string, item: ListItem, index: number): boolean => {
    const at = performance.now();
    const before = at - typed.current.at < typingPauseMs ? typed.current.text : '';
    if (key === ' ' && before === '') {
      if (item.kind === 'row') selection.toggle(item.key);
      else activate(item);
      return true;
    }
    if (!/^[^/]$/u.test(key)) return false;
    typed.current = { text: before + key, at };
    const found = items[indexOfTyped(typed.current.text, items, index) ?? -1];
    if (found) focus(found.key);
    return true;
  };

  useLayoutEffect(() => {
    const subscription = page.onDidRunCommand((command) => {
      if (command === 'focus' && activeKey !== undefined) focus(activeKey);
    });
    return () => subscription.dispose();
  });

  return (
    <>
      <div
        ref={tree}
        class="tree"
        role="tree"
        aria-label={label}
        aria-multiselectable="true"
        onClick={onClick}
        onAuxClick={onAuxClick}
        onMouseDown={onMouseDown}
        onContextMenu={onContextMenu}
        onKeyDown={onKeyDown}
        onFocusCapture={({ target }) => {
          const item = itemAt(target);
          if (item) setActiveKey(item.key);
        }}
        onPointerOver={({ target }) => setPointerKey(itemAt(target)?.key)}
        onPointerLeave={() => setPointerKey(undefined)}
      >
        {items.map((item) => {
          const isActive = item.key === activeKey;
          if (item.kind === 'group')
            return (
              <GroupItem
                key={item.key}
                item={item}
                isActive={isActive}
                button={props.groupButton(item.group.key)}
                handlers={handlers}
              />
            );
          if (item.kind === 'row')
            return (
              <RowItem
                key={item.key}
                item={item}
                query={query}
                now={now}
                failure={failures.get(item.key)}
                isActive={isActive}
                isUnderPointer={item.key === pointerKey}
                isSelected={selection.ids.has(item.key)}
                isShown={item.key === shownId}
                isRenamed={item.key === renamedId}
                handlers={handlers}
              />
            );
          return (
            <PlainItem key={item.key} item={item} isActive={isActive}>
              {item.kind === 'more' ? `Show ${item.count} More` : item.text}
            </PlainItem>
          );
        })}
      </div>
      {selection.ids.size > 0 && <SelectionBar rows={rowsOf(selection.ids)} onDone={selection.clear} />}
      {menu && (
        <RowMenu
          rows={menu.rows}
          place={menu.place}
          onVerb={run}
          onRename={startRenaming}
          onClose={() => setMenu(undefined)}
          onDone={() => {
            setMenu(undefined);
            if (activeKey !== undefined) focus(activeKey);
          }}
        />
      )}
    </>
  );
}

/** Handlers that stay the same objects, and call the latest ones. */
function useStableHandlers(current: TreeHandlers): TreeHandlers {
  const latest = useRef(current);
  latest.current = current;
  return useMemo(
    () => ({
      isDeliberate: () => latest.current.isDeliberate(),
      dismissFailure: (rowId) => latest.current.dismissFailure(rowId),
      runVerb: (verb, rowId) => latest.current.runVerb(verb, rowId),
      openMenu: (rowId, button) => latest.current.openMenu(rowId, button),
      finishRenaming: (rowId, title) => latest.current.finishRenaming(rowId, title),
      runGroupAction: (groupKey) => latest.current.runGroupAction(groupKey),
    }),
    [],
  );
}

/** What is drawn from the top down to the last answer: while it stays the same, no answer is at another place. */
function placeOfAnswers(
  items: readonly ListItem[],
  failures: ReadonlyMap<string, string>,
  failure: string | undefined,
): string {
  const last = items.findLastIndex((item) => item.kind === 'row' && item.row.need?.answer !== undefined);
  const above = items.slice(0, last + 1).map((item) => {
    if (item.kind !== 'row') return item.key;
    const { need, state } = item.row;
    return [
      item.key,
      state,
      need?.text,
      need?.others,
      need?.answer?.approvalId,
      need?.answer?.shown,
      failures.get(item.key),
    ].join();
  });
  return [failure, ...above].join('\n');
}

function isControl(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('button, input') !== null;
}

/** Moves the focus between a row and its buttons. */
function moveInRow(row: HTMLElement | undefined, isForward: boolean): boolean {
  if (!row) return false;
  const stops = [row, ...row.querySelectorAll('button')];
  const at = stops.findIndex((stop) => stop === document.activeElement);
  stops[Math.min(Math.max(at + (isForward ? 1 : -1), 0), stops.length - 1)]?.focus();
  return true;
}

function placeOf(element: HTMLElement): MenuPlace {
  const { height, left, top } = element.getBoundingClientRect();
  return { left, top, height };
}
