import { unattendedActionOfOption } from '../../../../session/common/optionChoices';
import { ShieldIcon } from '../../../../webview/browser/icons';
import { Picker, type PickerChoice } from '../../../../webview/browser/picker';
import { chatRequests } from '../../../common/page/chatApi';
import type { ConversationView, OptionView } from '../../../common/chatView';
import { usePage } from '../../chatPageContext';
import { unattendedActionLabel, unattendedModeHint } from '../../chatLabels';

type SelectOption = Extract<OptionView, { type: 'select' }>;

/** Returns a function that sets an option of the conversation, or of the next one. */
export function useSetOption(session: ConversationView | undefined) {
  const page = usePage();
  return (optionId: string, value: string | boolean): void =>
    void page.request(chatRequests.setOption, { sessionId: session?.id, optionId, value });
}

export function choicesOf(option: SelectOption): PickerChoice[] {
  return option.choices.map(({ unattended, ...choice }) => ({
    ...choice,
    note: unattended && unattendedActionLabel(unattended),
  }));
}

interface OptionControlProps {
  readonly session: ConversationView | undefined;
  readonly option: OptionView;
  /** What it says of its value. */
  readonly text: string;
  /** The agent's name. */
  readonly who: string;
}

/** An option with a picker, or a toggle, of its own. It is marked while it lets the agent act without asking. */
export function OptionControl({ session, option, text, who }: OptionControlProps) {
  const page = usePage();
  const setOption = useSetOption(session);
  const { id, name, description } = option;
  const unattended = unattendedActionOfOption(option);
  const warning = unattended && unattendedModeHint(who, unattended);
  const disabled = session?.status === 'readonly';
  if (option.type === 'boolean') {
    return (
      <button
        type="button"
        class={`toggle ${warning === undefined ? '' : 'is-warning'}`}
        aria-pressed={option.value}
        title={warning ?? description ?? name}
        disabled={disabled}
        onClick={() => setOption(id, !option.value)}
      >
        {warning !== undefined && <ShieldIcon />}
        <span class="one-line">{text}</span>
      </button>
    );
  }
  return (
    <Picker
      label={name}
      value={option.value}
      text={text}
      choices={choicesOf(option)}
      hint={description}
      warning={warning}
      disabled={disabled}
      allowsCustom={option.custom}
      onOpen={() => page.prepareOptions()}
      onPick={(value) => setOption(id, value)}
    />
  );
}
