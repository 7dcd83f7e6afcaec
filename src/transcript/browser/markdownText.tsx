import { useLayoutEffect, useRef } from 'preact/hooks';
import { GrowingText } from './growingText';
import { useTranscript } from './transcriptContext';

interface MarkdownTextProps {
  readonly text: string;
  readonly isStreaming?: boolean;
  /** Of the entry that is nothing but this text: it is formatted only while it is near the screen. */
  readonly entryId?: string | undefined;
}

/** Markdown that may still grow: what is on the screen already is left alone. */
export function MarkdownText({ text, isStreaming = false, entryId }: MarkdownTextProps) {
  const { actions, nearScreen } = useTranscript();
  const element = useRef<HTMLDivElement>(null);
  const growing = useRef<GrowingText | undefined>(undefined);
  const isAlwaysNear = isStreaming || entryId === undefined || !nearScreen;
  useLayoutEffect(() => {
    if (!element.current) return;
    const isNear = isAlwaysNear || nearScreen.isOnLastScreen(entryId);
    growing.current ??= new GrowingText(element.current, actions, isNear);
    growing.current.show(text, isStreaming);
  }, [text, isStreaming]);
  useLayoutEffect(() => {
    const entry = element.current?.closest('.entry');
    if (isAlwaysNear || !entry) return;
    const watching = nearScreen.watch(entry, (isNear, height) => growing.current?.setNear(isNear, height));
    return () => watching.dispose();
  }, [nearScreen, isAlwaysNear]);
  useLayoutEffect(() => () => growing.current?.dispose(), []);
  return <div class="markdown" dir="auto" ref={element} />;
}
