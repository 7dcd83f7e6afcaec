import { useLayoutEffect, useRef } from 'preact/hooks';

interface TitleFieldProps {
  readonly title: string;
  readonly onDone: (title: string | undefined) => void;
}

/** Edits the title of a conversation. Enter or losing the focus accepts the new title; Escape cancels. */
export function TitleField({ title, onDone }: TitleFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const isDone = useRef(false);
  useLayoutEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, []);

  const finish = (isTaken: boolean): void => {
    if (isDone.current) return;
    isDone.current = true;
    const text = input.current?.value.trim() ?? '';
    onDone(isTaken && text !== '' && text !== title ? text : undefined);
  };

  return (
    <input
      ref={input}
      class="text-field title-field"
      type="text"
      aria-label="Conversation title"
      defaultValue={title}
      onBlur={() => finish(true)}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.isComposing || (event.key !== 'Enter' && event.key !== 'Escape')) return;
        event.preventDefault();
        finish(event.key === 'Enter');
      }}
    />
  );
}
