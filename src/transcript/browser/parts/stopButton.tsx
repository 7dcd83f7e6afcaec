import { useLayoutEffect, useRef } from 'preact/hooks';
import { showHiddenCharacters } from '../../../base/common/text/hiddenCharacters';
import { IconButton } from '../../../webview/browser/iconButton';
import { StopIcon } from '../../../webview/browser/icons';
import type { EntryOf } from '../../common/entries';
import { shortenPathsInText } from '../../common/shortPath';
import { hasFocus } from '../list/focusAndSelection';
import { useTranscriptContext } from '../transcriptContext';

/** Maximum length of a call's title in the name of its button, in UTF-16 units. */
const maxTitleLength = 80;

interface StopButtonProps {
  readonly entry: EntryOf<'tool'>;
  /** Whether the user has pressed it, and the call has not ended yet. */
  readonly isStopping: boolean;
  readonly onClick: () => void;
}

/** Stops one call, or denies it if it waits for an answer. */
export function StopButton({ entry: { state, title }, isStopping, onClick }: StopButtonProps) {
  const { folders = [] } = useTranscriptContext().options;
  const button = useRef<HTMLButtonElement>(null);
  // The focus stays in the row when the button goes.
  useLayoutEffect(
    () => () => {
      const row = button.current?.nextElementSibling;
      if (button.current && hasFocus(button.current)) row?.querySelector<HTMLElement>('summary')?.focus();
    },
    [],
  );
  const shown = showHiddenCharacters(shortenPathsInText(title, folders));
  const name = shown.length > maxTitleLength ? `${shown.slice(0, maxTitleLength)}…` : shown;
  const verb = isStopping ? 'Stopping' : state === 'waiting' ? 'Deny' : 'Stop';
  return (
    <IconButton
      class={`tool-stop ${isStopping ? 'is-stopping' : ''}`}
      label={`${verb} “${name}”`}
      icon={StopIcon}
      onClick={() => {
        if (!isStopping) onClick();
      }}
      buttonRef={button}
    />
  );
}
