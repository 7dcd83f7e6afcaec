import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { FloatingBox } from './floating';
import { ChevronDownIcon, ShieldIcon } from './icons';
import { indexAfterKey } from './listKeys';
import { usePopup } from './hooks/usePopup';

export interface PickerChoice {
  readonly value: string;
  readonly name: string;
  readonly description?: string | undefined;
  /** What only some users want to know, such as a command line. */
  readonly tooltip?: string | undefined;
  readonly group?: string | undefined;
  /** The picture before the name. */
  readonly icon?: ComponentChildren;
  /** The status dot of the choice: its CSS class, and its meaning in words. */
  readonly status?: { readonly class: string; readonly word: string } | undefined;
  readonly note?: string | undefined;
}

interface PickerProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly PickerChoice[];
  readonly onPick: (value: string) => void;
  readonly onOpen?: () => void;
  readonly hint?: string | undefined;
  readonly disabled?: boolean | undefined;
  readonly allowsCustom?: boolean | undefined;
  /** The picture of a value that is none of the choices. */
  readonly icon?: ComponentChildren;
  /** What the button says of the current choice, if not its name; empty for only its picture. */
  readonly text?: string | undefined;
  /** What the user must know about the current choice, in a few words. */
  readonly warning?: string | undefined;
}

/** Maximum number of choices without a filter field. */
const maxUnfilteredChoices = 8;

/** A button that shows the current choice and opens a list of all choices. */
export function Picker(props: PickerProps) {
  const { label, value, choices, onPick, onOpen, hint, disabled, allowsCustom, icon, text, warning } = props;
  const warningId = useId();
  const { isOpen, setOpen, button, close, closeToButton } = usePopup();
  const open = (): void => {
    setOpen(true);
    onOpen?.();
  };
  const current = choices.find((choice) => choice.value === value);
  const name = current?.name ?? value ?? 'Select';
  const shownText = text ?? name;
  return (
    <span class="picker">
      <button
        type="button"
        ref={button}
        class={`picker-button ${warning === undefined ? '' : 'is-warning'}`}
        title={[`${label}: ${name}`, warning, hint].filter((line) => line !== undefined).join('\n')}
        aria-label={`${label}: ${name}`}
        aria-describedby={warning === undefined ? undefined : warningId}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        disabled={disabled}
        onClick={isOpen ? close : open}
        onKeyDown={(event) => {
          if (isOpen || (event.key !== 'ArrowDown' && event.key !== 'ArrowUp')) return;
          event.preventDefault();
          open();
        }}
      >
        {current ? current.icon : icon}
        {warning !== undefined && <ShieldIcon />}
        {shownText !== '' && <span class="picker-name one-line">{shownText}</span>}
        <ChevronDownIcon />
      </button>
      {warning !== undefined && (
        <span id={warningId} class="visually-hidden">
          {warning}
        </span>
      )}
      {isOpen && (
        <FloatingBox anchor={button} onLeave={close} class="picker-list">
          <ChoiceList
            label={label}
            value={value}
            choices={choices}
            allowsCustom={allowsCustom}
            onPick={onPick}
            onDone={closeToButton}
          />
        </FloatingBox>
      )}
    </span>
  );
}

interface ChoiceListProps {
  readonly label: string;
  readonly value: string | undefined;
  readonly choices: readonly PickerChoice[];
  readonly allowsCustom: boolean | undefined;
  /** Called after `onDone`, only for another choice than the current one. */
  readonly onPick: (value: string) => void;
  /** Called when the user has picked or canceled. */
  readonly onDone: () => void;
}

/** The list of an open picker. It takes the focus. A list with many choices has a filter field. */
export function ChoiceList({ label, value, choices, allowsCustom = false, onPick, onDone }: ChoiceListProps) {
  const id = useId();
  const [filter, setFilter] = useState('');
  const visibleChoices = [
    ...choices.filter((choice) => matchesFilter(choice, filter)),
    ...(allowsCustom ? customChoice(choices, filter.trim()) : []),
  ];
  const [active, setActive] = useState(() =>
    Math.max(
      choices.findIndex((choice) => choice.value === value),
      0,
    ),
  );
  const list = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const hasFilter = allowsCustom || choices.length > maxUnfilteredChoices;
  const filterLabel = allowsCustom ? `${label}: select or enter a name` : `Filter: ${label}`;
  const activeId = visibleChoices[active] && `${id}-${active}`;

  useLayoutEffect(() => (input.current ?? list.current)?.focus(), []);
  useLayoutEffect(() => {
    if (activeId !== undefined) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' });
  }, [activeId]);

  const pick = (picked: string): void => {
    onDone();
    if (picked !== value) onPick(picked);
  };

  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const isText = hasFilter && (event.key === 'Home' || event.key === 'End');
    const next = isText ? undefined : indexAfterKey(event.key, active, visibleChoices.length);
    const chosen = visibleChoices[active];
    if (next !== undefined) setActive(next);
    else if (event.key === 'Escape' || event.key === 'Tab') onDone();
    else if (chosen && (event.key === 'Enter' || (event.key === ' ' && !hasFilter))) pick(chosen.value);
    else {
      if (!hasFilter) moveToLetter(event.key);
      return;
    }
    event.preventDefault();
    event.stopPropagation();
  };

  const moveToLetter = (letter: string): void => {
    const order = [...visibleChoices.keys()].map((offset) => (active + 1 + offset) % visibleChoices.length);
    const found = order.find((index) => visibleChoices[index]?.name.toLowerCase().startsWith(letter.toLowerCase()));
    if (found !== undefined) setActive(found);
  };

  return (
    <div onKeyDown={onKeyDown} class="choices">
      {hasFilter && (
        <input
          ref={input}
          class="text-field"
          type="text"
          role="combobox"
          placeholder={filterLabel}
          aria-label={filterLabel}
          aria-controls={id}
          aria-expanded={true}
          aria-activedescendant={activeId}
          value={filter}
          onInput={(event) => {
            setFilter(event.currentTarget.value);
            setActive(0);
          }}
        />
      )}
      <div
        ref={list}
        id={id}
        class="choice-list"
        role="listbox"
        aria-label={label}
        tabIndex={hasFilter ? -1 : 0}
        aria-activedescendant={activeId}
      >
        {groupChoices(visibleChoices).map(({ name, items }) => (
          <div key={name} role={name === '' ? 'presentation' : 'group'} aria-label={name === '' ? undefined : name}>
            {name !== '' && (
              <div class="choice-group" role="presentation">
                {name}
              </div>
            )}
            {items.map(({ choice, index }) => (
              <div
                key={choice.value}
                id={`${id}-${index}`}
                class={`choice ${index === active ? 'is-active' : ''}`}
                role="option"
                title={choice.tooltip}
                aria-selected={choice.value === value}
                onClick={() => pick(choice.value)}
                onPointerMove={() => setActive(index)}
              >
                <span class="choice-name">
                  {choice.icon}
                  <span class="choice-title">{choice.name}</span>
                  {choice.status && <span class={`dot ${choice.status.class}`} />}
                  {choice.status && <span class="choice-state">{choice.status.word}</span>}
                  {choice.note !== undefined && <span class="choice-state">{choice.note}</span>}
                </span>
                {choice.description !== undefined && <span class="choice-description">{choice.description}</span>}
              </div>
            ))}
          </div>
        ))}
      </div>
      {visibleChoices.length === 0 && <div class="choice-none">No matches for “{filter}”</div>}
    </div>
  );
}

function customChoice(choices: readonly PickerChoice[], typed: string): PickerChoice[] {
  if (typed === '' || choices.some(({ value }) => value === typed)) return [];
  return [{ value: typed, name: `Use “${typed}”` }];
}

function matchesFilter(choice: PickerChoice, filter: string): boolean {
  const { name, value, description = '', group = '', tooltip = '' } = choice;
  const text = `${name} ${value} ${description} ${group} ${tooltip}`.toLowerCase();
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

interface ChoiceGroup {
  readonly name: string;
  readonly items: { readonly choice: PickerChoice; readonly index: number }[];
}

/** Groups adjacent choices that have the same group. Keeps their order. */
function groupChoices(choices: readonly PickerChoice[]): ChoiceGroup[] {
  const groups: ChoiceGroup[] = [];
  for (const [index, choice] of choices.entries()) {
    const name = choice.group ?? '';
    const last = groups.at(-1);
    if (last?.name === name) last.items.push({ choice, index });
    else groups.push({ name, items: [{ choice, index }] });
  }
  return groups;
}
