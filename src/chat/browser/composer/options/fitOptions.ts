import { isModeOption, unattendedActionOfOption } from '../../../../session/common/optionChoices';
import type { OptionView } from '../../../common/chatView';

export interface PickerRow {
  /** The room for the agent and the options, in CSS pixels. */
  readonly widthPx: number;
  /** Returns the width of a text, in CSS pixels. */
  readonly measure: (text: string) => number;
}

interface ShownOption {
  readonly option: OptionView;
  /** What the picker says: the whole name, or the first words of one that is too long for the row. */
  readonly text: string;
}

interface FittedOptions {
  /** Whether the agent is shown with its name, or only with its picture. */
  readonly isAgentNamed: boolean;
  /** Whether pickers have an arrow. */
  readonly hasArrows: boolean;
  /** Options with a picker of their own. */
  readonly shown: readonly ShownOption[];
  /** Options in the menu of further options. */
  readonly further: readonly OptionView[];
}

/** With this share of the row at most, the agent's name is shown whatever options there are, so that those that arrive do not change it. */
const agentShare = 0.36;
/** A narrower row has no room for arrows. */
const leastWithArrowsPx = 300;

// As in `base.css` and `composer.css`.
const gapPx = 4;
const frameAndPaddingPx = 10;
const iconAndGapPx = 12 + gapPx;
const picturePx = 16;
const afterPicturePx = 6;
const furtherButtonPx = 36;
/** With less room, even an option that must be seen is in the menu. */
const leastPx = 60;

/**
 * Divides the options between pickers in the composer's row and the menu of further options. A name is shown as a whole, so the
 * row has the most important options that fit. What lets the agent act without asking is the most important, then the profile,
 * the model, the mode, and the others in their order. Both lists keep the order of `options`.
 */
export function fitOptions(options: readonly OptionView[], agentName: string, row: PickerRow): FittedOptions {
  const { measure, widthPx } = row;
  const hasArrows = widthPx >= leastWithArrowsPx;
  const buttonPx = frameAndPaddingPx + (hasArrows ? iconAndGapPx : 0);
  // One more, because browsers round.
  const textPx = (text: string): number => Math.ceil(measure(text)) + 1;
  const unnamedAgentPx = buttonPx + picturePx;
  const namedAgentPx = unnamedAgentPx + afterPicturePx + textPx(agentName);
  const pickers = options.map((option) => {
    const text = shownText(option);
    const withoutTextPx = gapPx + emptyPx(option, buttonPx);
    return { option, text, withoutTextPx, neededPx: withoutTextPx + textPx(text) };
  });
  const allOptionsPx = pickers.reduce((sum, { neededPx }) => sum + neededPx, 0);
  const isAgentNamed =
    namedAgentPx <= widthPx * agentShare || (options.length > 0 && namedAgentPx + allOptionsPx <= widthPx);

  const byImportance = pickers.toSorted((a, b) => rankOf(a.option) - rankOf(b.option));
  let roomPx = widthPx - (isAgentNamed ? namedAgentPx : unnamedAgentPx);
  if (allOptionsPx > roomPx) roomPx -= gapPx + furtherButtonPx;
  const texts = new Map<OptionView, string>();
  for (const { option, text, neededPx } of byImportance) {
    if (neededPx <= roomPx) {
      texts.set(option, text);
      roomPx -= neededPx;
    } else if (unattendedActionOfOption(option) !== undefined) break;
  }
  const [first] = byImportance;
  if (first && texts.size === 0 && roomPx >= gapPx + leastPx) {
    const roomForTextPx = roomPx - first.withoutTextPx;
    texts.set(
      first.option,
      firstWords(first.text, (text) => textPx(text) <= roomForTextPx),
    );
  }
  return {
    isAgentNamed,
    hasArrows,
    shown: options.flatMap((option) => {
      const text = texts.get(option);
      return text === undefined ? [] : [{ option, text }];
    }),
    further: options.filter((option) => !texts.has(option)),
  };
}

function rankOf(option: OptionView): number {
  if (unattendedActionOfOption(option) !== undefined) return 0;
  if (option.category === 'profile') return 1;
  if (option.category === 'model') return 2;
  return isModeOption(option) ? 3 : 4;
}

/** The name of the current choice. A toggle says its own name. */
export function shownText(option: OptionView): string {
  if (option.type === 'boolean') return option.name;
  return option.choices.find(({ value }) => value === option.value)?.name ?? option.value;
}

/** The width of the option's button without its text. */
function emptyPx(option: OptionView, pickerPx: number): number {
  const shieldPx = unattendedActionOfOption(option) === undefined ? 0 : iconAndGapPx;
  return (option.type === 'boolean' ? frameAndPaddingPx : pickerPx) + shieldPx;
}

/** As many words as fit, or the whole text for the style sheet to cut if not even one does. */
function firstWords(text: string, fits: (text: string) => boolean): string {
  const words = text.split(/\s+/u);
  for (let count = words.length - 1; count > 0; count--) {
    const shortened = `${words.slice(0, count).join(' ')}…`;
    if (fits(shortened)) return shortened;
  }
  return text;
}
