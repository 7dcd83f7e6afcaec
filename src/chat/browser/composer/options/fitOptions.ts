import { isModeOption, unattendedActionOfOption } from '../../../../session/common/optionChoices';
import type { OptionView } from '../../../common/chatView';

interface FittedOptions {
  /** Options with a picker of their own. */
  readonly shown: readonly OptionView[];
  /** Options in the menu of further options. */
  readonly further: readonly OptionView[];
}

/** The share of the row that the agent's name takes at most, as in `composer.css`. Options that arrive do not change its width. */
const agentShare = 0.36;

const gapPx = 4;
const furtherButtonPx = 36;
/** The name of the most important option may be cut down to this. */
const leastPx = 60;
const mostPx = 160;
const unitPx = 7;
const paddingPx = 26;

/**
 * Divides the options between pickers in the composer's row and the menu of further options. `widthPx`: the room for the
 * agent and the options, in CSS pixels. What lets the agent act without asking is the most important, then the profile, the
 * model, the mode, and the others in their order. Both lists keep the order of `options`.
 */
export function fitOptions(options: readonly OptionView[], agentName: string, widthPx: number): FittedOptions {
  const byImportance = options.toSorted((a, b) => rankOf(a) - rankOf(b));
  const agentPx = Math.min(widthPx * agentShare, estimatedPx(agentName));
  const neededPx = byImportance.map(
    (option, index) => gapPx + (index === 0 ? leastPx : estimatedPx(shownText(option))),
  );
  let roomPx = widthPx - agentPx;
  if (neededPx.reduce((sum, px) => sum + px, 0) > roomPx) roomPx -= gapPx + furtherButtonPx;
  const count = neededPx.findIndex((px) => (roomPx -= px) < 0);
  const shown = new Set(count < 0 ? byImportance : byImportance.slice(0, count));
  return {
    shown: options.filter((option) => shown.has(option)),
    further: options.filter((option) => !shown.has(option)),
  };
}

function rankOf(option: OptionView): number {
  if (unattendedActionOfOption(option) !== undefined) return 0;
  if (option.category === 'profile') return 1;
  if (option.category === 'model') return 2;
  return isModeOption(option) ? 3 : 4;
}

/** What the picker of the option says. A toggle says its own name. */
export function shownText(option: OptionView): string {
  if (option.type === 'boolean') return option.name;
  return option.choices.find(({ value }) => value === option.value)?.name ?? option.value;
}

function estimatedPx(text: string): number {
  return Math.min(paddingPx + unitPx * text.length, mostPx);
}
