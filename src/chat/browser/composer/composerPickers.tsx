import { useId } from 'preact/hooks';
import { isModeOption, highestUnattendedAction, unattendedActionOfOption } from '../../../session/common/optionChoices';
import { ShieldIcon } from '../../../webview/browser/icons';
import { Picker, type PickerChoice } from '../../../webview/browser/picker';
import { chatRequests } from '../../common/page/chatApi';
import type { BackendView, OptionView, ConversationView } from '../../common/chatView';
import { usePage, usePageState } from '../chatPageContext';
import {
  backendDotClass,
  backendStatusText,
  seenUnattendedActionHint,
  unattendedModeHint,
  unattendedActionLabel,
} from '../chatLabels';

export function ComposerPickers() {
  const { session, backends, chosenBackend, newOptions, seenUnattended } = usePageState();
  const value = session?.backendId ?? chosenBackend;
  const options = sortOptions(session?.options ?? newOptions);
  const noteId = useId();
  const unattended = highestUnattendedAction(options);
  const cause = unattended && options.find((option) => unattendedActionOfOption(option) === unattended);
  // If the agent has modes, the mode already shows this.
  const seen = options.some(isModeOption) || unattended ? undefined : seenUnattended;
  const who = session?.backendTitle ?? backends.find(({ id }) => id === value)?.title ?? 'The agent';
  return (
    <>
      <BackendPicker backends={backends} value={value} session={session} />
      {seen && (
        <span class="unattended" title={seenUnattendedActionHint(who, seen)}>
          <ShieldIcon />
          <span>{unattendedActionLabel(seen)}</span>
        </span>
      )}
      {options.map((option) => (
        <span key={option.id} class="option">
          <OptionControl session={session} option={option} noteId={option === cause ? noteId : undefined} />
          {unattended && option === cause && (
            <span id={noteId} class="unattended" title={unattendedModeHint(who, unattended)}>
              <ShieldIcon />
              <span>{unattendedActionLabel(unattended)}</span>
            </span>
          )}
        </span>
      ))}
    </>
  );
}

const sourceLabels: Record<BackendView['source'], string> = {
  demo: 'Built in',
  configured: 'Configured',
  installed: 'Installed',
  found: 'Found on this machine',
  server: 'Servers',
};

/** No agent can have this id. */
const agentsChoice = '\0agents';

interface BackendPickerProps {
  readonly backends: readonly BackendView[];
  readonly value: string | undefined;
  readonly session: ConversationView | undefined;
}

function BackendPicker({ backends, value, session }: BackendPickerProps) {
  const page = usePage();
  if (backends.length === 0) return null;
  // The agent of a conversation may have been removed. Its name is still shown, because users do not know its id.
  const isGone = session !== undefined && !backends.some(({ id }) => id === value);
  const known = backends.map((backend): PickerChoice => ({
    value: backend.id,
    name: backend.title,
    description: backend.problem ?? backend.description,
    group: sourceLabels[backend.source],
    status: { class: backendDotClass(backend), word: backendStatusText(backend) },
  }));
  const choices = [...known, { value: agentsChoice, name: 'Agents…', description: 'Install, update and add agents' }];
  return (
    <Picker
      label="Agent"
      value={isGone ? session.backendTitle : value}
      choices={choices}
      onOpen={() => void page.request(chatRequests.refreshBackends, {})}
      hint={session && 'Choosing a different agent starts a new conversation'}
      onPick={(backendId) => {
        if (backendId === agentsChoice) void page.request(chatRequests.showAgents, {});
        else if (!session) void page.request(chatRequests.chooseBackend, { backendId });
        else if (backendId !== session.backendId) void page.request(chatRequests.newSession, { backendId });
      }}
    />
  );
}

interface OptionControlProps {
  readonly session: ConversationView | undefined;
  readonly option: OptionView;
  readonly noteId: string | undefined;
}

function OptionControl({ session, option, noteId }: OptionControlProps) {
  const page = usePage();
  const { name, description } = option;
  const set = (value: string | boolean) =>
    void page.request(chatRequests.setOption, { sessionId: session?.id, optionId: option.id, value });
  const disabled = session?.status === 'readonly';
  if (option.type === 'boolean') {
    return (
      <button
        type="button"
        class="toggle"
        aria-pressed={option.value}
        aria-describedby={noteId}
        title={description ?? name}
        disabled={disabled}
        onClick={() => set(!option.value)}
      >
        {name}
      </button>
    );
  }
  return (
    <Picker
      label={name}
      value={option.value}
      choices={option.choices.map(({ unattended, ...choice }) => ({
        ...choice,
        note: unattended && unattendedActionLabel(unattended),
      }))}
      hint={description}
      disabled={disabled}
      allowsCustom={option.custom}
      describedBy={noteId}
      onOpen={() => page.prepareOptions()}
      onPick={set}
    />
  );
}

const leadingCategories = ['profile', 'model', 'thought_level'];

/** Moves the mode to the end, because its note needs the rest of the row. Other options keep the agent's order. */
function sortOptions(options: readonly OptionView[]): OptionView[] {
  const rankOf = (option: OptionView): number => {
    if (isModeOption(option)) return leadingCategories.length + 1;
    const rank = leadingCategories.indexOf(option.category ?? '');
    return rank < 0 ? leadingCategories.length : rank;
  };
  return options.toSorted((a, b) => rankOf(a) - rankOf(b));
}
