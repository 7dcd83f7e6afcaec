import { useState } from 'preact/hooks';
import { highestUnattendedAction } from '../../../../session/common/optionChoices';
import { FloatingBox } from '../../../../webview/browser/floating';
import { usePopup } from '../../../../webview/browser/hooks/usePopup';
import { OptionsIcon, ShieldIcon } from '../../../../webview/browser/icons';
import { MenuList } from '../../../../webview/browser/menu';
import { ChoiceList } from '../../../../webview/browser/picker';
import type { ConversationView, OptionView } from '../../../common/chatView';
import { usePage } from '../../chatPageContext';
import { unattendedActionLabel } from '../../chatLabels';
import { shownText } from './fitOptions';
import { choicesOf, useSetOption } from './optionControl';

interface FurtherOptionsProps {
  readonly session: ConversationView | undefined;
  readonly options: readonly OptionView[];
}

/** A button with the number of options that have no picker of their own. Its menu shows their values and changes them. */
export function FurtherOptions({ session, options }: FurtherOptionsProps) {
  const page = usePage();
  const setOption = useSetOption(session);
  const { isOpen, setOpen, button, close, closeToButton } = usePopup();
  const [openedId, setOpenedId] = useState<string>();
  const opened = options.find(({ id }) => id === openedId);
  const unattended = highestUnattendedAction(options);
  const warning = unattended && unattendedActionLabel(unattended);
  const summary = options.map((option) => `${option.name}: ${valueText(option)}`).join('\n');
  const toggle = (): void => {
    setOpenedId(undefined);
    setOpen(!isOpen);
    if (!isOpen) page.prepareOptions();
  };
  return (
    <span class="picker further-options">
      <button
        type="button"
        ref={button}
        class={`picker-button ${warning === undefined ? '' : 'is-warning'}`}
        title={summary}
        aria-label={['Further Options', `${options.length}`, warning].filter((part) => part !== undefined).join(': ')}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        disabled={session?.status === 'readonly'}
        onClick={toggle}
      >
        {warning === undefined ? <OptionsIcon /> : <ShieldIcon />}
        <span>{options.length}</span>
      </button>
      {isOpen && (
        <FloatingBox anchor={button} onLeave={close} class={opened ? 'picker-list' : ''}>
          {opened?.type === 'select' ? (
            <ChoiceList
              label={opened.name}
              value={opened.value}
              choices={choicesOf(opened)}
              allowsCustom={opened.custom}
              onPick={(value) => setOption(opened.id, value)}
              onDone={closeToButton}
            />
          ) : (
            <MenuList
              label="Further Options"
              items={options.map((option) => ({
                key: option.id,
                content: <OptionRow option={option} />,
                keepsOpen: option.type === 'select',
                run: () => {
                  if (option.type === 'select') setOpenedId(option.id);
                  else setOption(option.id, !option.value);
                },
              }))}
              onDone={closeToButton}
            />
          )}
        </FloatingBox>
      )}
    </span>
  );
}

function OptionRow({ option }: { option: OptionView }) {
  return (
    <>
      <span>{option.name}</span>
      <span class="further-option-value one-line">{valueText(option)}</span>
    </>
  );
}

function valueText(option: OptionView): string {
  if (option.type === 'select') return shownText(option);
  return option.value ? 'On' : 'Off';
}
