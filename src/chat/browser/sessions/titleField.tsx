import { useLayoutEffect, useRef } from 'preact/hooks';

interface TitleFieldProps {
  readonly title: string;
  readonly onDone: (title: string | undefined) => void;
}

/**
 * Edits the title of a conversation. Enter or going elsewhere in the page accepts the new title; Escape cancels. The field stays
 * when VS Code loses the focus, or when its row moves.
 */
export function TitleField({ title, onDone }: TitleFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
    const onPointerDown = ({ target }: PointerEvent): void => {
      if (target !== input.current) latestFinish.current(true);
    };
    document.addEventListener('pointerdown', onPointerDown, true);
    return () => document.removeEventListener('pointerdown', onPointerDown, true);
  }, []);

  const finish = (isTaken: boolean): void => {
    if (isDone.current) return;
    isDone.current = true;
    const text = input.current?.value.trim() ?? '';
    onDone(isTaken && text !== '' && text !== title ? text : undefined);
  };

  const latestFinish = useRef(finish);
  latestFinish.current = finish;

  const onBlur = ({ relatedTarget }: FocusEvent): void => {
    if (relatedTarget) finish(true);
    // An element that is moved loses the focus, and what is around it may have got it.
    else
      queueMicrotask(() => {
        const field = input.current;
        if (document.hasFocus() && field && document.activeElement?.contains(field)) field.focus();
      });
  };

  return (
    <input
      ref={input}
      class="text-field title-field"
      type="text"
      aria-label="Conversation title"
      defaultValue={title}
      onBlur={onBlur}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
        event.preventDefault();
        finish(event.key === 'Enter');
      }}
    />
  );
}
