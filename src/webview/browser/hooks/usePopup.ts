import { useCallback, useRef, useState } from 'preact/hooks';

/** The state of a popup that a button opens. `closeToButton` closes it and returns the focus to the button. */
export function usePopup() {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = useCallback(() => setOpen(false), []);
  const closeToButton = (): void => {
    setOpen(false);
    button.current?.focus();
  };
  return { isOpen, setOpen, button, close, closeToButton };
}
