import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { showHiddenCharacters } from '../../../../base/common/text/hiddenCharacters';
import { isModeOption, unattendedActionOfOption } from '../../../../session/common/optionChoices';
import { AgentTile } from '../../../../webview/browser/agentTile';
import { ShieldIcon } from '../../../../webview/browser/icons';
import { Picker, type PickerChoice } from '../../../../webview/browser/picker';
import { chatRequests } from '../../../common/page/chatApi';
import type { BackendView, ConversationView, OptionView } from '../../../common/chatView';
import { usePage, usePageState } from '../../chatPageContext';
import {
  backendDotClass,
  backendHint,
  backendStatusText,
  seenUnattendedActionHint,
  unattendedActionLabel,
} from '../../chatLabels';
import { fitOptions, type PickerRow } from './fitOptions';
import { FurtherOptions } from './furtherOptions';
import { OptionControl } from './optionControl';

/** The width of the mark of an agent that was seen to act without asking, with the gap after it. */
const noteIconPx = 26;

/** The agent and its options, in one row. Options for which there is no room are in a menu. */
export function ComposerPickers() {
  const { session, backends, chosenBackend, newOptions, seenUnattended } = usePageState();
  const row = useRef<HTMLSpanElement>(null);
  const { measure, widthPx } = usePickerRow(row);
  const value = session?.backendId ?? chosenBackend;
  const unsorted = session?.options ?? newOptions;
  const options = useMemo(() => sortOptions(unsorted), [unsorted]);
  const who = session?.backendTitle ?? backends.find(({ id }) => id === value)?.title ?? 'The agent';
  // If the agent has modes, the mode shows this.
  const hasMode = options.some((option) => isModeOption(option) || unattendedActionOfOption(option) !== undefined);
  const seen = hasMode ? undefined : seenUnattended;
  const roomPx = widthPx - (seen ? noteIconPx : 0);
  // Texts are measured only after a change, not for each key in the prompt.
  const { isAgentNamed, hasArrows, shown, further } = useMemo(
    () => fitOptions(options, who, { measure, widthPx: roomPx }),
    [options, who, measure, roomPx],
  );
  return (
    <span ref={row} class={`composer-pickers ${hasArrows ? '' : 'has-no-arrows'}`}>
      <BackendPicker backends={backends} value={value} session={session} isNamed={isAgentNamed} />
      {seen && (
        <span
          class="unattended"
          role="img"
          title={seenUnattendedActionHint(who, seen)}
          aria-label={unattendedActionLabel(seen)}
        >
          <ShieldIcon />
          {options.length === 0 && <span>{unattendedActionLabel(seen)}</span>}
        </span>
      )}
      {shown.map(({ option, text }) => (
        <OptionControl key={option.id} session={session} option={option} text={text} who={who} />
      ))}
      {further.length > 0 && <FurtherOptions session={session} options={further} />}
    </span>
  );
}

const sourceLabels: Record<BackendView['source'], string> = {
  demo: 'Built in',
  configured: 'Configured',
  installed: 'Installed',
  found: 'Found on this machine',
  server: 'Servers',
};

/** No agent can have these ids. */
const agentsChoice = '\0agents';
const presetPrefix = '\0preset:';
/** Of the description of a preset, which contains its instructions. */
const maxDetailUnits = 100;
const maxTooltipUnits = 2000;

interface BackendPickerProps {
  readonly backends: readonly BackendView[];
  readonly value: string | undefined;
  readonly session: ConversationView | undefined;
  readonly isNamed: boolean;
}

function BackendPicker({ backends, value, session, isNamed }: BackendPickerProps) {
  const page = usePage();
  const { preset: chosenPreset, presets } = usePageState().standing;
  if (backends.length === 0) return null;
  // The agent of a conversation may have been removed. Its name is still shown, because users do not know its id.
  const isGone = session !== undefined && !backends.some(({ id }) => id === value);
  const known = backends.map((backend): PickerChoice => ({
    value: backend.id,
    name: backend.title,
    description: backendHint(backend),
    tooltip: backend.description,
    group: sourceLabels[backend.source],
    icon: <AgentTile id={backend.id} title={backend.title} />,
    status: { class: backendDotClass(backend), word: backendStatusText(backend) },
  }));
  const ofPresets = presets.map(({ detail, isOfWorkspace, name }): PickerChoice => {
    const short = detail.length > maxDetailUnits ? `${detail.slice(0, maxDetailUnits).toWellFormed()}…` : detail;
    return {
      value: `${presetPrefix}${name}`,
      name: showHiddenCharacters(name),
      description: showHiddenCharacters(isOfWorkspace ? `${short} (preset of this workspace)` : short),
      tooltip: showHiddenCharacters(detail.slice(0, maxTooltipUnits)),
      group: 'Presets',
      note: name === chosenPreset ? 'chosen' : undefined,
    };
  });
  const choosePreset = async (name: string): Promise<void> => {
    if (session) await page.request(chatRequests.newSession, {});
    await page.request(chatRequests.choosePreset, { name });
  };
  const choices = [
    ...known,
    ...ofPresets,
    { value: agentsChoice, name: 'Agents…', description: 'Install, update and add agents' },
  ];
  return (
    <Picker
      label="Agent"
      value={isGone ? session.backendTitle : value}
      choices={choices}
      icon={isGone && <AgentTile id={session.backendId} title={session.backendTitle} />}
      text={isNamed ? undefined : ''}
      onOpen={() => void page.request(chatRequests.refreshBackends, {})}
      hint={
        session && `Choosing a different agent${presets.length > 0 ? ' or a preset' : ''} starts a new conversation`
      }
      onPick={(backendId) => {
        if (backendId === agentsChoice) void page.request(chatRequests.showAgents, {});
        else if (backendId.startsWith(presetPrefix)) void choosePreset(backendId.slice(presetPrefix.length));
        else if (!session) void page.request(chatRequests.chooseBackend, { backendId });
        else if (backendId !== session.backendId) void page.request(chatRequests.newSession, { backendId });
      }}
    />
  );
}

const leadingCategories = ['profile', 'model', 'thought_level'];

/** Moves the mode to the end. Other options keep the agent's order. */
function sortOptions(options: readonly OptionView[]): OptionView[] {
  const rankOf = (option: OptionView): number => {
    if (isModeOption(option)) return leadingCategories.length + 1;
    const rank = leadingCategories.indexOf(option.category ?? '');
    return rank < 0 ? leadingCategories.length : rank;
  };
  return options.toSorted((a, b) => rankOf(a) - rankOf(b));
}

const emptyRow: PickerRow = { widthPx: 0, measure: () => 0 };

/** The size of the row and of texts in its font. Known before the first frame is drawn. */
function usePickerRow(element: { readonly current: HTMLElement | null }): PickerRow {
  const [row, setRow] = useState(emptyRow);
  useLayoutEffect(() => {
    const { current } = element;
    const context = document.createElement('canvas').getContext('2d');
    if (!current || !context) return undefined;
    const read = (): void => {
      context.font = getComputedStyle(current).font;
      setRow({ widthPx: current.clientWidth, measure: (text) => context.measureText(text).width });
    };
    read();
    const observer = new ResizeObserver(read);
    observer.observe(current);
    return () => observer.disconnect();
  }, [element]);
  return row;
}
