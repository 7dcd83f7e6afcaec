import { useLayoutEffect, useRef } from 'preact/hooks';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';
import { IconButton } from '../../../webview/browser/iconButton';
import { CloseIcon } from '../../../webview/browser/icons';

interface ReasonFieldProps {
  readonly label: string;
  readonly value: string;
  readonly disabled: boolean;
  readonly takesFocus: boolean;
  readonly onInput: (reason: string) => void;
  readonly onSend: (reason: string) => void;
  readonly onCancel: () => void;
}

/** Replaces the answers with a field for a reason, which is sent with the denial. */
export function ReasonField({ label, value, disabled, takesFocus, onInput, onSend, onCancel }: ReasonFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => {
    if (takesFocus) input.current?.focus();
  }, []);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.isComposing || Reflect.get(event, 'keyCode') === 229 || event.repeat) return;
    if (event.key === 'Enter') onSend(value);
    else if (event.key === 'Escape') onCancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="approval-reason">
      <input
        ref={input}
        class="text-field"
        type="text"
        dir="auto"
        aria-label="What the agent should do instead"
        placeholder="What to do instead"
        value={value}
        disabled={disabled}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      <button type="button" class="button one-line" disabled={disabled} onClick={() => onSend(value)}>
        <bdi>
          <UntrustedText text={label} />
        </bdi>
      </button>
      <IconButton label="Back to Answers" icon={CloseIcon} onClick={onCancel} disabled={disabled} />
    </div>
  );
}
